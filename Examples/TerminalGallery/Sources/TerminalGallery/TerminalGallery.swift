import Calotype
import Foundation

/// `TerminalGallery [FOLDER] [--sixel]` shows the stages of a load side by side: the placeholder, a preview of the
/// first half of the file, and the image with the badge of its cache tier. Without a terminal, it prints only the
/// titles. `FOLDER` contains a `dunes.jpg` and a `marble.jpg`; by default it is the folder of the demo's images.
@main struct TerminalGallery {
    static func main() async throws {
        let arguments = CommandLine.arguments.dropFirst()
        let folder = arguments.first { !$0.hasPrefix("--") }.map { URL(filePath: $0) } ?? demoImages
        var window = winsize()
        let isKnown = ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &window) == 0 && window.ws_col > 0 && window.ws_row > 0
        var terminal = Terminal(
            environment: ProcessInfo.processInfo.environment, isTerminal: isatty(STDOUT_FILENO) == 1,
            size: isKnown ? (columns: Int(window.ws_col), rows: Int(window.ws_row)) : (columns: 100, rows: 24),
            pixels: PixelSize(width: Int(window.ws_xpixel), height: Int(window.ws_ypixel)))
        if arguments.contains("--sixel") { terminal.graphics = .sixel }

        let terminalImage = TerminalImage(terminal, columns: 22, rows: 10, encoder: EncoderRegistry(.codecs))
        let loader = ImageLoader.standard { $0.dataCache = nil }
        for name in ["dunes.jpg", "marble.jpg"] {
            let file = folder.appending(path: name)
            var request = ImageRequest(url: file)
            request.options.targetSize = terminalImage.targetSize
            let loaded = try await loader.response(for: request)
            let cached = try await loader.response(for: request)
            show(
                [
                    ("placeholder", try BlurHash.decode(BlurHash.encode(loaded.image), size: loaded.image.size)),
                    ("preview", try preview(of: Data(contentsOf: file), size: terminalImage.targetSize)),
                    ("\(loaded.tier)", TierBadge(loaded.tier).drawn(on: loaded.image)),
                    ("\(cached.tier)", TierBadge(cached.tier).drawn(on: cached.image)),
                ], with: terminalImage)
        }
    }

    /// The folder of the demo's images, in the package that contains this example.
    private static var demoImages: URL {
        var root = URL(filePath: #filePath)
        for _ in 0..<5 { root.deleteLastPathComponent() }
        return root.appending(path: "Sources/Command/Demo/Images")
    }

    /// Decodes a preview of the first half of a file.
    private static func preview(of file: Data, size: PixelSize) throws -> DecodedImage? {
        var options = DecodeOptions()
        options.targetSize = size
        let decoder = try DecoderRegistry(.codecs).makeIncrementalDecoder(for: file.prefix(64), options: options)
        return try decoder?.preview(of: file.prefix(file.count / 2))
    }

    private static func show(_ images: [(title: String, image: DecodedImage?)], with terminalImage: TerminalImage) {
        let column = terminalImage.columns + 2
        let drawings = images.enumerated().compactMap { index, item in
            item.image.flatMap { try? terminalImage.draw($0) }.map { (drawing: $0, column: index * column) }
        }
        print(TerminalImage.row(drawings), terminator: "")
        print(images.map { $0.title.padding(toLength: column, withPad: " ", startingAt: 0) }.joined())
    }
}
