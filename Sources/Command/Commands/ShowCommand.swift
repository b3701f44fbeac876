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
            In the best way that the terminal has: the protocols of kitty and iTerm2, sixels, or two pixels a character as \
            half blocks. Several images stand in a grid. Where there is no terminal, and neither --size nor --as asks for \
            a drawing, a line of text describes each image. An image that stands alone shows previews while it loads.

            The terminal is asked what it can, and has 200 milliseconds to answer; CALOTYPE_TERMINAL_TIME in the environment \
            gives one at the end of a slow line more.

            Examples:
              calotype show photo.jpg
              calotype show *.png --columns 4
              calotype show https://example.org/a.avif b.png --size 60x20 --as sixel
            """)

    @Argument(help: ArgumentHelp("Paths or URLs.", valueName: "source"))
    var sources: [String]

    @Option(help: ArgumentHelp("The box to draw one image in, in characters.", valueName: "COLUMNSxROWS"))
    var size: GridArgument?

    @Option(help: ArgumentHelp("How many images stand side by side; as many as fit, for more than one.", valueName: "COUNT"))
    var columns: Int?

    @Option(name: .customLong("as"), help: WayArgument.help)
    var way: WayArgument?

    @OptionGroup var limits: LimitOptions

    enum WayArgument: String, ExpressibleByArgument, CaseIterable {
        case kitty, iterm2, sixel, blocks, text

        static let help = ArgumentHelp("kitty, iterm2, sixel, blocks or text.", valueName: "WAY")

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
        if let way { terminal.graphics = way.graphics }
        // Who names a size wants a drawing, wherever it goes.
        if way == nil, size != nil, terminal.graphics == .none {
            (terminal.graphics, terminal.colors) = (.halfBlocks, .trueColor)
        }
        let across = max(1, min(columns ?? (sources.count > 1 && size == nil ? terminal.columns / 20 : 1), sources.count))
        let box = (
            columns: size?.columns ?? max(1, terminal.columns / across - (across > 1 ? 1 : 0)),
            rows: size?.rows ?? (across > 1 ? max(1, terminal.columns / across / 2) : max(1, terminal.rows - 1))
        )
        let loader = ImageLoader.standard {
            $0.limits.decoding = limits.decoding
            $0.dataCache = nil
            // Who waits at a terminal would rather know at once.
            $0.retryPolicy = nil
        }
        var failures = Failures()
        var row: [(drawing: TerminalImage.Drawing, column: Int)] = []
        func finishRow() {
            if !row.isEmpty { Console.write(TerminalImage.row(row)) }
            row = []
        }
        for (index, text) in sources.enumerated() {
            var name = SourceArgument.name(of: text)
            do {
                let source = try SourceArgument(text)
                name = source.name
                // The numbers that other programs give images in the same terminal are rarely as high.
                let picture = TerminalImage(
                    terminal, columns: box.columns, rows: box.rows, id: 0xCA10_0000 + UInt32(clamping: index),
                    encoder: EncoderRegistry(.codecs))
                var request = ImageRequest(url: source.url)
                if terminal.graphics != .none { request.options.targetSize = picture.targetSize }
                let target = across == 1 ? TerminalTarget(picture, write: Console.write) : nil
                let image = try await image(for: request, from: loader, previewsOn: Console.isTerminal ? target : nil)
                if let drawing = try await animation(request, picture, loader) ?? picture.draw(image) {
                    if let target {
                        await target.show(drawing)
                        continue
                    }
                    row.append((drawing, row.count * (box.columns + 1)))
                    if row.count == across { finishRow() }
                } else {
                    Console.print("\(Terminal.sanitized(name)): \(image.size) \(image.format?.rawValue ?? "")")
                }
            } catch {
                finishRow()
                failures.add(name, error)
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

    /// The animation that the terminal runs by itself; `nil` for a still image, and for one whose frames would be more
    /// than a terminal should be sent.
    private func animation(
        _ request: ImageRequest, _ picture: TerminalImage, _ loader: ImageLoader
    ) async throws -> TerminalImage.Drawing? {
        guard [.kitty, .iTerm2].contains(picture.terminal.graphics) else { return nil }
        let info = try await loader.info(for: request)
        guard info.frameCount > 1 else { return nil }
        let data = try await loader.data(for: request).data
        if picture.terminal.graphics == .iTerm2 {
            return info.format == .gif && data.count <= 20_000_000 ? picture.draw(file: data, size: info.size) : nil
        }
        return try await BlockingWork.run {
            var options = DecodeOptions()
            options.targetSize = picture.targetSize
            options.limits = limits.decoding
            let decoder = try DecoderRegistry(.codecs).animation(of: data, options: options)
            let first = try decoder.frame(at: 0)
            guard decoder.frameCount <= 100_000_000 / max(1, first.cost) else { return nil }
            return try picture.draw((0..<decoder.frameCount).map { (try decoder.frame(at: $0), decoder.durations[$0]) })
        }
    }
}
