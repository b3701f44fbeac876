import ImageCore
import Testing

/// `print` shows each of these values on one line, without credentials.
@Suite struct Descriptions {
    private static func image(
        _ format: PixelFormat = .rgba8, alpha: AlphaMode = .opaque, colorSpace: ColorSpace = .sRGB
    ) throws -> DecodedImage {
        let size = PixelSize(width: 64, height: 48)
        return DecodedImage(
            try unsafe Bitmap(size: size, format: format, alpha: alpha, colorSpace: colorSpace) { _, _ in })
    }

    /// An error of a plug-in that does not redact its URLs.
    private static let careless = ImageError(
        .httpStatus, message: "The server rejected https://user:secret@example.org/a?token=secret with 403",
        stage: .network, source: "https://user:secret@example.org/a?token=secret", status: 403,
        causes: ["https://secret@example.org/b failed"])

    @Test func aBitmapNamesItsSizeItsFormatAndWhatIsNotUsual() throws {
        let (plain, grey) = (try Self.image().bitmap, try Self.image(.gray16, alpha: .straight).bitmap)
        #expect("\(plain)" == "64x48 rgba8")
        #expect("\(grey)" == "64x48 gray16")
        let profiled = try Self.image(.rgba16, alpha: .premultiplied, colorSpace: .icc(Data([1]))).bitmap
        #expect("\(profiled)" == "64x48 rgba16 premultiplied, ICC profile")
    }

    @Test func anImageNamesItsFormatAndWhetherItIsAPreview() throws {
        var image = try Self.image()
        #expect("\(image)" == "64x48 rgba8")
        image.format = .jpeg
        #expect("\(image)" == "64x48 rgba8 (jpeg)")
        (image.isPartial, image.isPreview) = (true, true)
        #expect("\(image)" == "64x48 rgba8 (jpeg, partial, preview)")
    }

    @Test func aResponseNamesItsTierAndItsTime() throws {
        var response = ImageResponse(image: try Self.image(), tier: .network)
        #expect("\(response)" == "64x48 rgba8 from network")
        response.metrics.total = .milliseconds(31)
        #expect("\(response)" == "64x48 rgba8 from network in 31 ms")
    }

    @Test func metricsNameWhatIsNotZero() {
        var metrics = LoadMetrics()
        #expect("\(metrics)" == "total 0 ms")
        (metrics.total, metrics.network, metrics.decode) = (.milliseconds(1250), .milliseconds(900), .microseconds(8540))
        (metrics.byteCount, metrics.retries, metrics.isCoalesced) = (12_034, 1, true)
        #expect("\(metrics)" == "total 1.25 s, network 900 ms, decode 8.5 ms, 12034 bytes, 1 retry, coalesced")
        metrics.retries = 2
        #expect("\(metrics)".contains("2 retries"))
    }

    @Test func progressNamesItsBytes() {
        #expect("\(LoadProgress(received: 4096, expected: 12_034))" == "4096 of 12034 bytes")
        #expect("\(LoadProgress(received: 4096, expected: nil))" == "4096 bytes")
    }

    @Test func imageInfoNamesWhatIsNotUsual() {
        var info = ImageInfo(format: .jpeg, size: PixelSize(width: 64, height: 48))
        #expect("\(info)" == "64x48 jpeg, 8-bit rgb")
        (info.hasAlpha, info.frameCount, info.orientation, info.isProgressive) = (true, 12, .right, true)
        (info.croppedSize, info.colorProfile) = (PixelSize(width: 60, height: 40), "Display P3")
        let expected =
            "64x48 jpeg, 8-bit rgb, alpha, cropped to 60x40, 12 frames, orientation right, progressive, profile “Display P3”"
        #expect("\(info)" == expected)
        let loops = [0, 3].map { loopCount in
            info.loopCount = loopCount
            return "\(info)".contains(loopCount == 0 ? "12 frames, endless" : "12 frames, 3 loops")
        }
        #expect(loops == [true, true])
    }

    @Test func aRequestNamesItsSourceWithoutCredentials() throws {
        let url = try #require(URL(string: "https://user:secret@example.org/a?token=secret#secret"))
        #expect("\(ImageRequest(url: url))" == "https://example.org/a?token=...")
    }

    @Test func anEventNamesItsKindAndItsContent() throws {
        #expect("\(LoadEvent.progress(LoadProgress(received: 1, expected: 2)))" == "progress: 1 of 2 bytes")
        let image = try Self.image()
        #expect("\(LoadEvent.preview(image))" == "preview: 64x48 rgba8")
        let response = ImageResponse(image: image, tier: .disk)
        #expect("\(LoadEvent.finished(.success(response)))" == "finished: 64x48 rgba8 from disk")
        #expect("\(LoadEvent.finished(.failure(.cancelled)))" == "cancelled")
    }

    @Test func anObservationNamesItsStageAndItsTime() throws {
        let summary = LoadSummary(image: try Self.image(), tier: .memory)
        let observations: [(LoadObservation, String)] = [
            (.started, "started"), (.joined(LoadID(rawValue: 3)), "joined load #3"),
            (.waitBegan(.network), "network wait began"),
            (.waitEnded(.network, .milliseconds(2)), "network wait ended after 2 ms"),
            (.stageBegan(.decode), "decode began"), (.stageEnded(.decode, .microseconds(450)), "decode ended after 0.4 ms"),
            (.progress(LoadProgress(received: 7, expected: nil)), "progress: 7 bytes"),
            (.cacheLookup(.memory, isHit: false), "memory cache miss"), (.cacheLookup(.disk, isHit: true), "disk cache hit"),
            (.finished(.success(summary)), "finished: 64x48 rgba8 from memory"), (.finished(.failure(.cancelled)), "cancelled"),
            (.finished(.success(LoadSummary(tier: .network))), "finished: 0 bytes from network"),
        ]
        for (observation, expected) in observations { #expect("\(observation)" == expected) }
    }

    @Test func theDebugDescriptionOfAnErrorNamesItsCodeItsStageAndItsSource() {
        let error = ImageError(
            .timedOut, message: "Too slow.", stage: .network, source: "https://example.org/a", causes: ["Slow."])
        #expect(String(reflecting: error) == "timedOut in network for https://example.org/a: Too slow. (Slow.)")
        #expect(String(reflecting: ImageError(.corrupt, message: "Damaged.")) == "corrupt: Damaged.")
        #expect(String(reflecting: LoadFailure.failed(error)) == String(reflecting: error))
        #expect(String(reflecting: LoadFailure.cancelled) == "cancelled")
    }

    @Test func noDescriptionOfAFailureContainsCredentials() {
        let expected =
            "httpStatus 403 in network for https://example.org/a?token=...: The server rejected "
            + "https://example.org/a?token=... with 403 (https://example.org/b failed)"
        #expect(String(reflecting: Self.careless) == expected)
        #expect(String(reflecting: LoadFailure.failed(Self.careless)) == expected)
        #expect("\(LoadEvent.finished(.failure(.failed(Self.careless))))" == "failed: " + expected)
        #expect("\(LoadObservation.finished(.failure(.failed(Self.careless))))" == "failed: " + expected)
        #expect("\(LoadObservation.cacheFailed(Self.careless))" == "cache failed: " + expected)
    }
}
