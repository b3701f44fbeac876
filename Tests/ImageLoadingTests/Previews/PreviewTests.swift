import CalotypeTesting
import HTTPTypes
import ImageCore
import ImageNetworking
import Testing

@testable import ImageLoading

@Suite(.timeLimit(.minutes(1))) struct Previews {
    @Test func previewsComeBeforeTheImageThroughTheSameProcessors() async throws {
        let bench = PreviewBench(chunks: 3)
        let log = EventLog<String>()
        let add = RecordingProcessor("add", log: log) { image, _ in try TestImages.solid(red: red(image) + 100) }
        let task = bench.start(processors: [add])
        for count in 1...3 {
            await bench.letChunkThrough()
            if count < 3 { await bench.shown.wait(forCount: count) }
        }
        #expect(red(try await task.response.image) == 103)
        await bench.ended.wait(forCount: 1)
        #expect(bench.shown.events.prefix(2) == [101, 102])
        #expect(try await !task.response.image.isPreview)
    }

    @Test func damagedBytesOnDiskThatAreFetchedAgainHavePreviews() async throws {
        let bench = PreviewBench(chunks: 3)
        let key = DataKey(resource: bench.request().resource)
        try await bench.disk.store(DataEntry(data: Data([0xFF]), storedAt: 0), for: key)
        let add = RecordingProcessor("add", log: EventLog()) { image, _ in try TestImages.solid(red: red(image) + 100) }
        for processors in [[], [add]] as [[any Processing]] {
            let shown = bench.shown.count
            let task = bench.start(processors: processors)
            for count in 1...3 {
                await bench.letChunkThrough()
                if count < 3 { await bench.shown.wait(forCount: shown + count) }
            }
            _ = try await task.response
            try await bench.loader.flush()
            bench.memory.removeAll()
            try await bench.disk.store(DataEntry(data: Data([0xFF]), storedAt: 0), for: key)
        }
        #expect(bench.shown.events == [1, 2, 101, 102])
    }

    @Test func previewsProgressAndThePriorityPassInterceptors() async throws {
        struct Around: LoadInterceptor {
            func intercept(_ request: ImageRequest, size: PixelSize?, next: @escaping Next) async throws -> ImageResponse {
                try await next(request)
            }
        }
        let bench = PreviewBench(chunks: 3) { $0.options.loadInterceptors = [Around()] }
        let task = bench.start()
        await bench.letChunkThrough()
        await bench.shown.wait(forCount: 1)
        #expect(bench.shown.events == [1] && task.progress?.received == PreviewBench.chunk)
        task.priority = .veryHigh
        #expect(bench.loader.coordinator.runningTasks.map(\.priority) == [.veryHigh, .veryHigh])
        for _ in 0..<2 { await bench.letChunkThrough() }
        #expect(red(try await task.response.image) == 3)
        await bench.ended.wait(forCount: 1)
        #expect(bench.progress.events.last == 3 * PreviewBench.chunk)
    }

    @Test func aPreviewIsShownAtMostOnceInAnInterval() async throws {
        let clock = ManualClock()
        let bench = PreviewBench(chunks: 4) { $0.clock = clock }
        let task = bench.start()
        await bench.letChunkThrough()
        await bench.shown.wait(forCount: 1)
        // Given two more chunks within the interval, then they are shown together when it is over.
        await bench.letChunkThrough()
        await clock.waitForSleeps(1)
        await bench.letChunkThrough()
        await bench.progress.wait { $0.last == 3 * PreviewBench.chunk }
        #expect(bench.shown.events == [1])
        clock.advance(by: .milliseconds(500))
        await bench.shown.wait(forCount: 2)
        #expect(bench.shown.events == [1, 3])
        await bench.letChunkThrough()
        #expect(red(try await task.response.image) == 4)
    }

    @Test func onePreviewIsMadeAtATimeAndTheLatestChunkWins() async throws {
        let held = Held()
        let bench = PreviewBench(chunks: 5, held: held) { $0.previewInterval = .zero }
        let task = bench.start()
        await bench.letChunkThrough()
        await held.began.wait(forCount: 1)
        // Three chunks come while the first preview is being made.
        for count in 2...4 {
            await bench.letChunkThrough()
            await bench.progress.wait(until: { $0.last == count * PreviewBench.chunk })
        }
        held.letThrough()
        await bench.shown.wait(forCount: 2)
        #expect(bench.shown.events == [1, 4])
        await bench.letChunkThrough()
        _ = try await task.response
    }

    @Test func theImageIsNeverHeldUpByAPreview() async throws {
        let held = Held()
        let bench = PreviewBench(chunks: 2, held: held)
        let task = bench.start()
        await bench.letChunkThrough()
        await held.began.wait(forCount: 1)
        await bench.letChunkThrough()
        // The preview is still being made, and the image is there, decoded from its bytes.
        #expect(red(try await task.response.image) == 2)
        #expect(bench.decoder.log.events.contains("whole"))
        held.letThrough()
        await bench.waitUntilIdle()
        #expect(bench.shown.events.isEmpty)
    }

    @Test func aFailingImageEndsThePreviewThatWaits() async throws {
        let clock = ManualClock()
        let bench = PreviewBench(chunks: 3, fails: true) { $0.clock = clock }
        let task = bench.start()
        await bench.letChunkThrough()
        await bench.shown.wait(forCount: 1)
        await bench.letChunkThrough()
        await clock.waitForSleeps(1)
        await bench.letChunkThrough()
        await #expect(throws: LoadFailure.self) { try await task.response }
        clock.advance(by: .seconds(1))
        await bench.waitUntilIdle()
        #expect(bench.shown.events == [1])
        #expect(bench.memory.keys.isEmpty)
    }

    @Test func nothingIsShownUnlessTheRequestAsks() async throws {
        let bench = PreviewBench(chunks: 2)
        let task = bench.start(previews: .none)
        await bench.letChunkThrough()
        await bench.progress.wait(forCount: 1)
        await bench.letChunkThrough()
        _ = try await task.response
        #expect(bench.shown.events.isEmpty)
        #expect(bench.decoder.log.events == ["whole"])
    }

    @Test func theEmbeddedThumbnailIsShownOnce() async throws {
        let bench = PreviewBench(chunks: 3) { $0.previewInterval = .zero }
        let task = bench.start(previews: .embeddedThumbnail)
        for _ in 0..<2 { await bench.letChunkThrough() }
        await bench.shown.wait(forCount: 1)
        await bench.letChunkThrough()
        #expect(red(try await task.response.image) == 3)
        await bench.ended.wait(forCount: 1)
        #expect(bench.shown.events == [200])
        #expect(!bench.decoder.log.events.contains("preview"))
    }

    @Test func aLookThatShowsNothingDelaysNoPreview() async throws {
        let clock = ManualClock()
        let bench = PreviewBench(chunks: 3) { $0.clock = clock }
        let task = bench.start(previews: .embeddedThumbnail)
        await bench.letChunkThrough()
        await bench.decoder.log.wait { $0.contains("no thumbnail") }
        await bench.letChunkThrough()
        // The clock stands still, so that no interval ends.
        await bench.shown.wait(forCount: 1)
        await bench.letChunkThrough()
        _ = try await task.response
        #expect(bench.shown.events == [200])
    }

    @Test func theThumbnailIsNotShownThroughWhatIsPlacedInPixels() async throws {
        struct Cut: Processing {
            let identifier = "cut"
            var usesPixelCoordinates: Bool { true }
            func process(_ image: DecodedImage, context: ProcessingContext) throws -> DecodedImage { image }
        }
        let bench = PreviewBench(chunks: 3) { $0.previewInterval = .zero }
        let task = bench.start(previews: .embeddedThumbnail, processors: [Cut()])
        for _ in 0..<2 { await bench.letChunkThrough() }
        await bench.decoder.log.wait { $0.contains("thumbnail") }
        await bench.letChunkThrough()
        #expect(red(try await task.response.image) == 3)
        await bench.ended.wait(forCount: 1)
        #expect(bench.shown.events.isEmpty)
    }

    @Test func previewsGiveWayToADecodeThatNeedsTheirMemory() async throws {
        // An image of 4 by 4 pixels takes 64 bytes: there is room for one.
        let bench = PreviewBench(chunks: 3) {
            $0.previewInterval = .zero
            $0.limits.concurrentDecodeBytes = 100
        }
        let task = bench.start()
        await bench.letChunkThrough()
        await bench.shown.wait(forCount: 1)
        let other = ImageSource.bytes(Data(repeating: 1, count: 5 * PreviewBench.chunk), id: "other")
        #expect(red(try await bench.loader.image(for: ImageRequest(other))) == 5)
        for _ in 0..<2 { await bench.letChunkThrough() }
        #expect(red(try await task.response.image) == 3)
        await bench.ended.wait(forCount: 1)
        #expect(bench.shown.events == [1])
        #expect(bench.decoder.log.events.filter { $0 == "whole" } == ["whole", "whole"])
    }

    @Test func aPreviewInTheMemoryCacheIsShownWhileTheLoadContinues() async throws {
        let bench = PreviewBench(chunks: 2)
        // Given a load that was given up after its first preview.
        let first = bench.start()
        await bench.letChunkThrough()
        await bench.shown.wait(forCount: 1)
        first.cancel()
        await bench.waitUntilIdle()
        #expect(bench.memory.keys.count == 1)
        // Then it is no hit, the next load shows it, and gets the image.
        #expect(bench.loader.cachedImage(for: bench.request()) == nil)
        let second = bench.start()
        await bench.shown.wait(forCount: 2)
        #expect(bench.shown.events == [1, 1])
        bench.gate.open()
        let response = try await second.response
        #expect(red(response.image) == 2 && response.tier == .network && !response.image.isPreview)
        #expect(bench.loader.cachedImage(for: bench.request())?.isPreview == false)
    }

    /// The load that wanted to keep the image has been given up.
    @Test func aPreviewIsStoredWithNormalPriority() async throws {
        let memory = PriorityLog()
        let bench = PreviewBench(chunks: 2) {
            $0.memoryCache = memory
            $0.options.cachePriority = .high
        }
        let task = bench.start()
        await bench.letChunkThrough()
        await bench.shown.wait(forCount: 1)
        task.cancel()
        await bench.waitUntilIdle()
        #expect(memory.priorities.events == [.normal])
    }

    @Test func previewsNeverReachTheDisk() async throws {
        let bench = PreviewBench(chunks: 2)
        let task = bench.start()
        await bench.letChunkThrough()
        await bench.shown.wait(forCount: 1)
        #expect(bench.disk.keys.isEmpty && bench.memory.keys.isEmpty)
        await bench.letChunkThrough()
        _ = try await task.response
        try await bench.loader.flush()
        #expect(bench.disk.calls.count { if case .store = $0 { true } else { false } } == 1)
        #expect(try await bench.disk.entry(for: bench.disk.keys.first!)?.data.count == 2 * PreviewBench.chunk)
    }

    @Test func lateSubscribersReceiveTheCurrentPreview() async throws {
        let bench = PreviewBench(chunks: 2)
        let first = bench.start()
        await bench.letChunkThrough()
        await bench.shown.wait(forCount: 1)
        let second = bench.start()
        await bench.shown.wait(forCount: 2)
        #expect(bench.shown.events == [1, 1])
        bench.gate.open()
        _ = try await (first.response, second.response)
        await bench.ended.wait(forCount: 2)
    }

    /// A load that shares the fetch, or a part of the processing, of one that runs already (GAPS E6).
    @Test(arguments: [PreviewPolicy.none, .incremental], [0, 1, 2])
    func aLateLoadShowsWhatHasArrived(_ first: PreviewPolicy, processors: Int) async throws {
        let bench = PreviewBench(chunks: 3)
        let list = (0..<2).map { number in
            RecordingProcessor("add\(number)", log: EventLog()) { image, _ in try TestImages.solid(red: red(image) + 50) }
        }
        let early = bench.start(previews: first, processors: Array(list.prefix(1)))
        await bench.letChunkThrough()
        if first == .none { await bench.progress.wait(forCount: 1) } else { await bench.shown.wait(forCount: 1) }
        let shown = bench.shown.count
        // Given no further byte, then the late load has a preview.
        let late = bench.start(processors: Array(list.prefix(processors)))
        let expected = UInt8(1 + 50 * processors)
        await bench.shown.wait { $0.dropFirst(shown).contains(expected) }
        #expect(bench.network.requests.count == 1)
        bench.gate.open()
        #expect(red(try await late.response.image) == UInt8(3 + 50 * processors))
        #expect(red(try await early.response.image) == 53)
        await bench.ended.wait(forCount: 2)
    }

    @Test func aLateLoadAtAnotherSizeShowsWhatHasArrived() async throws {
        let bench = PreviewBench(chunks: 3)
        let early = bench.start()
        await bench.letChunkThrough()
        await bench.shown.wait(forCount: 1)
        var small = bench.request()
        small.options.targetSize = PixelSize(width: 2, height: 2)
        let previews = EventLog<PixelSize>()
        let late = bench.loader.task(for: small) { if case .preview(let image) = $0 { previews.append(image.size) } }
        await previews.wait(forCount: 1)
        bench.gate.open()
        _ = try await (early.response, late.response)
    }

    /// A body that is resumed begins with the bytes of the last attempt.
    @Test func aResumedLoadShowsItsFirstBytesAtOnce() async throws {
        let gate = Gate()
        let chunk = Data(repeating: 1, count: PreviewBench.chunk)
        let network = ScriptedLoader { request in
            let isRest = request.headerFields[.range] != nil
            var fields: HTTPFields = [.eTag: "\"v\"", .acceptRanges: "bytes", .contentLength: isRest ? "64" : "192"]
            fields[.contentRange] = isRest ? "bytes 128-191/192" : nil
            return .response(
                HTTPResponse(status: isRest ? .partialContent : .ok, headerFields: fields),
                chunks: Array(repeating: chunk, count: isRest ? 1 : 3), gate: gate)
        }
        let store = PartialBodyStore()
        let loader = ImageLoader(
            ImageLoader.Configuration(
                dataLoader: ResumingLoader(network, store: store, minimumBytes: 1),
                decoder: PieceDecoder(held: nil, fails: false)))
        var request = ImageRequest(url: url("x"))
        request.options.previews = .incremental
        let received = EventLog<Int>()
        let first = loader.task(for: request) { if case .progress(let value) = $0 { received.append(value.received) } }
        for count in 1...2 {
            while gate.held == 0 { await Task.yield() }
            gate.letOneThrough()
            await received.wait(forCount: count)
        }
        first.cancel()
        while store.byteCount == 0 { await Task.yield() }
        let shown = EventLog<UInt8>()
        let task = loader.task(for: request) { if case .preview(let image) = $0 { shown.append(red(image)) } }
        await shown.wait(forCount: 1)
        #expect(shown.events == [2])
        gate.open()
        #expect(red(try await task.response.image) == 3)
    }

    @Test func aStreamThatIsOpenedLateBeginsWithTheCurrentPreview() async throws {
        let bench = PreviewBench(chunks: 2)
        let task = bench.loader.task(for: bench.request())
        let early = EventLog<Void>()
        let watching = Task { for await event in task.events { if case .preview = event { early.append(()) } } }
        await bench.letChunkThrough()
        await early.wait(forCount: 1)
        var shown: [UInt8] = []
        for await event in task.events {
            guard case .preview(let image) = event else { continue }
            shown.append(red(image))
            bench.gate.open()
        }
        #expect(shown.first == 1)
        await watching.value
    }
}

