import CalotypeTesting
import Dispatch
import HTTPTypes
import ImageCore
import ImageLoading
import Testing

@Suite(.timeLimit(.minutes(1))) struct Coalescing {
    @Test(arguments: [100, 10_000])
    func concurrentRequestsForOneURLMakeOneLoadOneDecodeAndOneRunOfEachProcessor(count: Int) async throws {
        let bench = Bench.held()
        let log = EventLog<String>()
        let request = ImageRequest(
            url: url("a"), processors: [RecordingProcessor("one", log: log), RecordingProcessor("two", log: log)])

        let tasks = (0..<count).map { _ in bench.loader.task(for: request) }
        await bench.network.waitForRequests(1)
        bench.network.gate.open()

        for task in tasks { #expect(red(try await task.response.image) == 7) }
        #expect(bench.network.requests.count == 1)
        #expect(bench.decoder.decodes.count == 1)
        #expect(log.events == ["one", "two"])
        await bench.waitUntilIdle()
    }

    @Test func concurrentSwiftTasksForOneURLMakeOneLoadEvenWhenTheyComeAsItEnds() async throws {
        let bench = Bench()
        let request = ImageRequest(url: url("a"))
        try await withThrowingTaskGroup(of: UInt8.self) { group in
            for _ in 0..<2_000 { group.addTask { red(try await bench.loader.image(for: request)) } }
            for try await value in group { #expect(value == 7) }
        }
        #expect(bench.network.requests.count == 1)
        #expect(bench.decoder.decodes.count == 1)
    }

    @Test func aListOfProcessorsSharesTheWorkOfItsPrefix() async throws {
        let bench = Bench.held()
        let log = EventLog<String>()
        let (a, b) = (RecordingProcessor("a", log: log), RecordingProcessor("b", log: log))
        let long = bench.loader.task(for: ImageRequest(url: url("x"), processors: [a, b]))
        let short = bench.loader.task(for: ImageRequest(url: url("x"), processors: [a]))
        let plain = bench.loader.task(for: ImageRequest(url: url("x")))
        await bench.network.waitForRequests(1)
        bench.network.gate.open()
        for task in [long, short, plain] { _ = try await task.response }

        #expect(log.events.sorted() == ["a", "b"])
        #expect(bench.decoder.decodes.count == 1)
        #expect(bench.network.requests.count == 1)
    }

    @Test func aCachedPrefixIsWhereALongerListBegins() async throws {
        let bench = Bench()
        let log = EventLog<String>()
        let (a, b) = (RecordingProcessor("a", log: log), RecordingProcessor("b", log: log))
        _ = try await bench.loader.image(for: ImageRequest(url: url("x"), processors: [a]))
        let response = try await bench.loader.response(for: ImageRequest(url: url("x"), processors: [a, b]))

        #expect(log.events == ["a", "b"])
        #expect(bench.network.requests.count == 1)
        #expect(bench.decoder.decodes.count == 1)
        #expect(response.tier == .memory)
        await bench.waitUntilIdle()
    }

    /// Neither can be made of the other: that takes twice as many pixels in each direction.
    @Test func sizesCloseToEachOtherShareTheFetchButNotTheDecode() async throws {
        let bench = Bench.held()
        let tasks = [10, 19, 10].map { side -> ImageTask in
            var request = ImageRequest(url: url("x"))
            request.options.targetSize = PixelSize(width: side, height: side)
            return bench.loader.task(for: request)
        }
        await bench.network.waitForRequests(1)
        bench.network.gate.open()
        var widths: [Int] = []
        for task in tasks { widths.append(try await task.response.image.size.width) }
        #expect(widths == [10, 19, 10])
        #expect(bench.network.requests.count == 1)
        #expect(bench.decoder.decodes.count == 2)
    }

    @Test func twoUsersTokensNeverShareAResponse() async throws {
        let bench = Bench(
            network: ScriptedLoader { request in .body(Data([request.headerFields[.authorization] == "Bearer one" ? 1 : 2])) })
        func request(_ token: String) -> ImageRequest {
            var request = ImageRequest(url: url("x"))
            request.options.headers = [.authorization: "Bearer \(token)"]
            return request
        }
        #expect(red(try await bench.loader.image(for: request("one"))) == 1)
        #expect(red(try await bench.loader.image(for: request("two"))) == 2)
        #expect(red(try await bench.loader.image(for: request("one"))) == 1)
        #expect(bench.network.requests.count == 2)
        #expect(bench.memory.keys.allSatisfy { !$0.resource.text.contains("one") && !$0.resource.text.contains("two") })
        try await bench.loader.flush()
        #expect(bench.disk.keys.count == 2)
        #expect(bench.disk.keys.allSatisfy { !$0.resource.text.contains("Bearer") })
    }

    @Test func aLateLoadFindsTheBytesThatAreStillBeingStored() async throws {
        let storeGate = Gate()
        let bench = Bench(disk: LoggedDataCache(storeGate: storeGate))
        _ = try await bench.loader.image(for: url("x"))
        await storeGate.waitForArrivals(1)
        var sized = ImageRequest(url: url("x"))
        sized.options.targetSize = PixelSize(width: 2, height: 2)
        _ = try await bench.loader.image(for: sized)
        #expect(bench.network.requests.count == 1)
        storeGate.open()
        try await bench.loader.flush()
        #expect(bench.disk.keys.count == 1)
        await bench.waitUntilIdle()
    }

    @Test func aLoadDoesNotFetchAnImageThatWasStoredAfterItsMiss() async throws {
        // Given a load that is held on the network, and a second one that has just missed in memory.
        let network = ScriptedLoader(gate: Gate()) { _ in .body(Data([7])) }
        let memory = OvertakenCache()
        let loader = ImageLoader(.init(dataLoader: network, decoder: ScriptedDecoder(), memoryCache: memory))
        let first = loader.task(for: ImageRequest(url: url("x")))
        await network.gate.waitForArrivals(1)
        // When the first one ends, and leaves no work behind, before the second one joins.
        memory.afterNextMiss {
            network.gate.open()
            while loader.activity != ImageLoader.Activity() {}
        }
        // On a thread that may be held, unlike those of the pool.
        let second = await withCheckedContinuation { continuation in
            DispatchQueue.global().async { continuation.resume(returning: loader.task(for: ImageRequest(url: url("x")))) }
        }
        // Then both have the image of one fetch.
        #expect(red(try await first.response.image) == 7)
        #expect(try await second.response.tier == .memory)
        #expect(network.requests.count == 1)
    }
}

/// A memory cache in which something else may happen between a miss and its return.
private final class OvertakenCache: Caching {
    private let base = LoggedMemoryCache()
    private let hook = Lock<(@Sendable () -> Void)?>(nil)

    func afterNextMiss(_ body: @escaping @Sendable () -> Void) { hook.withLock { $0 = body } }

    func image(for key: ImageKey) -> DecodedImage? {
        let image = base.image(for: key)
        let body = hook.withLock { $0.take() }
        body?()
        return image
    }

    func peekImage(for key: ImageKey) -> DecodedImage? { base.peekImage(for: key) }
    func store(_ image: DecodedImage, for key: ImageKey, priority: CachePriority) {
        base.store(image, for: key, priority: priority)
    }
    func removeImage(for key: ImageKey) { base.removeImage(for: key) }
    func removeAll() { base.removeAll() }
}
