internal import ArgumentParser
internal import Calotype
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

            The command asks the terminal what it supports, and waits 200 milliseconds for the answer. On a slow connection, set \
            CALOTYPE_TERMINAL_TIME in the environment to more milliseconds.

            Examples:
              calotype show photo.jpg
              calotype show *.png --columns 4
              calotype show https://example.org/a.avif b.png --size 60x20 --as sixel
            """)

    @Argument(help: ArgumentHelp("Paths or URLs of images.", valueName: "source"))
    var sources: [String]

    @Option(help: ArgumentHelp("The largest size of one image, in characters. Default: the terminal.", valueName: "COLUMNSxROWS"))
    var size: GridArgument?

    @Option(help: ArgumentHelp("The number of images in a row. Default: as many as fit.", valueName: "COUNT"))
    var columns: Int?

    @Option(name: .customLong("as"), help: MethodArgument.help)
    var method: MethodArgument?

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
        if let columns, !(1...100).contains(columns) { throw ValidationError("--columns must be from 1 to 100.") }
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
            columns: size?.columns ?? max(1, terminal.columns / imagesPerRow - (imagesPerRow > 1 ? 1 : 0)),
            rows: size?.rows ?? (imagesPerRow > 1 ? max(1, terminal.columns / imagesPerRow / 2) : max(1, terminal.rows - 1))
        )
        let loader = ImageLoader.standard {
            $0.limits.decoding = limits.decoding
            $0.dataCache = nil
            // At a terminal, an immediate error is better than a delay for retries.
            $0.retryPolicy = nil
        }
        var failures = Failures()
        var row: [(drawing: TerminalImage.Drawing, column: Int)] = []
        func finishRow() {
            if !row.isEmpty { Console.write(TerminalImage.row(row)) }
            row = []
        }
        for (index, text) in sources.enumerated() {
            let name = SourceArgument.displayName(of: text)
            do {
                // Image identifiers are shared by all programs in a terminal; a high one avoids collisions.
                let terminalImage = TerminalImage(
                    terminal, columns: box.columns, rows: box.rows, id: 0xCA10_0000 + UInt32(clamping: index),
                    encoder: EncoderRegistry(.codecs))
                var request = ImageRequest(url: try SourceArgument(text).url)
                if terminal.graphics != .none { request.options.targetSize = terminalImage.targetSize }
                let target = imagesPerRow == 1 ? TerminalTarget(terminalImage, write: Console.write) : nil
                let image = try await image(for: request, from: loader, previewsOn: Console.isTerminal ? target : nil)
                if let drawing = try await animation(request, terminalImage, loader) ?? terminalImage.draw(image) {
                    if let target {
                        await target.show(drawing)
                        continue
                    }
                    row.append((drawing, row.count * (box.columns + 1)))
                    if row.count == imagesPerRow { finishRow() }
                } else {
                    Console.print("\(Terminal.sanitized(name)): \(image.size) \(image.format?.rawValue ?? "")")
                }
            } catch {
                finishRow()
                failures.report(error, source: name)
            }
        }
        finishRow()
        try failures.throwIfAny()
    }

    /// Loads the image, and shows previews while it loads.
    private func image(
        for request: ImageRequest, from loader: ImageLoader, previewsOn target: TerminalTarget?
    ) async throws -> DecodedImage {
        guard let target else { return try await loader.image(for: request) }
        var request = request
        request.options.previews = .incremental
        let task = loader.task(for: request)
        for await event in task.events {
            if case .preview(let preview) = event { await target.setImage(preview, transition: .none) }
        }
        return try await task.response.image
    }

    /// An animation that the terminal plays by itself; `nil` for a still image, and for an animation that is too large to send to a
    /// terminal.
    private func animation(
        _ request: ImageRequest, _ terminalImage: TerminalImage, _ loader: ImageLoader
    ) async throws -> TerminalImage.Drawing? {
        guard [.kitty, .iTerm2].contains(terminalImage.terminal.graphics) else { return nil }
        let info = try await loader.info(for: request)
        guard info.frameCount > 1 else { return nil }
        let data = try await loader.data(for: request).data
        if terminalImage.terminal.graphics == .iTerm2 {
            return info.format == .gif && data.count <= 20_000_000 ? terminalImage.draw(file: data, size: info.size) : nil
        }
        return try await BlockingWork.run {
            var options = DecodeOptions()
            options.targetSize = terminalImage.targetSize
            options.limits = limits.decoding
            let decoder = try DecoderRegistry(.codecs).animation(of: data, options: options)
            let first = try decoder.frame(at: 0)
            guard decoder.frameCount <= 100_000_000 / max(1, first.cost) else { return nil }
            return try terminalImage.draw((0..<decoder.frameCount).map { (try decoder.frame(at: $0), decoder.durations[$0]) })
        }
    }
}
