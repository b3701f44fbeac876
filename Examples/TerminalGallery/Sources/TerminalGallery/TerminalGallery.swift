import Calotype
import Foundation

/// `TerminalGallery [FOLDER] [--sixel]`: what a terminal shows of a load, side by side: what stands in for a picture, a preview
/// of its first bytes, and the picture with the badge of the tier that had it. Where there is no terminal it says what it would
/// show. `FOLDER` has a `dunes.jpg` and a `marble.jpg`; by default they are those of the demo.
@main struct TerminalGallery {
    static func main() async throws {
        let arguments = CommandLine.arguments.dropFirst()
        let folder = arguments.first { !$0.hasPrefix("--") }.map { URL(filePath: $0) } ?? ownPictures
        var terminal = Terminal(
            environment: ProcessInfo.processInfo.environment, isTerminal: isatty(STDOUT_FILENO) == 1,
            size: (columns: 100, rows: 24))
        if arguments.contains("--sixel") { terminal.graphics = .sixel }

        let box = TerminalImage(terminal, columns: 22, rows: 10, encoder: EncoderRegistry(.codecs))
        let loader = ImageLoader.standard { $0.dataCache = nil }
        for name in ["dunes.jpg", "marble.jpg"] {
            let file = folder.appending(path: name)
            var request = ImageRequest(url: file)
            request.options.targetSize = box.targetSize
            let first = try await loader.response(for: request)
            let again = try await loader.response(for: request)
            show(
                [
                    ("placeholder", try BlurHash.decode(BlurHash.encode(first.image), size: first.image.size)),
                    ("preview", try preview(of: Data(contentsOf: file), size: box.targetSize)),
                    ("\(first.tier)", TierBadge(first.tier).drawn(on: first.image)),
                    ("\(again.tier)", TierBadge(again.tier).drawn(on: again.image)),
                ], in: box)
        }
    }

    /// Those of the demo, which lie in the package that this example belongs to.
    private static var ownPictures: URL {
        var root = URL(filePath: #filePath)
        for _ in 0..<5 { root.deleteLastPathComponent() }
        return root.appending(path: "Sources/C/Gallery/Pictures")
    }

    /// What the first part of a file shows.
    private static func preview(of file: Data, size: PixelSize) throws -> DecodedImage? {
        var options = DecodeOptions()
        options.targetSize = size
        let decoder = try DecoderRegistry(.codecs).makeIncrementalDecoder(for: file.prefix(64), options: options)
        try decoder?.append(file.prefix(file.count / 2))
        return try decoder?.preview()
    }

    private static func show(_ images: [(title: String, image: DecodedImage?)], in box: TerminalImage) {
        let column = box.columns + 2
        let drawings = images.enumerated().compactMap { index, item in
            item.image.flatMap { try? box.draw($0) }.map { (drawing: $0, column: index * column) }
        }
        print(TerminalImage.row(drawings), terminator: "")
        print(images.map { $0.title.padding(toLength: column, withPad: " ", startingAt: 0) }.joined())
    }
}