/// A loader whose images come in chunks, one for each time the gate lets one through; an image's red is the number of
/// chunks that it was made of.
private struct PreviewBench {
    static let chunk = 64

    let gate = Gate()
    let decoder: PieceDecoder
    let memory = LoggedMemoryCache()
    let disk = LoggedDataCache()
    let network: ScriptedLoader
    let loader: ImageLoader
    /// Reds of the previews of all loads.
    let shown = EventLog<UInt8>()
    let progress = EventLog<Int>()
    let ended = EventLog<Void>()

    init(
        chunks: Int, held: Held? = nil, fails: Bool = false, _ adjust: (inout ImageLoader.Configuration) -> Void = { _ in }
    ) {
        decoder = PieceDecoder(held: held, fails: fails)
        network = ScriptedLoader { [gate] _ in
            .response(
                HTTPResponse(status: .ok), chunks: Array(repeating: Data(repeating: 1, count: Self.chunk), count: chunks),
                gate: gate)
        }
        var configuration = ImageLoader.Configuration(
            dataLoader: network, decoder: decoder, memoryCache: memory, dataCache: disk)
        adjust(&configuration)
        loader = ImageLoader(configuration)
    }

    func request(_ previews: PreviewPolicy = .incremental, processors: [any Processing] = []) -> ImageRequest {
        var request = ImageRequest(url: url("x"))
        request.options.previews = previews
        if !processors.isEmpty { request.options.processors = processors }
        return request
    }

