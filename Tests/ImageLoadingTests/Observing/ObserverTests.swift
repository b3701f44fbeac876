import CalotypeTesting
import Foundation
import HTTPTypes
import ImageCore
import Testing

@testable import ImageLoading

/// Records observations as text.
private final class Recorder: LoadObserving {
    let log = EventLog<String>()

    func observe(_ observation: LoadObservation, of load: LoadID, request: ImageRequest) {
        switch observation {
        case .started: log.append("started")
        case .joined: log.append("joined")
        case .waitBegan(let stage): log.append("waits for \(stage)")
        case .waitEnded(let stage, _): log.append("waited for \(stage)")
        case .progress(let progress): log.append("\(progress.received) bytes")
        case .stageBegan(let stage): log.append("began \(stage)")
        case .stageEnded(let stage, _): log.append("ended \(stage)")
        case .cacheLookup(let tier, let isHit): log.append("\(tier) \(isHit ? "hit" : "miss")")
        case .cacheFailed: log.append("cache failed")
        case .finished(.success): log.append("finished")
        case .finished(.failure(let failure)): log.append("\(failure)")
        }
    }
}

@Suite(.timeLimit(.minutes(1))) struct Observing {
    @Test func everyStageOfALoadIsObservedInOrder() async throws {
        let recorder = Recorder()
        let bench = Bench { $0.observers = [recorder] }
        _ = try await bench.loader.image(for: url("x"))
        try await bench.loader.flush()
        let events = recorder.log.events
        #expect(
            events.filter { !$0.hasSuffix("store") } == [
                "started", "began request", "ended request", "began memoryCache", "memory miss", "ended memoryCache",
                "began originalCache", "ended originalCache", "disk miss", "waits for network", "waited for network",
                "began network", "ended network", "waits for decode", "waited for decode", "began decode", "ended decode",
                "began deliver", "ended deliver", "finished",
            ])
        // Storing on disk continues beside the delivery.
        #expect(events.filter { $0.hasSuffix("store") } == ["began store", "ended store"])
    }

    @Test func aLookupThatFailsIsReportedOnce() async throws {
        let recorder = Recorder()
        let disk = LoggedDataCache(fault: { $0 == 1 ? ImageError(.corrupt, message: "The disk is damaged.") : nil })
        let bench = Bench(disk: disk) { $0.observers = [recorder] }
        _ = try await bench.loader.image(for: url("x"))
        try await bench.loader.flush()
        #expect(recorder.log.events.count { $0 == "cache failed" } == 1)
    }

    @Test func aLookupThatIsCancelledIsNotReported() async throws {
        let recorder = Recorder()
        let disk = LoggedDataCache(readGate: Gate())
        let bench = Bench(disk: disk) { $0.observers = [recorder] }
        let task = bench.loader.task(for: ImageRequest(url: url("x")))
        await disk.readGate.waitForArrivals(1)
        task.cancel()
        await bench.waitUntilIdle()
        #expect(!recorder.log.events.contains("cache failed"))
    }

    @Test func aLoadKeepsItsIDThroughItsFallbacks() async throws {
        struct IDs: LoadObserving {
            let ids = EventLog<LoadID>()
            func observe(_ observation: LoadObservation, of load: LoadID, request: ImageRequest) { ids.append(load) }
        }
        let (observer, recorder) = (IDs(), Recorder())
        let network = ScriptedLoader { request in
            request.url.lastPathComponent == "good" ? .body(Data([7])) : .response(HTTPResponse(status: .notFound), chunks: [])
        }
        let bench = Bench(network: network) { $0.observers = [observer, recorder] }
        var request = ImageRequest(url: url("bad"))
        request.fallbacks = [.url(url("worse")), .url(url("good"))]
        let task = bench.loader.task(for: request)
        _ = try await task.response
        try await bench.loader.flush()
        #expect(Set(observer.ids.events) == [task.id])
        #expect(recorder.log.events.count { $0 == "began network" } == 3)
        #expect(recorder.log.events.count { $0 == "started" || $0 == "finished" } == 2)
    }

    @Test func aMemoryHitIsAWholeLoadToAnObserver() async throws {
        let recorder = Recorder()
        let bench = Bench { $0.observers = [recorder] }
        _ = try await bench.loader.image(for: url("x"))
        try await bench.loader.flush()
        recorder.log.removeAll()
        _ = try await bench.loader.image(for: url("x"))
        _ = try await bench.loader.task(for: ImageRequest(url: url("x"))).response
        let hit = [
            "started", "began request", "ended request", "began memoryCache", "memory hit", "ended memoryCache", "began deliver",
            "ended deliver", "finished",
        ]
        #expect(recorder.log.events == hit + hit)
    }

    /// Each of the two lookups on disk is a hit or a miss: first of the processed image, then of the original.
    @Test func aProcessedImageOnDiskIsAHitOnlyIfItDecodes() async throws {
        let recorder = Recorder()
        let bench = Bench {
            $0.observers = [recorder]
            ($0.encoder, $0.processedFormat) = (RedEncoder(), ScriptedDecoder.format)
            $0.options.diskStorage = .processedImages
        }
        func lookups() async throws -> [String] {
            bench.memory.removeAll()
            recorder.log.removeAll()
            _ = try await bench.loader.image(for: url("x"))
            try await bench.loader.flush()
            return recorder.log.events.filter { $0.hasPrefix("disk") }
        }
        #expect(try await lookups() == ["disk miss", "disk miss"])
        #expect(try await lookups() == ["disk hit"])
        let key = try #require(bench.disk.keys.first)
        try await bench.disk.store(DataEntry(data: Data([0xFF]), storedAt: 0), for: key)
        #expect(try await lookups() == ["disk miss", "disk miss"])
    }

    @Test func stagesOnTheCallersThreadAreMeasured() async throws {
        let times = EventLog<LoadStage>()
        struct Times: LoadObserving {
            let times: EventLog<LoadStage>
            func observe(_ observation: LoadObservation, of load: LoadID, request: ImageRequest) {
                if case .stageEnded(let stage, let time) = observation, time > .zero { times.append(stage) }
            }
        }
        let bench = Bench { $0.observers = [Times(times: times)] }
        _ = try await bench.loader.image(for: url("x"))
        #expect(times.events.filter { [.request, .memoryCache, .deliver].contains($0) } == [.request, .memoryCache, .deliver])
    }

    @Test func aLoadThatSharesWorkIsObservedToJoinBeforeItEnds() async throws {
        let recorder = Recorder()
        let bench = Bench.held { $0.observers = [recorder] }
        let first = bench.loader.task(for: ImageRequest(url: url("x")))
        await bench.network.gate.waitForArrivals(1)
        recorder.log.removeAll()
        let second = bench.loader.task(for: ImageRequest(url: url("x")))
        #expect(
            recorder.log.events.filter { !$0.contains(" ") || $0.hasPrefix("memory") } == ["started", "memory miss", "joined"])
        bench.network.gate.open()
        _ = try await (first.response, second.response)
        #expect(recorder.log.events.count { $0 == "joined" } == 1)
    }

    @Test func aJoinIsAlwaysObservedBeforeTheEnd() async throws {
        let orders = Lock<[LoadID: [String]]>([:])
        struct Order: LoadObserving {
            let orders: @Sendable (LoadID, String) -> Void
            func observe(_ observation: LoadObservation, of load: LoadID, request: ImageRequest) {
                switch observation {
                case .joined: orders(load, "joined")
                case .finished: orders(load, "finished")
                default: break
                }
            }
        }
        let bench = Bench {
            $0.memoryCache = nil
            $0.observers = [Order { load, event in orders.withLock { $0[load, default: []].append(event) } }]
        }
        for round in 0..<200 {
            let tasks = (0..<8).map { _ in bench.loader.task(for: ImageRequest(url: url("\(round)"))) }
            for task in tasks { _ = try await task.response }
        }
        await bench.waitUntilIdle()
        let told = orders.withLock { $0 }
        #expect(told.count == 1600)
        #expect(told.values.allSatisfy { $0 == ["joined", "finished"] || $0 == ["finished"] })
        #expect(told.values.contains { $0.count == 2 })
    }

    /// The work ends on another thread while the observer receives the join.
    @Test func anEndDuringAJoinIsReportedAfterTheJoin() async throws {
        let (log, third) = (EventLog<String>(), DispatchSemaphore(value: 0))
        let meet = Lock<(@Sendable () -> Void)?>(nil)
        // The loads in the order in which they start. Other tests start loads meanwhile.
        let started = Lock<[LoadID]>([])
        struct Meeting: LoadObserving {
            let told: @Sendable (LoadObservation, LoadID) -> Void
            func observe(_ observation: LoadObservation, of load: LoadID, request: ImageRequest) { told(observation, load) }
        }
        let bench = Bench.held {
            $0.memoryCache = nil
            $0.observers = [
                Meeting { observation, load in
                    let number = started.withLock { started in
                        if case .started = observation { started.append(load) }
                        return (started.firstIndex(of: load) ?? -1) + 1
                    }
                    switch observation {
                    case .joined:
                        meet.withLock { $0.take() }?()
                        log.append("joined \(number)")
                    case .finished:
                        log.append("finished \(number)")
                        if number == 3 { third.signal() }
                    default: break
                    }
                }
            ]
        }
        let first = bench.loader.task(for: ImageRequest(url: url("x")))
        await bench.network.gate.waitForArrivals(1)
        meet.withLock {
            $0 = { [loader = bench.loader, gate = bench.network.gate] in
                // The end of the third load is delivered after that of the second, so it shows that both were
                // delivered.
                _ = loader.task(for: ImageRequest(url: url("x")))
                gate.open()
                _ = third.wait(timeout: .now() + .seconds(60))
            }
        }
        // On a thread of its own: the pool may have only one.
        await withCheckedContinuation { continuation in
            Thread { [loader = bench.loader] in
                _ = loader.task(for: ImageRequest(url: url("x")))
                continuation.resume()
            }.start()
        }
        _ = try await first.response
        await bench.waitUntilIdle()
        #expect(log.events == ["joined 3", "finished 1", "finished 3", "joined 2", "finished 2"])
    }

    @Test func bytesThatArriveInChunksAreReported() async throws {
        let recorder = Recorder()
        let network = ScriptedLoader { _ in .response(HTTPResponse(status: .ok), chunks: [Data([7]), Data([1, 2])]) }
        let bench = Bench(network: network) { $0.observers = [recorder] }
        _ = try await bench.loader.image(for: url("x"))
        #expect(recorder.log.events.filter { $0.hasSuffix("bytes") } == ["1 bytes", "3 bytes"])
    }

    /// The observers receive the end of a load before its caller does, even if the caller awaits it late.
    @Test func theCallerReceivesTheEndAfterTheObservers() async throws {
        let tasks = Lock<[ImageTask]>([])
        let seen = Lock<[Bool]>([])
        struct Looking: LoadObserving {
            let atEnd: @Sendable () -> Void
            func observe(_ observation: LoadObservation, of load: LoadID, request: ImageRequest) {
                if case .finished = observation { atEnd() }
            }
        }
        let bench = Bench.held {
            $0.memoryCache = nil
            $0.observers = [Looking { seen.withLock { $0.append(tasks.withLock { $0[0].hasEnded }) } }]
        }
        let task = bench.loader.task(for: ImageRequest(url: url("x")))
        tasks.withLock { $0 = [task] }
        let events = task.events
        await bench.network.gate.waitForArrivals(1)
        bench.network.gate.open()
        _ = try await task.response
        #expect(seen.withLock { $0 } == [false])
        #expect(task.hasEnded && bench.loader.statistics.loads.finished == 1)
        var last: LoadEvent?
        for await event in events { last = event }
        if case .finished(.success) = last {} else { Issue.record("the stream ended with \(String(describing: last))") }
    }

    @Test func withoutObserversNothingIsMadeForThem() async throws {
        func made(with observers: [any LoadObserving]) throws -> Int {
            let bench = Bench { $0.observers = observers }
            let plan = try bench.loader.coordinator.plan(ImageRequest(url: url("x")))
            var count = 0
            func observation() -> LoadObservation {
                count += 1
                return .started
            }
            bench.loader.coordinator.observe(observation(), plan)
            return count
        }
        #expect(try made(with: []) == 0)
        #expect(try made(with: [Recorder(), Recorder()]) == 1)
    }

    @Test func allObserversReceiveTheSameObservations() async throws {
        let recorders = [Recorder(), Recorder(), Recorder()]
        let bench = Bench { $0.observers = recorders }
        _ = try await bench.loader.image(for: url("x"))
        try await bench.loader.flush()
        // Storing on disk continues beside the delivery, so each observer sees these two in an order of its own.
        let seen = recorders.map { recorder in
            [true, false].map { isStore in recorder.log.events.filter { $0.hasSuffix("store") == isStore } }
        }
        #expect(recorders[0].log.count == 22)
        #expect(seen[1] == seen[0] && seen[2] == seen[0])
    }

    @Test func eachLoadThatStartsEndsOnceHoweverItEnds() async throws {
        let recorder = Recorder()
        let bench = Bench(
            network: ScriptedLoader(gate: Gate()) { request in
                request.url.lastPathComponent == "bad" ? .failure(ImageError(.timedOut, message: "late")) : .body(Data([7]))
            }
        ) { $0.observers = [recorder] }
        let tasks = ["good", "good", "bad", "dropped"].map { bench.loader.task(for: ImageRequest(url: url($0))) }
        tasks[3].cancel()
        bench.network.gate.open()
        for task in tasks { _ = try? await task.response }
        var bad = ImageRequest(url: url("x"))
        bad.options.timeout = .zero
        _ = try? await bench.loader.task(for: bad).response
        let events = recorder.log.events
        #expect(events.count { $0 == "started" } == 5)
        #expect(events.count { $0 == "finished" } == 2)
        #expect(events.count { $0 == "late" } == 1)
        #expect(events.count { $0 == LoadFailure.cancelled.description } == 1)
        #expect(events.count { $0.hasPrefix("Invalid options") } == 1)
    }

    @Test func metricsTellOfRetriesBytesAndStages() async throws {
        let network = ScriptedLoader { _ in .body(Data([7, 7, 7])) }
        struct Patient: DataLoading {
            let loader: any DataLoading
            func load(_ request: DataRequest) async throws -> DataResponse {
                var response = try await loader.load(request)
                response.retries = 2
                return response
            }
        }
        let bench = Bench { $0.dataLoader = Patient(loader: network) }
        let metrics = try await bench.loader.response(for: ImageRequest(url: url("x"))).metrics
        #expect(metrics.retries == 2 && metrics.byteCount == 3 && !metrics.isCoalesced)
        #expect(metrics.network > .zero && metrics.decode > .zero && metrics.process == .zero)
        #expect(metrics.total >= metrics.network + metrics.decode)
    }
}

