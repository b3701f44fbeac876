import CalotypeTesting
import Foundation
import HTTPTypes
import ImageCore
import ImageLoading
import Testing

@Suite(.timeLimit(.minutes(1))) struct Sources {
    /// Answers by the last part of the path: `bad` is missing, `damaged` is no image, a number is an image of that red.
    private static func network(gate: Gate = Gate(isOpen: true)) -> ScriptedLoader {
        ScriptedLoader(gate: gate) { request in
            switch request.url.lastPathComponent {
            case "bad": .response(HTTPResponse(status: .notFound), chunks: [])
            case "damaged": .body(Data([0xFF]))
            case let name: .body(Data([UInt8(name) ?? 0]))
            }
        }
    }

    private static func request(_ names: String..., low: String? = nil) -> ImageRequest {
        var request = ImageRequest(url: url(names[0]))
        request.fallbacks = names.dropFirst().map { .url(url($0)) }
        request.lowResolution = low.map { .url(url($0)) }
        return request
    }

    // MARK: Closures

    @Test("A cancelled closure that does not notice it keeps no place from others", .timeLimit(.minutes(1)))
    func aCancelledClosureKeepsNoPlace() async throws {
        let bench = Bench { $0.limits.localReads = 1 }
        let (began, end) = (EventLog<Void>(), EventLog<Void>())
        for index in 0..<3 {
            let task = bench.loader.task(
                for: ImageRequest(
                    .producer(id: "held\(index)") {
                        began.append(())
                        await end.wait(forCount: 1)
                        return Data([1])
                    }))
            await began.wait(forCount: index + 1)
            task.cancel()
        }
        #expect(red(try await bench.loader.image(for: ImageRequest(.producer(id: "other") { Data([9]) }))) == 9)
        #expect(bench.loader.activity.running <= 3)
        end.append(())
        await bench.waitUntilIdle()
    }

    // MARK: Fallbacks

    @Test func fallbackSourcesAreTriedInOrderUntilOneSucceeds() async throws {
        let bench = Bench(network: Self.network())
        let response = try await bench.loader.response(for: Self.request("bad", "damaged", "3", "4"))
        #expect(red(response.image) == 3)
        #expect(bench.network.requests.map(\.url.lastPathComponent) == ["bad", "damaged", "3"])
        // The image is cached under the name of the source that gave it, and under no other.
        #expect(bench.memory.keys.map(\.resource) == [ImageRequest(url: url("3")).resource])
        try await bench.loader.flush()
        #expect(bench.disk.keys.map(\.resource) == [ImageRequest(url: url("3")).resource])
        await bench.waitUntilIdle()
    }

    @Test func whenAllSourcesFailTheErrorIsTheLastOnesAndNamesTheOthers() async throws {
        let bench = Bench(network: Self.network())
        let failure = await #expect(throws: LoadFailure.self) {
            try await bench.loader.image(for: Self.request("bad", "damaged"))
        }
        #expect(failure?.error?.code == .corrupt)
        #expect(failure?.error?.causes.count == 1)
        #expect(failure?.error?.causes.first?.contains("404") == true)
        await bench.waitUntilIdle()
    }

    @Test func aCancelledLoadTriesNoFallback() async throws {
        let bench = Bench(network: Self.network(gate: Gate()))
        let task = bench.loader.task(for: Self.request("bad", "3"))
        await bench.network.gate.waitForArrivals(1)
        task.cancel()
        await #expect(throws: LoadFailure.cancelled) { try await task.response }
        bench.network.gate.open()
        await bench.waitUntilIdle()
        #expect(bench.network.requests.count == 1)
    }

    @Test func cancellingDuringAFallbackCancelsIt() async throws {
        let gate = Gate()
        let bench = Bench(network: Self.network(gate: gate))
        let task = bench.loader.task(for: Self.request("bad", "3"))
        await gate.waitForArrivals(1)
        gate.letOneThrough()
        await gate.waitForArrivals(2)
        task.cancel()
        await #expect(throws: LoadFailure.cancelled) { try await task.response }
        await bench.waitUntilIdle()
        #expect(bench.network.cancelled == 1)
    }

    @Test func aFailedProcessorTriesNoFallback() async throws {
        let bench = Bench(network: Self.network())
        let bad = RecordingProcessor("bad", log: EventLog<String>()) { _, _ in
            throw ImageError(.invalidRequest, message: "No.")
        }
        var request = Self.request("3", "4")
        request.options.processors = [bad]
        await #expect(throws: LoadFailure.self) { try await bench.loader.image(for: request) }
        #expect(bench.network.requests.count == 1)
    }

    // MARK: Low resolution first

    @Test func theSmallVersionIsShownFirstThenTheImage() async throws {
        let gate = Gate()
        let bench = Bench(network: Self.network(gate: gate))
        let log = EventLog<String>()
        let load = bench.loader.task(for: Self.request("9", low: "1")) { event in
            switch event {
            case .preview(let image): log.append("preview \(red(image)) \(image.isPreview)")
            case .finished(.success(let response)): log.append("image \(red(response.image))")
            case .finished(.failure), .progress: break
            }
        }
        await gate.waitForArrivals(2)
        // Both are under way; the image came first, and is held.
        gate.letOneThrough()
        gate.letOneThrough()
        await log.wait(until: { $0.last == "image 9" })
        #expect(Set(log.events).isSubset(of: ["preview 1 true", "image 9"]))
        _ = load
        await bench.waitUntilIdle()
    }

    @Test func aSmallVersionInMemoryIsShownWhileTheImageLoads() async throws {
        let gate = Gate(isOpen: true)
        let network = Self.network(gate: gate)
        let bench = Bench(network: network)
        _ = try await bench.loader.image(for: url("1"))
        let log = EventLog<UInt8>()
        let held = Bench(network: Self.network(gate: Gate())) { $0.memoryCache = bench.memory }
        let load = held.loader.task(for: Self.request("9", low: "1")) { event in
            if case .preview(let image) = event { log.append(red(image)) }
            if case .finished(.success(let response)) = event { log.append(red(response.image)) }
        }
        await log.wait(forCount: 1)
        held.network.gate.open()
        await log.wait(forCount: 2)
        #expect(log.events == [1, 9])
        #expect(held.network.requests.count == 1)
        _ = load
    }

    @Test func theLowResolutionLoadIsCancelledWhenTheImageIsThere() async throws {
        let network = ScriptedLoader { request in
            .response(
                HTTPResponse(status: .ok), chunks: [Data([9])],
                gate: request.url.lastPathComponent == "1" ? Gate() : nil)
        }
        let bench = Bench(network: network)
        let ended = EventLog<Void>()
        let load = bench.loader.task(for: Self.request("9", low: "1")) { event in
            if case .finished = event { ended.append(()) }
        }
        await ended.wait(forCount: 1)
        // Its gate never opens.
        await bench.waitUntilIdle()
        _ = load
    }

    // MARK: Bytes and headers

    @Test func bytesAreLoadedWithoutDecodingAndStored() async throws {
        let bench = Bench(network: Self.network())
        #expect(try await bench.loader.data(for: ImageRequest(url: url("5"))).data == Data([5]))
        try await bench.loader.flush()
        #expect(try await bench.loader.data(for: ImageRequest(url: url("5"))).data == Data([5]))
        #expect(bench.network.requests.count == 1)
        #expect(bench.decoder.decodes.isEmpty && bench.memory.keys.isEmpty)
        await bench.waitUntilIdle()
    }

    @Test func bytesShareTheFetchOfAnImage() async throws {
        let bench = Bench(network: Self.network(gate: Gate()))
        let image = bench.loader.task(for: ImageRequest(url: url("5")))
        await bench.network.gate.waitForArrivals(1)
        async let data = bench.loader.data(for: ImageRequest(url: url("5")))
        while bench.loader.activity.loads < 2 { await Task.yield() }
        bench.network.gate.open()
        #expect(try await data.data == Data([5]))
        #expect(red(try await image.response.image) == 5)
        #expect(bench.network.requests.count == 1)
    }

    @Test func bytesThatWereOnlyReadLeaveAMissingFileAnError() async throws {
        let bench = Bench(network: Self.network())
        let failure = await #expect(throws: LoadFailure.self) { try await bench.loader.data(for: Self.request("bad")) }
        #expect(failure?.error?.status == 404)
        #expect(try await bench.loader.data(for: Self.request("bad", "6")).data == Data([6]))
    }

    @Test func theHeaderIsReadWithAsFewBytesAsTheDecoderNeeds() async throws {
        let served = Lock(0)
        let network = ChunkedLoader(count: 100) { served.withLock { $0 += 1 } }
        let disk = LoggedDataCache()
        let loader = ImageLoader(.init(dataLoader: network, decoder: HeadDecoder(enough: 150), dataCache: disk))
        let info = try await loader.info(for: ImageRequest(url: url("x")))
        #expect(info.size == PixelSize(width: 40, height: 30) && info.orientation == .right && info.frameCount == 3)
        #expect(served.withLock { $0 } < 5)
        try await loader.flush()
        // Half a file is no image.
        #expect(disk.keys.isEmpty)
        while loader.activity != ImageLoader.Activity() { await Task.yield() }
    }

    @Test func aDecoderThatNeedsTheWholeFileGetsItAndTheFileIsKept() async throws {
        let disk = LoggedDataCache()
        let loader = ImageLoader(
            .init(dataLoader: ChunkedLoader(count: 5) {}, decoder: HeadDecoder(enough: .max), dataCache: disk))
        _ = try await loader.info(for: ImageRequest(url: url("x")))
        try await loader.flush()
        #expect(try await disk.entry(for: #require(disk.keys.first))?.data.count == 500)
        _ = try await loader.info(for: ImageRequest(url: url("x")))
    }

    @Test func aLoadOfTheImageDoesNotJoinTheFetchOfItsHeader() async throws {
        let network = ScriptedLoader(gate: Gate()) { _ in
            .response(
                HTTPResponse(status: .ok), chunks: [Data](repeating: Data(repeating: 1, count: 100), count: 5))
        }
        let loader = ImageLoader(.init(dataLoader: network, decoder: HeadDecoder(enough: 150)))
        async let info = loader.info(for: ImageRequest(url: url("x")))
        while network.gate.held == 0 { await Task.yield() }
        let task = loader.task(for: ImageRequest(url: url("x")))
        network.gate.open()
        #expect(try await info.size == PixelSize(width: 40, height: 30))
        #expect(red(try await task.response.image) == 5)
    }

    // MARK: Events

    @Test func theHandlerIsNeverCalledFromInsideTheCallThatStartsTheLoad() async throws {
        let bench = Bench(network: Self.network())
        _ = try await bench.loader.image(for: url("5"))
        let isStarting = Lock(true)
        let isInside = EventLog<Bool>()
        func start() {
            let thread = pthread_self()
            // The memory cache has it: the end is known before the call returns. Another thread may be as fast as that.
            _ = bench.loader.task(for: ImageRequest(url: url("5"))) { _ in
                isInside.append(pthread_equal(thread, pthread_self()) != 0 && isStarting.withLock { $0 })
            }
            isStarting.withLock { $0 = false }
        }
        start()
        await isInside.wait(forCount: 1)
        #expect(isInside.events == [false])
    }
}

