import CalotypeTesting
import HTTPTypes
import ImageCore
import ImageLoading
import Testing

@Suite(.timeLimit(.minutes(1))) struct Loading {
    @Test func anImageComesFromTheNetworkThenFromMemoryThenFromDisk() async throws {
        let bench = Bench()
        #expect(try await bench.loader.response(for: ImageRequest(url: url("x"))).tier == .network)
        #expect(try await bench.loader.response(for: ImageRequest(url: url("x"))).tier == .memory)
        try await bench.loader.flush()
        bench.memory.removeAll()
        let third = try await bench.loader.response(for: ImageRequest(url: url("x")))
        #expect(third.tier == .disk)
        #expect(third.metrics.byteCount == 1)
        #expect(bench.network.requests.count == 1)
    }

    @Test func aMemoryHitIsSynchronousAndAsksNothingElse() async throws {
        let bench = Bench()
        _ = try await bench.loader.image(for: url("x"))
        try await bench.loader.flush()
        let calls = bench.disk.calls.count
        let hit = bench.loader.cachedImage(for: ImageRequest(url: url("x")))
        #expect(hit != nil)
        #expect(bench.disk.calls.count == calls)
        #expect(bench.loader.activity == ImageLoader.Activity())
    }

    @Test func everyCachePolicyReadsAndWritesWhatItSays() async throws {
        func load(_ policy: CachePolicy, _ bench: Bench) async throws -> CacheTier {
            var request = ImageRequest(url: url("x"))
            request.options.cachePolicy = policy
            let tier = try await bench.loader.response(for: request).tier
            try await bench.loader.flush()
            return tier
        }
        let none = Bench()
        #expect(try await load(.noCache, none) == .network)
        #expect(none.memory.keys.isEmpty && none.disk.calls.isEmpty)
        let memory = Bench()
        #expect(try await load(.memoryOnly, memory) == .network)
        #expect(memory.memory.keys.count == 1 && memory.disk.calls.isEmpty)
        let disk = Bench()
        #expect(try await load(.diskOnly, disk) == .network)
        #expect(try await load(.diskOnly, disk) == .disk)
        #expect(disk.memory.keys.isEmpty)
        #expect(try await load(.reload, disk) == .network)
        #expect(disk.network.requests.count == 2)
        #expect(try await load(.cacheOnly, disk) == .memory)
    }

    @Test func onlyIfCachedNeverStartsNetworkWork() async throws {
        let bench = Bench()
        var request = ImageRequest(url: url("x"))
        request.options.cachePolicy = .cacheOnly
        let failure = await #expect(throws: LoadFailure.self) { try await bench.loader.image(for: request) }
        #expect(failure?.error?.code == .notCached)
        #expect(bench.network.requests.isEmpty)
    }

    /// A 206 without a range request is an error unless its range is the whole body.
    @Test(arguments: [
        ("bytes 0-1/4", false), ("bytes 2-3/4", false), (nil, false), ("bytes 0-1/2", true), ("Bytes 0-1/2", true),
        ("bytes 0-1/*", true), ("bytes  0-1/2", true), ("bytes 0 - 1 / 2", true), ("bytes 00-01/02", true),
        ("bytes 1-0/2", false),
        ("bytes 0-1/1", false), ("bytes */2", false), ("items 0-1/2", false), ("bytes 0-/2", false), ("bytes -1/2", false),
        ("bytes 0-99999999999999999999/*", false), ("", false), ("bytes 0-0/*", false),
    ])
    func anUnrequestedPartialResponseIsRefused(_ contentRange: String?, isWhole: Bool) async throws {
        var head = HTTPResponse(status: .partialContent, headerFields: [.contentLength: "2"])
        head.headerFields[.contentRange] = contentRange
        let bench = Bench(network: ScriptedLoader { [head] _ in .response(head, chunks: [Data([7, 7])]) })
        let request = ImageRequest(url: url("x"))
        if isWhole {
            #expect(try await bench.loader.data(for: request).data.count == 2)
        } else {
            let failure = await #expect(throws: LoadFailure.self) { try await bench.loader.data(for: request) }
            #expect(failure?.error?.code == .badResponse && failure?.error?.status == 206)
            #expect(bench.disk.keys.isEmpty)
        }
        var part = request
        part.options.headers = [.range: "bytes=0-1"]
        #expect(try await bench.loader.data(for: part).data.count == 2)
    }

    @Test func aFailureIsTypedKnowsItsStageAndStoresNothing() async throws {
        let notFound = Bench(network: ScriptedLoader { _ in .response(HTTPResponse(status: .notFound), chunks: [Data([7])]) })
        let error = try await #require(failure(of: notFound))
        #expect(error.code == .httpStatus && error.status == 404 && error.stage == .network)
        #expect(error.source == "http://example.org/x")
        #expect(notFound.memory.keys.isEmpty && notFound.disk.keys.isEmpty)

        let damaged = Bench(network: ScriptedLoader { _ in .body(Data([0xFF])) })
        let corrupt = try await #require(failure(of: damaged))
        #expect(corrupt.code == .corrupt && corrupt.stage == .decode && corrupt.category == .file)
        #expect(damaged.disk.keys.isEmpty)

        let empty = Bench(network: ScriptedLoader { _ in .body(Data()) })
        #expect(try await #require(failure(of: empty)).code == .emptyFile)

        struct Odd: Error {}
        let odd = Bench(network: ScriptedLoader { _ in .failure(Odd()) })
        let wrapped = try await #require(failure(of: odd))
        #expect(wrapped.code == .plugInFailed && wrapped.causes == ["Odd()"])
        await odd.waitUntilIdle()
    }

    private func failure(of bench: Bench) async -> ImageError? {
        do {
            _ = try await bench.loader.image(for: url("x"))
            return nil
        } catch {
            return error.error
        }
    }

    @Test func aFailedProcessorFailsItsOwnLoadAndNotItsPrefix() async throws {
        let bench = Bench.held()
        let log = EventLog<String>()
        let good = RecordingProcessor("good", log: log)
        let bad = RecordingProcessor("bad", log: log) { _, _ in throw ImageError(.invalidRequest, message: "No.") }
        let failing = bench.loader.task(for: ImageRequest(url: url("x"), processors: [good, bad]))
        let fine = bench.loader.task(for: ImageRequest(url: url("x"), processors: [good]))
        await bench.network.waitForRequests(1)
        bench.network.gate.open()
        #expect(red(try await fine.response.image) == 7)
        await #expect(throws: LoadFailure.self) { try await failing.response }
        #expect(log.events == ["good", "bad"])
        await bench.waitUntilIdle()
    }

    @Test func cachedBytesThatDoNotDecodeAreFetchedAnew() async throws {
        let bench = Bench()
        let key = DataKey(resource: ImageRequest(url: url("x")).resource)
        try await bench.disk.store(DataEntry(data: Data([0xFF]), storedAt: 0), for: key)
        let response = try await bench.loader.response(for: ImageRequest(url: url("x")))
        #expect(response.tier == .network && red(response.image) == 7)
        #expect(bench.disk.calls.contains(.remove(key)))
        try await bench.loader.flush()
        #expect(try await bench.disk.entry(for: key)?.data == Data([7]))
        await bench.waitUntilIdle()
    }

    @Test func aFailingDataCacheIsAMissAndFailsNoLoad() async throws {
        let bench = Bench(disk: LoggedDataCache { _ in ImageError(.plugInFailed, message: "The disk is full.") })
        #expect(red(try await bench.loader.image(for: url("x"))) == 7)
        await bench.waitUntilIdle()
    }

    @Test func bytesAndClosuresAreSourcesThatNoDataCacheSees() async throws {
        let bench = Bench()
        let bytes = ImageRequest(.bytes(Data([3]), id: "three"))
        #expect(red(try await bench.loader.image(for: bytes)) == 3)
        let closure = ImageRequest(.producer(id: "four") { Data([4]) })
        #expect(red(try await bench.loader.image(for: closure)) == 4)
        try await bench.loader.flush()
        #expect(bench.disk.calls.isEmpty && bench.network.requests.isEmpty)
        #expect(bench.memory.keys.count == 2)
    }

    @Test func aLocalURLReachesTheLoaderAndNoDataCache() async throws {
        let bench = Bench()
        _ = try await bench.loader.image(for: URL(string: "FILE:///a.png")!)
        try await bench.loader.flush()
        #expect(bench.network.requests.count == 1 && bench.disk.calls.isEmpty)
    }

    @Test func anEndlessBodyIsStoppedByTheLimit() async throws {
        let served = Lock(0)
        struct Endless: DataLoading {
            let served: @Sendable () -> Void
            func load(_ request: DataRequest) async throws -> DataResponse {
                DataResponse(
                    url: request.url,
                    body: ByteStream {
                        served()
                        return Data(repeating: 1, count: 1_000)
                    })
            }
        }
        let loader = ImageLoader(.init(dataLoader: Endless { served.withLock { $0 += 1 } }, decoder: ScriptedDecoder()))
        var request = ImageRequest(url: url("endless"))
        request.options.maximumResponseBytes = 10_500
        let failure = await #expect(throws: LoadFailure.self) { try await loader.image(for: request) }
        #expect(failure?.error?.code == .tooLarge)
        #expect(served.withLock { $0 } == 11)
    }

    @Test func aBodyShorterThanAnnouncedIsNoWholeImage() async throws {
        var head = HTTPResponse(status: .ok)
        head.headerFields[.contentLength] = "10"
        let bench = Bench(network: ScriptedLoader { [head] _ in .response(head, chunks: [Data([1]), Data([2])]) })
        let failure = await #expect(throws: LoadFailure.self) { try await bench.loader.image(for: url("x")) }
        #expect(failure?.error?.code == .connectionLost)
        #expect(bench.disk.keys.isEmpty)
    }

    @Test func eventsAreProgressAndOneEnd() async throws {
        var head = HTTPResponse(status: .ok)
        head.headerFields[.contentLength] = "3"
        let gate = Gate()
        let bench = Bench(
            network: ScriptedLoader { [head] _ in .response(head, chunks: [Data([7]), Data([8, 9])], gate: gate) })
        let log = EventLog<LoadEvent>()
        let handle = bench.loader.task(for: ImageRequest(url: url("x"))) { log.append($0) }
        gate.open()
        await log.wait { events in events.contains { if case .finished = $0 { true } else { false } } }
        let received = log.events.compactMap { event -> LoadProgress? in
            if case .progress(let progress) = event { progress } else { nil }
        }
        #expect(received == [LoadProgress(received: 1, expected: 3), LoadProgress(received: 3, expected: 3)])
        #expect(log.count == 3)
        handle.cancel()
        #expect(log.count == 3)
    }

    @Test func theStreamOfATaskHasItsProgressAndReplaysItToLateComers() async throws {
        let gate = Gate()
        let bench = Bench(
            network: ScriptedLoader { _ in
                .response(HTTPResponse(status: .ok), chunks: [Data([7]), Data([8, 9])], gate: gate)
            })
        let task = bench.loader.task(for: ImageRequest(url: url("x")))
        await gate.waitForArrivals(1)
        gate.letOneThrough()
        await gate.waitForArrivals(2)
        // The first chunk has been taken, the second is held: a stream that is opened now begins with the first.
        var received: [Int] = []
        for await event in task.events {
            if case .progress(let progress) = event {
                if received.isEmpty { gate.open() }
                received.append(progress.received)
            }
        }
        #expect(received == [1, 3])
    }

    /// FEATURES 1.20
    @Test func aTaskTellsItsProgressAndItsResultAtOnce() async throws {
        let gate = Gate()
        let bench = Bench(
            network: ScriptedLoader { _ in
                .response(HTTPResponse(status: .ok), chunks: [Data([7]), Data([8, 9])], gate: gate)
            })
        let task = bench.loader.task(for: ImageRequest(url: url("x")))
        await gate.waitForArrivals(1)
        #expect(task.progress == nil && task.result == nil)
        gate.letOneThrough()
        await gate.waitForArrivals(2)
        #expect(task.progress?.received == 1 && task.result == nil)
        gate.open()
        _ = try await task.response
        #expect(try task.result?.get().tier == .network)
        #expect(task.progress?.received == 3)

        let held = Bench.held().loader.task(for: ImageRequest(url: url("y")))
        held.cancel()
        #expect(held.result.map { if case .failure(.cancelled) = $0 { true } else { false } } == true)
    }

    @Test func aStreamThatIsOpenedLateReplaysTheEnd() async throws {
        let bench = Bench()
        let task = bench.loader.task(for: ImageRequest(url: url("x")))
        _ = try await task.response
        var ends = 0
        for await event in task.events { if case .finished(.success) = event { ends += 1 } }
        #expect(ends == 1)
    }

    @Test func optionsOfThreeLayersReachTheLoad() async throws {
        let bench = Bench {
            $0.options.timeout = .seconds(11)
            $0.options.retries = 1
            $0.options.headers = [.userAgent: "calotype"]
        }
        bench.loader.runtimeOptions.retries = 2
        var request = ImageRequest(url: url("x"))
        request.options.timeout = .seconds(5)
        request.options.retries = 9
        _ = try await bench.loader.image(for: request)
        let sent = try #require(bench.network.requests.first)
        #expect(sent.timeout == .seconds(5) && sent.retries == 2 && sent.headerFields[.userAgent] == "calotype")
        #expect(sent.headerFields[.accept] == "image/scripted, image/*;q=0.8, */*;q=0.5")
    }

    /// A loader of files or `data:` URLs would otherwise apply a limit of its own.
    @Test func everyRequestCarriesTheLimitOfResponseBytes() async throws {
        let bench = Bench { $0.limits.maximumResponseBytes = ResponseLimit.standard + 1 }
        _ = try await bench.loader.image(for: url("x"))
        var request = ImageRequest(url: url("y"))
        request.options.maximumResponseBytes = 9
        _ = try await bench.loader.image(for: request)
        #expect(bench.network.requests.map(\.maximumResponseBytes) == [ResponseLimit.standard + 1, 9])
    }

    @Test func aBodyOverTheLimitOfStoredBytesIsLoadedButNotStored() async throws {
        for limit in [2, 3] {
            let bench = Bench(network: ScriptedLoader { _ in .body(Data([7, 8, 9])) }) { $0.limits.maximumStoredBytes = limit }
            _ = try await bench.loader.image(for: url("x"))
            try await bench.loader.flush()
            await bench.waitUntilIdle()
            #expect(bench.disk.keys.count == (limit == 3 ? 1 : 0))
        }
    }

    @Test(arguments: [(nil, 1 << 30), (100, 100), (1 << 31, 1 << 31)])
    func oneLimitOfPixelsHoldsForDecodesAndProcessors(option: Int?, limit: Int) async throws {
        let bench = Bench { $0.limits.decoding.pixels = 1 << 30 }
        let limits = EventLog<Int>()
        var request = ImageRequest(url: url("x"))
        request.options.maximumPixels = option
        request.options.processors = [
            RecordingProcessor("reads the limit", log: .init()) { image, context in
                limits.append(context.maximumPixels)
                return image
            }
        ]
        _ = try await bench.loader.image(for: request)
        #expect(bench.decoder.decodes.map(\.limits.pixels) == [limit] && limits.events == [limit])
    }

    @Test func aBadOptionIsTheLoadsResult() async throws {
        let bench = Bench()
        var request = ImageRequest(url: url("x"))
        request.options.timeout = .zero
        let failure = await #expect(throws: LoadFailure.self) { try await bench.loader.image(for: request) }
        #expect(failure?.error?.code == .invalidConfiguration)
        await #expect(throws: LoadFailure.self) { try await bench.loader.task(for: request).response }
        #expect(bench.network.requests.isEmpty)
    }

    @Test func clearingEmptiesBothTiers() async throws {
        let bench = Bench()
        _ = try await bench.loader.image(for: url("x"))
        try await bench.loader.flush()
        try await bench.loader.clearCaches()
        #expect(bench.memory.keys.isEmpty && bench.disk.keys.isEmpty)
    }
}
