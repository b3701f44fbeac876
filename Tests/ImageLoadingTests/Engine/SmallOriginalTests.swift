import CalotypeTesting
import Foundation
import ImageCore
import ImageLoading
import Testing

/// An image that was decoded whole serves every larger size, since nothing is enlarged.
@Suite(.timeLimit(.minutes(1))) struct SmallOriginals {
    /// Decodes images of 10 by 8 pixels, as a decoder does that scales down.
    private final class SmallDecoder: Decoding {
        let decodes = EventLog<PixelSize?>()
        private let full = PixelSize(width: 10, height: 8)

        var formats: [ImageFormat] { [ScriptedDecoder.format] }
        func format(of prefix: Data) -> ImageFormat? { ScriptedDecoder.format }
        func info(of data: Data, limits: DecodingLimits) -> ImageInfo { ImageInfo(format: ScriptedDecoder.format, size: full) }
        func decode(_ data: Data, options: DecodeOptions) throws -> DecodedImage {
            decodes.append(options.targetSize)
            let size = options.targetSize.map { ResizeGeometry(source: full, box: $0, mode: options.contentMode).output } ?? full
            return try TestImages.solid(width: size.width, height: size.height, red: data.first ?? 0)
        }
    }

    private let decoder = SmallDecoder()
    private let loader: ImageLoader

    init() {
        loader = ImageLoader(
            .init(dataLoader: ScriptedLoader { _ in .body(Data([7])) }, decoder: decoder, memoryCache: LoggedMemoryCache()))
    }

    private func request(_ width: Int, _ height: Int, _ mode: ImageContentMode = .fit) -> ImageRequest {
        ImageRequest(url: url("x"), size: PixelSize(width: width, height: height), contentMode: mode)
    }

    private func size(_ request: ImageRequest) async throws -> PixelSize { try await loader.image(for: request).size }

    @Test(arguments: [
        (ImageContentMode.fit, PixelSize(width: 10, height: 8)), (.fill, PixelSize(8)), (.exact, PixelSize(width: 10, height: 8)),
    ]) func aLargerSizeIsServedFromMemory(mode: ImageContentMode, result: PixelSize) async throws {
        #expect(try await size(request(20, 20, mode)) == result)
        #expect(try await loader.response(for: request(40, 40, mode)).tier == .memory)
        #expect(loader.cachedImage(for: request(30, 30, mode))?.size == result)
        #expect(try await loader.task(for: request(50, 50, mode)).response.tier == .memory)
        #expect(decoder.decodes.count == 1)
    }

    @Test func theWholeImageServesEverySizeThatIsNoSmaller() async throws {
        _ = try await loader.image(for: url("x"))
        for request in [request(10, 8), request(10, 100), request(30, 24, .fill), request(11, 9, .exact)] {
            #expect(try await size(request) == PixelSize(width: 10, height: 8))
        }
        #expect(decoder.decodes.count == 1)
    }

    @Test func theProcessorsOfALargerSizeStartFromTheImageInMemory() async throws {
        _ = try await size(request(20, 20))
        var processed = request(40, 40)
        processed.options.processors = [RecordingProcessor("p")]
        _ = try await size(processed)
        #expect(decoder.decodes.count == 1)
    }

    @Test func aSizeThatNeedsAnotherDecodeGetsIt() async throws {
        _ = try await size(request(20, 20))
        // Smaller, or with other proportions, or otherwise decoded.
        #expect(try await size(request(5, 5)) == PixelSize(width: 5, height: 4))
        #expect(try await size(request(40, 30, .fill)) == PixelSize(width: 10, height: 8))
        var partial = request(40, 40)
        partial.options.allowsPartial = true
        _ = try await size(partial)
        var reload = request(60, 60)
        reload.options.cachePolicy = .reload
        _ = try await size(reload)
        #expect(decoder.decodes.count == 5)
        // A side that equals that of the box may have been scaled.
        #expect(try await size(request(5, 50)) == PixelSize(width: 5, height: 4))
        _ = try await size(request(5, 6))
        #expect(decoder.decodes.count == 7)
    }
}