@Suite(.timeLimit(.minutes(1))) struct Statistics {
    @Test func everyWayALoadEndsIsCounted() async throws {
        let bench = Bench(
            network: ScriptedLoader(gate: Gate()) { request in
                request.url.lastPathComponent == "bad"
                    ? .failure(ImageError(.timedOut, message: "late")) : .body(Data([7, 1, 2]))
            })
        let tasks = ["good", "good", "bad", "dropped"].map { bench.loader.task(for: ImageRequest(url: url($0))) }
        await bench.network.gate.waitForArrivals(3)
        #expect(bench.loader.statistics.loads.active == 4)
        #expect(bench.loader.statistics.queues.first { $0.name == "network" }?.running == 3)
        tasks[3].cancel()
        bench.network.gate.open()
        for task in tasks { _ = try? await task.response }
        await bench.waitUntilIdle()

        let statistics = bench.loader.statistics
        var loads = ImageLoader.Loads()
        (loads.finished, loads.failed, loads.cancelled, loads.coalesced) = (2, 1, 1, 1)
        #expect(statistics.loads == loads)
        #expect(statistics.bytes.fetched == 3)
        #expect(statistics.bytes.savedByCoalescing == 3)
        #expect(statistics.queues.map(\.name) == ["network", "local", "worker"])
        #expect(statistics.queues.allSatisfy { $0.running == 0 && $0.waiting == 0 })
    }

    @Test func bytesFromTheDataCacheAreSavedNotFetched() async throws {
        let disk = LoggedDataCache()
        let first = Bench(disk: disk)
        _ = try await first.loader.image(for: url("x"))
        try await first.loader.flush()
        let second = Bench(disk: disk)
        _ = try await second.loader.image(for: url("x"))
        #expect(second.loader.statistics.bytes.savedByCache == 1)
        #expect(second.loader.statistics.bytes.fetched == 0)
    }

    @Test func localBytesAreNotFetched() async throws {
        let bench = Bench()
        _ = try await bench.loader.image(for: ImageRequest(.bytes(Data([7]), id: "x")))
        #expect(bench.loader.statistics.bytes == ImageLoader.Bytes())
        #expect(bench.loader.statistics.loads.finished == 1)
    }

    @Test func aLoadThatWaitsForASlotIsCountedInItsQueue() async throws {
        let bench = Bench.held { $0.limits.fetches = 1 }
        let tasks = (0..<3).map { bench.loader.task(for: ImageRequest(url: url("\($0)"))) }
        while bench.loader.activity.queued < 2 { await Task.yield() }
        let queue = bench.loader.statistics.queues.first { $0.name == "network" }
        #expect(queue?.waiting == 2 && queue?.running == 1 && queue?.limit == 1)
        bench.network.gate.open()
        for task in tasks { _ = try await task.response }
    }

    @Test func everyCacheThatCountsIsListed() async throws {
        struct Counting: Caching {
            func image(for key: ImageKey) -> DecodedImage? { nil }
            func store(_ image: DecodedImage, for key: ImageKey, priority: CachePriority) {}
            func removeImage(for key: ImageKey) {}
            func removeAll() {}
            var cacheStatistics: [CacheStatistics] {
                var statistics = CacheStatistics(name: "counting")
                (statistics.hits, statistics.misses) = (1, 3)
                return [statistics]
            }
        }
        let bench = Bench { $0.memoryCache = Counting() }
        let caches = bench.loader.statistics.caches
        #expect(caches.map(\.name) == ["counting"])
        #expect(caches.first?.hitRatio == 0.25)
    }
}
