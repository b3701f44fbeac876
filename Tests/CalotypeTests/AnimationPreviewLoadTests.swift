import Calotype
import CalotypeTesting
import Foundation
import HTTPTypes
import ProjectFiles
import Testing

/// The first frame of an animation is shown while the rest arrives (FEATURES 9.6).
@Suite(.timeLimit(.minutes(1))) struct AnimationPreviewLoads {
    @Test(arguments: ["gif/animated.gif", "png/animated.png", "webp/animated.webp", "avif/sequence.avif"])
    func theFirstFrameComesBeforeTheLastBytes(path: String) async throws {
        let file = try Data(contentsOf: ProjectFiles.fuzzSeeds.appending(path: path))
        let gate = Gate()
        let chunks = [file.dropLast(8), file.suffix(8)].map { Data($0) }
        let network = ScriptedLoader { _ in .response(HTTPResponse(status: .ok), chunks: chunks, gate: gate) }
        let loader = makeStandardLoader(disk: LoggedDataCache()) { $0.network = network }
        var request = ImageRequest(url: URL(string: "https://example.org/a")!)
        request.options.previews = .incremental
        let previews = EventLog<DecodedImage>()
        let task = loader.task(for: request) { event in
            if case .preview(let image) = event { previews.append(image) }
        }
        await gate.waitForArrivals(1)
        gate.letOneThrough()
        // The last bytes wait at the gate.
        await previews.wait(forCount: 1)
        gate.open()
        let image = try await task.response.image
        #expect(previews.count == 1 && !image.isPreview && image.animation != nil)
        let preview = previews.events[0]
        #expect(preview.size == image.size)
        for (x, y) in [(0, 0), (image.size.width - 1, 0), (image.size.width / 2, image.size.height / 2)] {
            #expect(TestImages.pixel(of: preview, x: x, y: y) == TestImages.pixel(of: image, x: x, y: y))
        }
    }
}
