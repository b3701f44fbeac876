import CalotypeTesting
import ImageCore
import Testing

@testable import ImageLoading

/// FEATURES 6.6: a larger cached image stands in while the exact one is made.
@Suite(.timeLimit(.minutes(1))) struct LargerCachedImages {
    private let log = EventLog<String>()

    private func processor(_ name: String) -> RecordingProcessor { RecordingProcessor(name, log: log) { image, _ in image } }

    private func request(
        _ name: String = "x", width: Int? = nil, mode: ImageContentMode = .fit, _ processors: [String] = []
    ) -> ImageRequest {
        var request = ImageRequest(url: url(name))
        if let width { request.options.targetSize = PixelSize(width: width, height: width) }
        request.options.contentMode = mode
        request.options.processors = processors.map(processor)
        return request
    }

    /// The widths of the previews of a load, after others were loaded. Widths are those of the target size, or 4.
    private func previews(of wanted: ImageRequest, after others: [ImageRequest]) async throws -> [Int] {
        // Nothing on disk and the network held: the load is still running when its events are read.
        let bench = Bench { $0.options.storesToDisk = false }
        for other in others { _ = try await bench.loader.image(for: other) }
        bench.loader.isPaused = true
        let task = bench.loader.task(for: wanted)
        let events = task.events
        bench.loader.isPaused = false
        var widths: [Int] = []
        for await event in events {
            if case .preview(let image) = event {
                #expect(image.isPreview)
                widths.append(image.size.width)
            }
        }
        #expect(try await !task.response.image.isPreview)
        return widths
    }

    @Test func theSmallestLargerImageIsAPreview() async throws {
        let larger = [request(width: 30), request(width: 20), request(width: 40)]
        #expect(try await previews(of: request(width: 10), after: larger) == [20])
    }

    @Test func theFullImageStandsInForASmallerOne() async throws {
        #expect(try await previews(of: request(width: 2), after: [request()]) == [4])
    }

    @Test func aSmallerImageAndAnotherImageDoNot() async throws {
        #expect(try await previews(of: request(width: 10), after: [request(width: 9), request("y", width: 20)]) == [])
        #expect(try await previews(of: request(), after: [request(width: 2)]) == [])
    }

    /// An image that was decoded to a larger box may be smaller than the box, and still be large enough.
    @Test(arguments: [
        (ImageContentMode.fit, PixelSize(width: 20, height: 5), true), (.fit, PixelSize(width: 5, height: 20), true),
        (.fit, PixelSize(width: 9, height: 9), false), (.fill, PixelSize(width: 20, height: 5), false),
        (.fill, PixelSize(width: 20, height: 20), true), (.exact, PixelSize(width: 20, height: 5), false),
    ])
    func anImageStandsInIfItCoversTheBox(_ mode: ImageContentMode, _ size: PixelSize, _ covers: Bool) {
        var options = LoadOptions()
        (options.targetSize, options.contentMode) = (PixelSize(width: 10, height: 10), mode)
        var larger = options
        larger.targetSize = PixelSize(width: 20, height: 20)
        let other = MergedOptions(larger).variant
        #expect((MergedOptions(options).largerImageProcessors(other, size: size) != nil) == covers)
    }

    @Test func anImageWithFewerProcessorsStandsInAndOneWithOthersDoesNot() async throws {
        let (plain, one, two) = (request(width: 20), request(width: 30, ["a"]), request(width: 40, ["a", "b"]))
        #expect(try await previews(of: request(width: 10, ["a", "b"]), after: [plain]) == [20])
        // The one with more processors, though it is larger.
        #expect(try await previews(of: request(width: 10, ["a", "b"]), after: [plain, one]) == [30])
        // Intermediate images are not stored, so these leave only themselves.
        #expect(try await previews(of: request(width: 10, ["b"]), after: [one, two]) == [])
        #expect(try await previews(of: request(width: 10), after: [one]) == [])
    }

    @Test func anImageInAnotherModeOrOrientationDoesNot() async throws {
        #expect(try await previews(of: request(width: 10), after: [request(width: 20, mode: .fill)]) == [])
        var stored = request(width: 20)
        stored.options.appliesOrientation = false
        #expect(try await previews(of: request(width: 10), after: [stored]) == [])
    }

    @Test func theOptionTurnsItOff() async throws {
        var wanted = request(width: 10)
        wanted.options.showsLargerCachedImage = false
        #expect(try await previews(of: wanted, after: [request(width: 20)]) == [])
    }

    @Test func aLoadThatDoesNotReadTheMemoryCacheShowsNone() async throws {
        var wanted = request(width: 10)
        wanted.options.cachePolicy = .reload
        #expect(try await previews(of: wanted, after: [request(width: 20)]) == [])
    }
}
