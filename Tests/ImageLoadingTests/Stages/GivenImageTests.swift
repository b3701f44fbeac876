import CalotypeTesting
import Foundation
import HTTPTypes
import ImageCore
import ImageLoading
import Testing

/// Sources that are images, and not bytes (FEATURES 1.17).
@Suite(.timeLimit(.minutes(1))) struct GivenImages {
    private struct Own: Error, Equatable {}

    private struct TinyEncoder: Encoding {
        static let tiny = ImageFormat(rawValue: "tiny")
        var formats: [ImageFormat] { [Self.tiny] }
        func encode(_ image: DecodedImage, as format: ImageFormat, options: EncodeOptions) throws -> Data { Data([red(image)]) }
    }

    private struct TwoFrames: AnimationFrames {
        let durations = [Duration.seconds(1), .seconds(1)]
        let loopCount = 3
        let byteCount = 0
        func frame(at index: Int) async throws -> DecodedImage { try TestImages.solid(red: UInt8(index)) }
    }

    private static let size = PixelSize(width: 64, height: 48)

    private static func image(red: UInt8 = 5) throws -> DecodedImage {
        try TestImages.solid(width: size.width, height: size.height, red: red)
    }

    /// A source whose closure counts its calls and passes a gate.
    private static func producer(_ calls: EventLog<Void>, id: String = "p", gate: Gate = Gate(isOpen: true)) -> ImageSource {
        .imageProducer(id: id) {
            calls.append(())
            try await gate.pass()
            return try image()
        }
    }

    private static func request(_ source: ImageSource, side: Int? = nil) -> ImageRequest {
        var request = ImageRequest(source)
        request.options.targetSize = side.map { PixelSize($0) }
        return request
    }

    // MARK: The way through the stages

    @Test func theImageIsDeliveredWithoutDecoderAndDisk() async throws {
        let bench = Bench()
        let given = try Self.image()
        let request = ImageRequest(.image(given, id: "a"))
        let response = try await bench.loader.response(for: request)
        #expect(response.image.bitmap == given.bitmap && response.tier == .local && response.original == nil)
        #expect(try await bench.loader.response(for: request).tier == .memory)
        try await bench.loader.flush()
        #expect(bench.decoder.decodes.isEmpty && bench.disk.calls.isEmpty && bench.network.requests.isEmpty)
        try await bench.loader.cache.remove(request)
        #expect(bench.loader.cachedImage(for: request) == nil && bench.memory.keys.isEmpty)
        await bench.waitUntilIdle()
    }

    @Test(arguments: [(ImageContentMode.fit, 12), (.fill, 16), (.exact, 16)])
    func theImageIsScaledDownAsByADecode(mode: ImageContentMode, height: Int) async throws {
        let request = ImageRequest(image: try Self.image(), id: "a", size: PixelSize(16), contentMode: mode)
        let image = try await Bench().loader.image(for: request)
        #expect(image.size == PixelSize(width: 16, height: height) && red(image) == 5)
    }

    @Test(arguments: [ImageContentMode.fit, .fill]) func theImageIsNeverEnlarged(mode: ImageContentMode) async throws {
        let request = ImageRequest(image: try Self.image(), id: "a", size: PixelSize(width: 640, height: 480), contentMode: mode)
        #expect(try await Bench().loader.image(for: request).size == Self.size)
    }

    @Test func processorsRunOnTheScaledImageAndTheirResultIsCached() async throws {
        let (bench, log, calls) = (Bench(), EventLog<PixelSize>(), EventLog<Void>())
        let processor = RecordingProcessor("p") { image, _ in
            log.append(image.size)
            return image
        }
        var request = Self.request(Self.producer(calls), side: 16)
        request.options.processors = [processor]
        for _ in 0..<2 { #expect(try await bench.loader.image(for: request).size == PixelSize(width: 16, height: 12)) }
        #expect(log.events == [PixelSize(width: 16, height: 12)] && calls.count == 1)
        await bench.waitUntilIdle()
    }

    @Test func aProcessorThatNeedsLessThanTheImageGetsItWhole() async throws {
        struct Eighth: FusingProcessing {
            var identifier: String { "eighth" }
            var reducesDecode: Bool { true }
            func process(_ image: DecodedImage, context: ProcessingContext) throws -> DecodedImage {
                try TestImages.solid(width: image.size.width / 8, height: image.size.height / 8, red: 1)
            }
            func reducedDecode(of source: PixelSize) -> ReducedDecode? { nil }
        }
        let request = ImageRequest(image: try Self.image(), id: "a", processors: [Eighth()])
        #expect(try await Bench().loader.image(for: request).size == PixelSize(width: 8, height: 6))
    }

    // MARK: Sharing

    @Test func equalIDsShareOneCallWhateverTheirSizes() async throws {
        let (bench, calls, gate) = (Bench(), EventLog<Void>(), Gate())
        let sides: [Int?] = [nil, 16, 16, 32]
        let tasks = sides.map { bench.loader.task(for: Self.request(Self.producer(calls, gate: gate), side: $0)) }
        let info = Task { try await bench.loader.info(for: Self.request(Self.producer(calls, gate: gate))) }
        while bench.loader.activity.loads < 5 { await Task.yield() }
        await gate.waitForArrivals(1)
        // All jobs wait for the closure: three of images, one of information, and the source.
        while bench.loader.activity.work < 5 { await Task.yield() }
        gate.open()
        for (task, side) in zip(tasks, sides) { #expect(try await task.image.size.width == side ?? 64) }
        #expect(try await info.value.size == Self.size)
        #expect(calls.count == 1)
        await bench.waitUntilIdle()
    }

    @Test func otherIDsAndOtherKindsAreOtherImages() throws {
        let (image, calls) = (try Self.image(), EventLog<Void>())
        let sources: [ImageSource] = [
            .image(image, id: "a"), .image(image, id: "b"), Self.producer(calls, id: "a"), .bytes(Data(), id: "a"),
        ]
        #expect(Set(sources.map { ImageRequest($0).resource }).count == sources.count)
        #expect(ImageRequest(.image(try Self.image(red: 9), id: "a")) == ImageRequest(.image(image, id: "a")))
        #expect(sources.allSatisfy { $0.isLocal && $0.url == nil })
        #expect(sources[0].description.hasPrefix("image:a (64x48") && sources[2].description == "imageProducer:a")
    }

    // MARK: Failures

    @Test func cancellingEndsTheClosure() async throws {
        let (bench, calls, gate) = (Bench(), EventLog<Void>(), Gate())
        let task = bench.loader.task(for: Self.request(Self.producer(calls, gate: gate)))
        await gate.waitForArrivals(1)
        task.cancel()
        await #expect(throws: LoadFailure.cancelled) { try await task.image }
        await bench.waitUntilIdle()
        #expect(bench.memory.keys.isEmpty)
    }

    @Test(arguments: [Own() as any Error, CancellationError()])
    func whatTheClosureThrowsIsTheUnderlyingErrorAndLeadsToTheFallback(error: any Error) async throws {
        let bench = Bench()
        var request = ImageRequest(.imageProducer(id: "a") { throw error })
        let failure = await #expect(throws: LoadFailure.self) { try await bench.loader.image(for: request) }
        #expect(failure?.code == .plugInFailed && failure?.error?.stage == .network)
        #expect(type(of: failure?.error?.underlying ?? LoadFailure.cancelled) == type(of: error))
        request.fallbacks = [.image(try Self.image(red: 9), id: "other")]
        #expect(red(try await bench.loader.image(for: request)) == 9)
        await bench.waitUntilIdle()
    }

    @Test func anImageLargerThanTheLimitIsAnErrorAlsoWhereItIsScaled() async throws {
        var request = ImageRequest(image: try Self.image(), id: "a", size: PixelSize(16))
        request.options.maximumPixels = 64 * 48 - 1
        let failure = await #expect(throws: LoadFailure.self) { try await Bench().loader.image(for: request) }
        #expect(failure?.code == .tooLarge && failure?.error?.stage == .decode)
        request.options.maximumPixels = 64 * 48
        #expect(try await Bench().loader.image(for: request).size.width == 16)
    }

    // MARK: Options

    @Test(arguments: [nil, 16]) func depthAndAlphaFollowTheOptions(side: Int?) async throws {
        let bitmap = try unsafe Bitmap(size: Self.size, format: .rgba16, alpha: .straight) { pixels, _ in
            unsafe pixels.bindMemory(to: UInt16.self).update(repeating: 0x8080)
        }
        var request = ImageRequest(image: DecodedImage(bitmap), id: "a", size: side.map { PixelSize($0) })
        let plain = try await Bench().loader.image(for: request)
        #expect(plain.bitmap.format == .rgba8 && plain.bitmap.alpha == .premultiplied)
        #expect(TestImages.pixel(of: plain, x: 1, y: 1) == [64, 64, 64, 128])
        (request.options.alpha, request.options.convertsTo8Bit) = (.straight, false)
        let deep = try await Bench().loader.image(for: request)
        #expect(deep.bitmap.format == .rgba16 && deep.bitmap.alpha == .straight && deep.size.width == side ?? 64)
    }

    @Test func greyStaysGrey() async throws {
        let bitmap = try unsafe Bitmap(size: Self.size, format: .gray16, alpha: .opaque) { _, _ in }
        let image = try await Bench().loader.image(for: ImageRequest(image: DecodedImage(bitmap), id: "a", size: PixelSize(16)))
        #expect(image.bitmap.format == .gray8 && image.size.width == 16)
    }

    @Test func anAnimationStaysUnlessTheLoadWantsAStillImage() async throws {
        var given = try Self.image()
        given.animation = AnimatedImage(TwoFrames())
        var request = ImageRequest(image: given, id: "a", size: PixelSize(16))
        #expect(try await Bench().loader.image(for: request).animation == given.animation)
        let info = try await Bench().loader.info(for: request)
        #expect(info.frameCount == 2 && info.loopCount == 3)
        request.options.animates = false
        #expect(try await Bench().loader.image(for: request).animation == nil)
    }

    @Test func aPreviewOfAnotherLoadIsAnImageAndAPartialImageIsNotCached() async throws {
        let bench = Bench()
        var given = try Self.image()
        given.isPreview = true
        #expect(try await bench.loader.image(for: ImageRequest(.image(given, id: "a"))).isPreview == false)
        #expect(bench.loader.cachedImage(for: ImageRequest(.image(given, id: "a"))) != nil)
        given.isPartial = true
        #expect(try await bench.loader.image(for: ImageRequest(.image(given, id: "b"))).isPartial)
        #expect(bench.loader.cachedImage(for: ImageRequest(.image(given, id: "b"))) == nil)
    }

    // MARK: Other calls

    @Test func thereAreNoBytesAndNoCallForThem() async throws {
        let calls = EventLog<Void>()
        let bench = Bench(network: ScriptedLoader { _ in .response(HTTPResponse(status: .notFound), chunks: []) })
        let request = Self.request(Self.producer(calls))
        let failure = await #expect(throws: LoadFailure.self) { try await bench.loader.data(for: request) }
        #expect(failure?.code == .invalidRequest && failure?.error?.message.contains("has no bytes") == true)
        var other = ImageRequest(url: url("missing"))
        other.fallbacks = [request.source]
        let second = await #expect(throws: LoadFailure.self) { try await bench.loader.data(for: other) }
        #expect(second?.code == .invalidRequest && calls.count == 0)
        await bench.waitUntilIdle()
    }

    @Test func theInformationIsThatOfTheImage() async throws {
        let bench = Bench()
        var given = try Self.image()
        let plain = try await bench.loader.info(for: ImageRequest(.image(given, id: "a")))
        #expect(plain.format.rawValue == "bitmap" && plain.size == Self.size && plain.bitDepth == 8)
        given.format = .png
        given.bitmap = try unsafe Bitmap(size: Self.size, format: .rgba16, alpha: .premultiplied) { _, _ in }
        let deep = try await bench.loader.info(for: ImageRequest(.image(given, id: "a")))
        #expect(deep.format == .png && deep.bitDepth == 16 && deep.hasAlpha && deep.colorModel == .rgb)
        #expect(bench.memory.keys.isEmpty)
    }

    @Test func theImageIsEncoded() async throws {
        let bench = Bench { $0.encoder = TinyEncoder() }
        let request = ImageRequest(image: try Self.image(), id: "a", size: PixelSize(16))
        let encoded = try await bench.loader.encoded(for: request, as: TinyEncoder.tiny)
        #expect(encoded.data == Data([5]) && encoded.size == PixelSize(width: 16, height: 12) && encoded.tier == .local)
        #expect(bench.disk.calls.isEmpty)
    }

    @Test(arguments: [ImagePrefetcher.Destination.disk, .memory])
    func aPrefetchOntoDiskIsSkipped(destination: ImagePrefetcher.Destination) async throws {
        let (bench, calls) = (Bench(), EventLog<Void>())
        let prefetcher = ImagePrefetcher(loader: bench.loader, destination: destination)
        prefetcher.start([Self.request(Self.producer(calls))])
        while prefetcher.report.ended < 1 { await Task.yield() }
        #expect(prefetcher.report.skipped == (destination == .disk ? 1 : 0) && calls.count == (destination == .disk ? 0 : 1))
        #expect(bench.memory.keys.count == calls.count)
    }

    @Test func aSmallVersionIsShownFirst() async throws {
        let bench = Bench.held()
        var request = ImageRequest(url: url("x"))
        request.lowResolution = .image(try Self.image(red: 1), id: "small")
        let log = EventLog<UInt8>()
        let task = bench.loader.task(for: request) { event in
            if case .preview(let image) = event { log.append(red(image)) }
        }
        await log.wait(forCount: 1)
        bench.network.gate.open()
        #expect(red(try await task.image) == 7 && log.events == [1])
        await bench.waitUntilIdle()
    }
}