    func start(previews: PreviewPolicy = .incremental, processors: [any Processing] = []) -> ImageTask {
        let load = loader.task(for: request(previews, processors: processors)) { [shown, progress, ended] event in
            switch event {
            case .progress(let value): progress.append(value.received)
            case .preview(let image):
                #expect(image.isPreview)
                shown.append(red(image))
            case .finished: ended.append(())
            }
        }
        return load
    }

    func letChunkThrough() async {
        while gate.held == 0 { await Task.yield() }
        gate.letOneThrough()
    }

    func waitUntilIdle() async {
        while loader.activity != ImageLoader.Activity() { await Task.yield() }
    }
}

/// Holds the first preview until it is let through.
private final class Held: Sendable {
    let began = EventLog<Void>()
    private let isOpen = Lock(false)

    func letThrough() { isOpen.withLock { $0 = true } }

    func hold() {
        began.append(())
        while !isOpen.withLock({ $0 }) {}
    }
}

private final class PieceDecoder: IncrementalDecoding {
    let log = EventLog<String>()
    private let held: Held?
    private let fails: Bool

    init(held: Held?, fails: Bool) { (self.held, self.fails) = (held, fails) }

    var formats: [ImageFormat] { [ScriptedDecoder.format] }
    func format(of head: Data) -> ImageFormat? { ScriptedDecoder.format }
    func info(of data: Data, limits: DecodingLimits) throws -> ImageInfo {
        ImageInfo(format: ScriptedDecoder.format, size: PixelSize(width: 4, height: 4))
    }

    func decode(_ data: Data, options: DecodeOptions) throws -> DecodedImage {
        log.append("whole")
        return try image(data.count)
    }

    func makeIncrementalDecoder(for head: Data, options: DecodeOptions) -> (any IncrementalDecoder)? { Pieces(self) }

    func embeddedThumbnail(in head: Data, options: DecodeOptions) throws -> DecodedImage? {
        guard head.count >= 2 * PreviewBench.chunk else {
            log.append("no thumbnail")
            return nil
        }
        log.append("thumbnail")
        return try TestImages.solid(red: 200)
    }

    private func image(_ count: Int) throws -> DecodedImage {
        if fails || count < PreviewBench.chunk { throw ImageError(.corrupt, message: "The scripted image is damaged.") }
        return try TestImages.solid(red: UInt8(count / PreviewBench.chunk))
    }

    private final class Pieces: IncrementalDecoder {
        private let decoder: PieceDecoder
        init(_ decoder: PieceDecoder) { self.decoder = decoder }

        func preview(of prefix: Data) throws -> DecodedImage? {
            decoder.log.append("preview")
            decoder.held?.hold()
            return try TestImages.solid(red: UInt8(prefix.count / PreviewBench.chunk))
        }
    }
}
