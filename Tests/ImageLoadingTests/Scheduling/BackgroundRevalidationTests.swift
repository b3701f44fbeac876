import CalotypeTesting
import ImageCore
import Testing

@testable import ImageLoading

/// Revalidations of stale hits are work of the loader's one queue, with the lowest rank.
@Suite(.timeLimit(.minutes(1))) struct BackgroundRevalidations {
    /// Serves a stale response for each URL whose name begins with "stale", and has nothing else.
    private struct StaleResponses: ResponseCaching {
        struct Stale: ResponseTransaction {}

        func lookUp(_ request: DataRequest) -> ResponseLookup {
            guard request.url.lastPathComponent.hasPrefix("stale") else { return .miss(nil) }
            return .hit(DataResponse(url: request.url, body: ByteStream(Data([7])), tier: .disk), revalidating: Stale())
        }
        func store(_ entry: DataEntry, for request: DataRequest) {}
        func removeResponse(for request: DataRequest) {}
        func removeResponses(of resource: ResourceKey) {}
        func removeAll() {}
    }

    /// A loader whose network holds every request.
    private func makeBench(_ adjust: (inout ImageLoader.Configuration) -> Void = { _ in }) -> Bench {
        Bench.held {
            $0.responseCache = StaleResponses()
            $0.options.cachePolicy = .diskOnly
            adjust(&$0)
        }
    }

    private func fetched(_ bench: Bench) -> [String] { bench.network.requests.map(\.url.lastPathComponent) }

    /// Loads stale images, whose revalidations then run or wait.
    private func load(_ names: [String], from bench: Bench) async throws {
        for name in names { #expect(try await bench.loader.response(for: ImageRequest(url: url(name))).tier == .disk) }
    }

    private let many = (0..<8).map { "stale\($0)" }

    @Test func aVisibleFetchIsNotKeptWaitingByTheRevalidationsOfItsHost() async throws {
        let bench = makeBench()
        try await load(many, from: bench)
        let visible = (0..<3).map { bench.loader.task(for: ImageRequest(.url(url("visible\($0)")), purpose: .view)) }
        // Half of the six slots of the host, and the other half.
        await bench.network.gate.waitForArrivals(6)
        #expect(Set(fetched(bench)) == ["stale0", "stale1", "stale2", "visible0", "visible1", "visible2"])
        bench.network.gate.open()
        for task in visible { _ = try await task.response }
        await bench.waitUntilIdle()
        #expect(Set(fetched(bench)).isSuperset(of: many))
    }

    @Test func theLimitOfFetchesCountsRevalidations() async throws {
        let bench = makeBench { $0.limits.fetches = 4 }
        for (host, name) in many.enumerated() {
            _ = try await bench.loader.response(for: ImageRequest(url: URL(string: "http://host\(host)/\(name)")!))
        }
        let loads = (0..<4).map { bench.loader.task(for: ImageRequest(url: url("\($0)"))) }
        await bench.network.gate.waitForArrivals(4)
        var network: ImageLoader.Queue? { bench.loader.statistics.queues.first { $0.name == "network" } }
        while network?.waiting != 8 { await Task.yield() }
        #expect(network?.running == 4)
        #expect(bench.network.requests.count == 4)
        bench.network.gate.open()
        for task in loads { _ = try await task.response }
        await bench.waitUntilIdle()
    }

    @Test func aPausedLoaderStartsNoRevalidationEvenIfItWaitedBefore() async throws {
        let bench = makeBench { $0.limits.fetches = 2 }
        try await load(["stale0", "stale1"], from: bench)
        await bench.network.gate.waitForArrivals(1)
        bench.loader.isPaused = true
        try await load(["stale2"], from: bench)
        bench.network.gate.open()
        while bench.loader.activity.running > 0 { await Task.yield() }
        #expect(fetched(bench) == ["stale0"] && bench.loader.activity.queued == 2)
        bench.loader.isPaused = false
        await bench.waitUntilIdle()
        #expect(fetched(bench) == ["stale0", "stale1", "stale2"])
    }

    @Test func anEntryIsRevalidatedOnceHoweverOftenItIsHit() async throws {
        let bench = makeBench { $0.limits.fetches = 2 }
        for _ in 0..<3 { try await load(["stale0", "stale1"], from: bench) }
        bench.network.gate.open()
        await bench.waitUntilIdle()
        #expect(fetched(bench) == ["stale0", "stale1"])
        // A hit after that finds it stale again.
        try await load(["stale0"], from: bench)
        await bench.waitUntilIdle()
        #expect(fetched(bench) == ["stale0", "stale1", "stale0"])
    }

    @Test func revalidationsComeAfterPrefetches() async throws {
        let bench = makeBench { $0.limits.fetches = 1 }
        let first = bench.loader.task(for: ImageRequest(url: url("first")))
        await bench.network.gate.waitForArrivals(1)
        try await load(["stale0", "stale1"], from: bench)
        let prefetch = bench.loader.task(for: ImageRequest(.url(url("ahead")), purpose: .prefetch))
        while bench.loader.activity.queued < 3 { await Task.yield() }
        bench.network.gate.open()
        for task in [first, prefetch] { _ = try await task.response }
        await bench.waitUntilIdle()
        #expect(fetched(bench) == ["first", "ahead", "stale0", "stale1"])
    }

    @Test func aRevalidationIsAStageOfTheLoadThatFoundTheStaleEntry() async throws {
        struct Stages: LoadObserving {
            let log = EventLog<String>()
            func observe(_ observation: LoadObservation, of load: LoadID, request: ImageRequest) {
                switch observation {
                case .waitBegan(.revalidate): log.append("\(load) waits")
                case .waitEnded(.revalidate, _): log.append("\(load) waited")
                case .stageBegan(.revalidate): log.append("\(load) began")
                case .stageEnded(.revalidate, _): log.append("\(load) ended")
                default: break
                }
            }
        }
        let stages = Stages()
        let bench = makeBench { $0.observers = [stages] }
        let task = bench.loader.task(for: ImageRequest(url: url("stale")))
        _ = try await task.response
        bench.network.gate.open()
        await bench.waitUntilIdle()
        #expect(stages.log.events == ["waits", "waited", "began", "ended"].map { "\(task.id) \($0)" })
    }

    @Test func aLoaderThatIsGoneEndsItsRevalidations() async throws {
        var bench: Bench? = makeBench { $0.limits.fetches = 2 }
        let network = try #require(bench?.network)
        try await load(["stale0", "stale1"], from: #require(bench))
        await network.gate.waitForArrivals(1)
        weak let coordinator = bench?.loader.coordinator
        #expect(coordinator != nil)
        bench = nil
        while coordinator != nil { await Task.yield() }
        #expect(network.requests.count == 1)
    }

    @Test func everyStaleHitIsRevalidatedHoweverMany() async throws {
        let bench = makeBench()
        bench.loader.isPaused = true
        try await load((0..<700).map { "stale\($0)" }, from: bench)
        // The others wait without a task.
        while bench.loader.activity.queued < 64 { await Task.yield() }
        #expect(bench.loader.activity.work == 64)
        bench.network.gate.open()
        bench.loader.isPaused = false
        while bench.network.requests.count < 700 { await Task.yield() }
        await bench.waitUntilIdle()
        #expect(Set(fetched(bench)).count == 700)
    }
}
