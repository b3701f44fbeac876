import CGallery
import Calotype
import Foundation

/// The picture of the window for the guide: some cells with a placeholder whose picture never comes, some half-way through
/// their transition, and the badges of all three tiers.
@MainActor final class GuidePicture {
    /// A cell's part in it, by its position.
    private enum Part: Int {
        case fromMemory, fromDisk, fading, held, fromNetwork

        init(_ index: Int) { self = Part(rawValue: index * 3 % 5) ?? .fromNetwork }
    }

    private let file: String
    private var ticks = 0

    init(_ file: String) { self.file = file }

    /// What is shown at a position: its picture, or one that never comes.
    func source(of index: Int, _ url: URL) -> ImageSource {
        guard Part(index) == .held else { return .url(url) }
        return .producer(id: "held \(index)") {
            try await Task.sleep(for: .seconds(3_600))
            return Data()
        }
    }

    func fade(of index: Int) -> Duration { Part(index) == .fading ? .seconds(6) : .milliseconds(250) }

    /// Fills the caches as the badges shall say.
    func prepare(_ urls: [URL], _ loader: ImageLoader) async {
        for (part, destination) in [(Part.fromMemory, ImagePrefetcher.Destination.memory), (.fromDisk, .disk)] {
            let prefetcher = ImagePrefetcher(loader: loader, destination: destination)
            prefetcher.start(
                urls.indices.prefix(100).filter { Part($0) == part }.map { index in
                    var request = ImageRequest(url: urls[index])
                    // As the grid asks.
                    request.options.targetSize = PixelSize(width: 128, height: 128)
                    request.options.contentMode = .fill
                    return request
                })
            await prefetcher.waitUntilIdle()
        }
    }

    /// Called ten times a second once the grid has pictures: writes the file after two seconds, which is in the middle of the
    /// long transitions, and ends the program.
    func tick() {
        ticks += 1
        if ticks == 20 { gallery_write_and_quit(file) }
    }
}
