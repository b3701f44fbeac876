import CalotypeTesting
import ImageCore
import ImageDecoding
import ImageLoading
import NetpbmCodec
import Testing

/// The codec in a loader.
@Suite(.timeLimit(.minutes(1)))
struct NetpbmLoading {
    let url = URL(string: "https://example.org/scan.pnm")!
    /// Eight columns, and eight rows whose levels are 10, 20 and so on.
    let file = netpbm("P5 8 8 255\n", (1...8).flatMap { Array(repeating: 10 * $0, count: 8) })

    @Test func aLoadIsScaledAndAnnouncesTheMediaType() async throws {
        let network = ScriptedLoader { [file] _ in .body(file) }
        let loader = ImageLoader(
            ImageLoader.Configuration(dataLoader: network, decoder: DecoderRegistry([NetpbmDecoder()])))
        let image = try await loader.image(for: ImageRequest(url: url, size: PixelSize(4)))
        #expect(image.size == PixelSize(4) && image.format == .netpbm && image.bitmap.format == .gray8)
        #expect(network.requests.first?.headerFields[.accept]?.hasPrefix("image/x-portable-anymap,") == true)
    }

    @Test func aPreviewShowsTheRowsBeforeTheRestArrives() async throws {
        // The first chunk has seven whole rows and a part of the eighth.
        let gate = Gate()
        let network = ScriptedLoader { [file] _ in
            .response(.init(status: .ok), chunks: [file.prefix(70), file.dropFirst(70)], gate: gate)
        }
        let loader = ImageLoader(ImageLoader.Configuration(dataLoader: network, decoder: NetpbmDecoder()))
        var request = ImageRequest(url: url)
        request.options.previews = .incremental
        let previews = EventLog<DecodedImage>()
        let task = loader.task(for: request) { if case .preview(let image) = $0 { previews.append(image) } }
        await gate.waitForArrivals(1)
        gate.letOneThrough()
        await previews.wait(forCount: 1)
        let preview = try #require(previews.events.first)
        #expect(TestImages.pixel(of: preview, x: 0, y: 6) == [70, 70, 70, 255])
        #expect(TestImages.pixel(of: preview, x: 0, y: 7) == [0, 0, 0, 0])
        gate.open()
        let image = try await task.response.image
        #expect(TestImages.pixel(of: image, x: 0, y: 7) == [80] && !image.isPreview && !image.isPartial)
    }

    @Test func aThumbnailIsStoredByTheEncoderAndReadAgain() async throws {
        let disk = LoggedDataCache()
        let network = ScriptedLoader { [file] _ in .body(file) }
        func makeLoader() -> ImageLoader {
            var configuration = ImageLoader.Configuration(dataLoader: network, decoder: NetpbmDecoder(), dataCache: disk)
            (configuration.encoder, configuration.processedFormat) = (NetpbmEncoder(), .netpbm)
            configuration.options.diskStorage = .processedImages
            return ImageLoader(configuration)
        }
        let request = ImageRequest(url: url, size: PixelSize(4))
        let first = makeLoader()
        let image = try await first.image(for: request)
        try await first.flush()
        let response = try await makeLoader().response(for: request)
        #expect(response.tier == .disk && levels(of: response.image) == levels(of: image))
        #expect(network.requests.count == 1)
    }
}