/// Serves chunks of 100 bytes.
private struct ChunkedLoader: DataLoading {
    let count: Int
    let served: @Sendable () -> Void

    init(count: Int, served: @escaping @Sendable () -> Void) { (self.count, self.served) = (count, served) }

    func load(_ request: DataRequest) async throws -> DataResponse {
        let left = Lock(count)
        return DataResponse(
            url: request.url,
            body: ByteStream { [served] in
                guard
                    left.withLock({ left in
                        left -= 1
                        return left >= 0
                    })
                else { return nil }
                served()
                return Data(repeating: 1, count: 100)
            })
    }
}

/// Knows what a header says once enough bytes have come.
private struct HeadDecoder: Decoding {
    let enough: Int

    var formats: [ImageFormat] { [ScriptedDecoder.format] }
    func format(of head: Data) -> ImageFormat? { ScriptedDecoder.format }
    func info(of data: Data, limits: DecodingLimits) throws -> ImageInfo {
        ImageInfo(
            format: ScriptedDecoder.format, size: PixelSize(width: 40, height: 30), frameCount: 3, orientation: .right)
    }
    func info(ofPrefix head: Data, limits: DecodingLimits) throws -> ImageInfo? {
        head.count >= enough ? try info(of: head, limits: limits) : nil
    }
    /// Its red is the number of chunks.
    func decode(_ data: Data, options: DecodeOptions) throws -> DecodedImage {
        try TestImages.solid(red: UInt8(data.count / 100))
    }
}
