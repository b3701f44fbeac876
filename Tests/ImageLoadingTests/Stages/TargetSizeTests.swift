import CalotypeTesting
import ImageCore

import Testing

@testable import ImageLoading

/// A loader's images have the target size, whatever its decoder returns.
@Suite struct TargetSizeTests {
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
        func append(_ chunk: Data) {}
        func preview() throws -> DecodedImage? { try FullSizeDecoder.image() }
        func finish() throws -> DecodedImage { try FullSizeDecoder.image() }
    }

    /// Wants only an eighth of the image on each side.
    private struct Eighth: FusingProcessing {
        var identifier: String { "eighth" }
        var reducesDecode: Bool { true }
        func process(_ image: DecodedImage, context: ProcessingContext) throws -> DecodedImage { image }
        func reducedDecode(of source: PixelSize) -> ReducedDecode? {
            ReducedDecode(
                targetSize: PixelSize(width: source.width / 8, height: source.height / 8), contentMode: .exact,
                processor: RecordingProcessor("rest", log: RecordingProcessor.Log()))
        }
    }

    private let loader = ImageLoader(
        ImageLoader.Configuration(
            dataLoader: ScriptedLoader { _ in .body(Data(repeating: 7, count: 200)) }, decoder: FullSizeDecoder()))

    private func request(_ mode: ContentMode = .fit) -> ImageRequest {
        var request = ImageRequest(url: url("x"), size: PixelSize(16))
        request.options.contentMode = mode
        return request
    }

    @Test(arguments: [(ContentMode.fit, 12), (.fill, 16), (.exact, 16)])
    func aDecoderThatReturnsEveryImageInFullNeedsNoRegistry(mode: ContentMode, height: Int) async throws {
        let image = try await loader.image(for: request(mode))
        #expect(image.size == PixelSize(width: 16, height: height))
        #expect(red(image) == 9)
    }

    @Test func aProcessorGetsTheReducedSizeThatItAsksFor() async throws {
        let image = try await loader.image(for: ImageRequest(url: url("x"), processors: [Eighth()]))
        #expect(image.size == PixelSize(width: 8, height: 6))
    }

    @Test func anImageThatArrivesInPiecesHasTheTargetSize() async throws {
        var request = request()
        request.options.previews = .incremental
        #expect(try await loader.image(for: request).size == PixelSize(width: 16, height: 12))
    }

    @Test func previewsHaveTheTargetSize() throws {
        var options = DecodeOptions()
        options.targetSize = PixelSize(width: 16, height: 16)
        let decoder = TargetSizeDecoder(decoder: FullSizeDecoder())
        let incremental = try #require(try decoder.makeIncrementalDecoder(for: Data([7]), options: options))
        #expect(try incremental.preview()?.size == PixelSize(width: 16, height: 12))
        #expect(try incremental.finish().size == PixelSize(width: 16, height: 12))
    }
}
