import CalotypeTesting
import ImageCore

import Testing

@testable import ImageLoading

/// A loader's images have the target size, whatever its decoder returns.
@Suite(.timeLimit(.minutes(1))) struct TargetSizeTests {
    /// Returns every image in full: 64 × 48.
    private struct FullSizeDecoder: IncrementalDecoding {
        static let format = ImageFormat(rawValue: "full")
        static let size = PixelSize(width: 64, height: 48)

        var formats: [ImageFormat] { [Self.format] }
        func format(of head: Data) -> ImageFormat? { Self.format }
        func info(of data: Data, limits: DecodingLimits) throws -> ImageInfo { ImageInfo(format: Self.format, size: Self.size) }
        func decode(_ data: Data, options: DecodeOptions) throws -> DecodedImage { try Self.image() }
        func makeIncrementalDecoder(for head: Data, options: DecodeOptions) throws -> (any IncrementalDecoder)? { InPieces() }

        static func image() throws -> DecodedImage { try TestImages.solid(width: size.width, height: size.height, red: 9) }
    }

    private final class InPieces: IncrementalDecoder {
        func preview(of prefix: Data) throws -> DecodedImage? { try FullSizeDecoder.image() }
    }

    /// Wants only an eighth of the image on each side.
    private struct Eighth: FusingProcessing {
        var identifier: String { "eighth" }
        var reducesDecode: Bool { true }
        func process(_ image: DecodedImage, context: ProcessingContext) throws -> DecodedImage { image }
        func reducedDecode(of source: PixelSize) -> ReducedDecode? {
            ReducedDecode(
                targetSize: PixelSize(width: source.width / 8, height: source.height / 8), contentMode: .exact,
                processor: RecordingProcessor("rest", log: EventLog<String>()))
        }
    }

    private let loader = ImageLoader(
        ImageLoader.Configuration(
            dataLoader: ScriptedLoader { _ in .body(Data(repeating: 7, count: 200)) }, decoder: FullSizeDecoder()))

    private func request(_ mode: ImageContentMode = .fit) -> ImageRequest {
        var request = ImageRequest(url: url("x"), size: PixelSize(16))
        request.options.contentMode = mode
        return request
    }

    @Test(arguments: [(ImageContentMode.fit, 12), (.fill, 16), (.exact, 16)])
    func aDecoderThatReturnsEveryImageInFullNeedsNoRegistry(mode: ImageContentMode, height: Int) async throws {
        let image = try await loader.image(for: request(mode))
        #expect(image.size == PixelSize(width: 16, height: height))
        #expect(red(image) == 9)
    }

    @Test func aProcessorGetsTheReducedSizeThatItAsksFor() async throws {
        let image = try await loader.image(for: ImageRequest(url: url("x"), processors: [Eighth()]))
        #expect(image.size == PixelSize(width: 8, height: 6))
    }

    @Test func previewsHaveTheTargetSize() async throws {
        let gate = Gate()
        let network = ScriptedLoader { _ in
            .response(HTTPResponse(status: .ok), chunks: Array(repeating: Data(repeating: 7, count: 100), count: 2), gate: gate)
        }
        let loader = ImageLoader(ImageLoader.Configuration(dataLoader: network, decoder: FullSizeDecoder()))
        var request = request()
        request.options.previews = .incremental
        let sizes = EventLog<PixelSize>()
        let task = loader.task(for: request) { event in
            if case .preview(let image) = event { sizes.append(image.size) }
        }
        await gate.waitForArrivals(1)
        gate.letOneThrough()
        await sizes.wait(forCount: 1)
        gate.open()
        #expect(try await task.response.image.size == PixelSize(width: 16, height: 12))
        #expect(sizes.events.first == PixelSize(width: 16, height: 12))
    }
}
