internal import ArgumentParser
internal import Calotype
internal import CalotypeSystem
internal import ImageCore
internal import ImageCodecs
internal import ImageDecoding
internal import ImageLoading
internal import ImageTargets

struct ShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Draws images in the terminal.",
        discussion: """
            Uses the best method that the terminal supports: the protocols of kitty and iTerm2, sixels, or half blocks, which show \
            two pixels a character. Several images are drawn in a grid; a single one shows previews while it loads. Without a \
            terminal, and without --size and --as, the command prints a line of text for each image.

            Animations play as often as their files say, but at most for the time of --duration. A grid shows first frames.

            The command asks the terminal what it supports, and waits 200 milliseconds for the answer. On a slow connection, set \
            CALOTYPE_TERMINAL_TIME in the environment to more milliseconds.

            Examples:
              calotype show photo.jpg
              calotype show *.png --columns 4 --names
              calotype show cat.gif --duration 60
              calotype show https://example.org/a.avif b.png --size 60x20 --as sixel
            """)

    @Argument(help: ArgumentHelp("Paths or URLs of images.", valueName: "source"))
    var sources: [String]

    @Option(help: ArgumentHelp("The largest size of one image, in characters. Default: the terminal.", valueName: "COLUMNSxROWS"))
    var size: SizeArgument?

    @Option(help: ArgumentHelp("The number of images in a row. Default: as many as fit.", valueName: "COUNT"))
    var columns: Int?

    @Option(name: .customLong("as"), help: MethodArgument.help)
    var method: MethodArgument?

    @Flag(help: "Print the name of each file below its image.")
    var names = false

    @Flag(help: "Show only the first frame of animations.")
    var still = false

    @Option(
        help: ArgumentHelp(
            "The longest time to play an animation, in seconds. Default: 10.", valueName: "SECONDS"))
    var duration = 10.0

    @OptionGroup var limits: LimitOptions

    enum MethodArgument: String, ExpressibleByArgument, CaseIterable {
        case kitty, iterm2, sixel, blocks, text

        static let help = ArgumentHelp(
            "The drawing method. Default: the best that the terminal supports.", valueName: "METHOD")

        var graphics: Terminal.Graphics {
            switch self {
            case .kitty: .kitty
            case .iterm2: .iTerm2
            case .sixel: .sixel
            case .blocks: .halfBlocks
            case .text: .none
            }
        }
    }

    func validate() throws {
        if let size, ![size.width, size.height].allSatisfy({ (1...1000).contains($0 ?? 0) }) {
            throw ValidationError("--size needs columns and rows such as 60x20, each from 1 to 1000.")
        }
        if let columns, !(1...100).contains(columns) { throw ValidationError("--columns must be from 1 to 100.") }
        guard (0...86_400).contains(duration) else { throw ValidationError("--duration must be from 0 to 86400 seconds.") }
    }

    func run() async throws {
        var terminal = TerminalProbe.terminal()
        if let method { terminal.graphics = method.graphics }
        // With --size, the command draws also where there is no terminal.
        if method == nil, size != nil, terminal.graphics == .none {
            (terminal.graphics, terminal.colors) = (.halfBlocks, .trueColor)
        }
        let imagesPerRow = max(1, min(columns ?? (sources.count > 1 && size == nil ? terminal.columns / 20 : 1), sources.count))
        let box = (
            columns: size?.width ?? max(1, terminal.columns / imagesPerRow - (imagesPerRow > 1 ? 1 : 0)),
            rows: size?.height ?? (imagesPerRow > 1 ? max(1, terminal.columns / imagesPerRow / 2) : max(1, terminal.rows - 1))
        )
        let loader = ImageLoader.standard {
            $0.limits.decoding = limits.decoding
            $0.dataCache = nil
            // At a terminal, an immediate error is better than a delay for retries.
            $0.retryPolicy = nil
        }
        var failures = Failures()
        var grid = ImageGrid(imagesPerRow: imagesPerRow, columns: box.columns, showsNames: names)
        for (index, text) in sources.enumerated() {
            let name = SourceArgument.displayName(of: text)
            do {
                // Image identifiers are shared by all programs in a terminal; a high one avoids collisions.
                let terminalImage = TerminalImage(
                    terminal, columns: box.columns, rows: box.rows, id: 0xCA10_0000 + UInt32(clamping: index),
                    encoder: EncoderRegistry(.codecs))
                var request = ImageRequest(url: try SourceArgument(text).url)
                request.options.animates = !still
                if terminal.graphics != .none { request.options.targetSize = terminalImage.targetSize }
                let target = imagesPerRow == 1 ? TerminalTarget(terminalImage, write: ExitCleanup.writeWhole) : nil
                let image = try await image(for: request, from: loader, previewsOn: Console.isTerminal ? target : nil)
                guard let drawing = try terminalImage.draw(image) else {
                    Console.print("\(Terminal.sanitized(name)): \(image.size) \(image.format?.rawValue ?? "")")
                    continue
                }
                guard let target else {
                    Console.write(grid.add(drawing, name: name))
                    continue
                }
                await target.show(drawing)
                if let animation = image.animation, Console.isTerminal { try await play(animation, on: target) }
                if names { Console.print(ImageGrid.label(name, columns: terminal.columns)) }
            } catch {
                Console.write(grid.endRow())
                failures.report(error, source: name)
            }
        }
        Console.write(grid.endRow())
        try failures.throwIfAny()
    }

    /// Loads the image, and shows previews while it loads.
    private func image(
        for request: ImageRequest, from loader: ImageLoader, previewsOn target: TerminalTarget?
    ) async throws -> DecodedImage {
        var request = request
        if target != nil { request.options.previews = .incremental }
        let task = loader.task(for: request)
        for await event in task.events {
            if case .preview(let preview) = event { await target?.setImage(preview, transition: .none) }
        }
        return try await task.response.image
    }

    /// Plays an animation in the place of its first frame.
    private func play(_ animation: AnimatedImage, on target: TerminalTarget) async throws {
        ExitCleanup.setCursorHidden(true, on: STDOUT_FILENO)
        defer { ExitCleanup.setCursorHidden(false, on: STDOUT_FILENO) }
        try await FramePlayer(limit: .seconds(duration)).play(animation) { await target.setFrame($0) }
    }
}
