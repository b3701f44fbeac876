import CGallery
import Calotype
import Foundation

/// A screenshot of the window for the guide. It shows placeholders of images that never load, images that fade in, and the badges of
/// all three cache tiers.
@MainActor final class GuideScreenshot {
    /// What a cell shows, chosen by its position.
    private enum CellState: Int {
        case fromMemory, fromDisk, fading, loading, fromNetwork

        init(_ index: Int) { self = CellState(rawValue: index * 3 % 5) ?? .fromNetwork }
    }

    private let file: String
    private var ticks = 0

    init(_ file: String) { self.file = file }

    /// The source of the image at a position: its URL, or a producer that never ends.
    func source(of index: Int, _ url: URL) -> ImageSource {
        guard CellState(index) == .loading else { return .url(url) }
        return .producer(id: "loading \(index)") {
            try await Task.sleep(for: .seconds(3_600))
            return Data()
        }
    }

    /// The duration of the transition at a position.
    func fade(of index: Int) -> Duration { CellState(index) == .fading ? .seconds(6) : .milliseconds(250) }

    /// Loads images into the caches from which they come in the screenshot.
    func fillCaches(_ urls: [URL], _ loader: ImageLoader) async {
        for (state, destination) in [(CellState.fromMemory, ImagePrefetcher.Destination.memory), (.fromDisk, .disk)] {
            let prefetcher = ImagePrefetcher(loader: loader, destination: destination)
            prefetcher.start(
                urls.indices.prefix(100).filter { CellState($0) == state }.map { index in
                    var request = ImageRequest(url: urls[index])
                    // The grid makes the same request.
                    request.options.targetSize = PixelSize(width: 128, height: 128)
                    request.options.contentMode = .fill
                    return request
                })
            await prefetcher.waitUntilIdle()
        }
    }

    /// Counts tenths of a second from the time at which the grid has images. After two seconds, in the middle of the long transitions,
    /// it writes the file and ends the program.
    func tick() {
        ticks += 1
        if ticks == 20 { gallery_write_and_quit(file) }
    }
}
