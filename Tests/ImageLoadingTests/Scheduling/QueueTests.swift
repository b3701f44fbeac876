import CalotypeTesting
import Foundation
import ImageCore
import ImageLoading
import Testing

@Suite(.timeLimit(.minutes(1))) struct Queueing {
    /// Starts the loads while one fetch holds the only slot, then lets them through one by one; returns their order.
    private func order(of requests: [(name: String, LoadPriority, LoadPurpose)], change: ([ImageTask]) -> Void = { _ in })
        async throws
        -> [String]
    {
        let bench = Bench.held { $0.limits.fetches = 1 }
        let first = bench.loader.task(for: ImageRequest(url: url("first")))
        await bench.network.waitForRequests(1)
        let tasks = await requests.asyncMap { name, priority, purpose in
            var request = ImageRequest(.url(url(name)), purpose: purpose)
            request.options.priority = priority
            request.options.cachePolicy = .memoryOnly
            return bench.loader.task(for: request)
        }
        let images = Set(requests.map(\.name)).count
        while bench.loader.activity.queued < images { await Task.yield() }
        change(tasks)
        bench.network.gate.open()
        for task in [first] + tasks { _ = try await task.response }
        return bench.network.requests.dropFirst().map(\.url.lastPathComponent)
    }

    @Test func viewsComeFirstNewestFirstThenPriorityOldestFirstThenPrefetches() async throws {
        let order = try await order(of: [
            ("prefetch-high", .veryHigh, .prefetch), ("low", .low, .plain), ("normal-1", .normal, .plain),
            ("view-old", .low, .view), ("high", .high, .plain), ("normal-2", .normal, .plain), ("view-new", .low, .view),
            ("prefetch-2", .normal, .prefetch),
        ])
        #expect(
            order == ["view-new", "view-old", "high", "normal-1", "normal-2", "low", "prefetch-high", "prefetch-2"])
    }

    @Test func aPriorityRaisedWhileQueuedOvertakesAndTheLastOfTwoUpdatesCounts() async throws {
        let order = try await order(of: [("a", .normal, .plain), ("b", .low, .plain), ("c", .normal, .plain)]) { tasks in
            tasks[1].priority = .veryHigh
            tasks[0].priority = .veryHigh
            tasks[0].priority = .veryLow
        }
        #expect(order == ["b", "c", "a"])
    }

    @Test func aPriorityRaisedInFlightHoldsForTheNextSourceToo() async throws {
        let network = ScriptedLoader(gate: Gate()) { request in
            request.url.lastPathComponent == "broken" ? .failure(ImageError(.connectionLost, message: "")) : .body(Data([7]))
        }
        let bench = Bench(network: network) {
            $0.limits.fetches = 1
            $0.options.cachePolicy = .memoryOnly
        }
        var request = ImageRequest(url: url("broken"))
        request.fallbacks = [.url(url("fallback"))]
        let task = bench.loader.task(for: request)
        await network.waitForRequests(1)
        let others = ["a", "b", "c"].map { bench.loader.task(for: ImageRequest(url: url($0))) }
        while bench.loader.activity.queued < 3 { await Task.yield() }
        task.priority = .veryHigh
        // The slot goes to the next in the queue when the first source fails, and then to the second source.
        network.gate.letOneThrough()
        await network.waitForRequests(2)
        while bench.loader.activity.queued < 3 { await Task.yield() }
        network.gate.open()
        for task in [task] + others { _ = try await task.response }
        #expect(network.requests.map(\.url.lastPathComponent) == ["broken", "a", "fallback", "b", "c"])
    }

    @Test func theSmallVersionIsAsUrgentAsTheImageIsMade() async throws {
        let bench = Bench.held {
            $0.limits.fetches = 2
            $0.options.cachePolicy = .memoryOnly
        }
        let gate = bench.network.gate
        let first = ["a", "b"].map { bench.loader.task(for: ImageRequest(url: url($0))) }
        await gate.waitForArrivals(2)
        let other = bench.loader.task(for: ImageRequest(url: url("other")))
        var request = ImageRequest(url: url("large"))
        request.lowResolution = .url(url("small"))
        let task = bench.loader.task(for: request)
        while bench.loader.activity.queued < 3 { await Task.yield() }
        task.priority = .veryHigh
        // One place after the other, both while the large version is on its way: its end gives the small one up.
        gate.letOneThrough()
        await gate.waitForArrivals(3)
        gate.letOneThrough()
        await gate.waitForArrivals(4)
        gate.open()
        for task in first + [other, task] { _ = try await task.response }
        #expect(bench.network.requests.map(\.url.lastPathComponent).suffix(3) == ["large", "small", "other"])
    }

    @Test func aQueuedPrefetchThatGainsAViewIsPromotedAndNotDoubled() async throws {
        let order = try await order(of: [
            ("other", .normal, .plain), ("shared", .low, .prefetch), ("shared", .low, .view),
        ])
        #expect(order == ["shared", "other"])
    }

    @Test func sharedWorkFallsBackWhenItsUrgentSubscriberLeaves() async throws {
        let order = try await order(of: [
            ("shared", .low, .plain), ("other", .normal, .plain), ("shared", .veryHigh, .plain),
        ]) { tasks in tasks[2].priority = .veryLow }
        #expect(order == ["other", "shared"])
    }

    @Test func noMoreFetchesRunThanTheLimitsInTotalAndPerHostAllow() async throws {
        let bench = Bench.held {
            $0.limits.fetches = 5
            $0.limits.fetchesPerHost = 2
        }
        let tasks = (0..<4).flatMap { host in
            (0..<6).map { bench.loader.task(for: ImageRequest(url: URL(string: "http://host\(host)/\($0)")!)) }
        }
        await bench.network.gate.waitForArrivals(5)
        let hosts = Dictionary(grouping: bench.network.requests, by: { $0.url.host() ?? "" }).mapValues(\.count)
        #expect(hosts.values.reduce(0, +) == 5)
        #expect(hosts.values.allSatisfy { $0 <= 2 })
        for _ in 0..<24 { bench.network.gate.letOneThrough() }
        bench.network.gate.open()
        for task in tasks { _ = try await task.response }
        #expect(bench.network.requests.count == 24)
        await bench.waitUntilIdle()
    }

    /// The case of a name and a port that goes without saying make no difference.
    @Test(arguments: [
        ("http://EXAMPLE.org/b", 1), ("HTTP://example.org:80/b", 1), ("https://example.org/b", 0),
        ("http://example.org:8080/b", 0),
    ])
    func aHostIsASchemeANameAndAPort(other: String, queued: Int) async throws {
        let bench = Bench.held { $0.limits.fetchesPerHost = 1 }
        let first = bench.loader.task(for: ImageRequest(url: url("a")))
        await bench.network.waitForRequests(1)
        let second = bench.loader.task(for: ImageRequest(url: URL(string: other)!))
        while bench.loader.activity.queued + bench.network.requests.count < 2 { await Task.yield() }
        #expect(bench.loader.activity.queued == queued)
        bench.network.gate.open()
        for task in [first, second] { _ = try await task.response }
    }

    @Test func aFreeHostDoesNotWaitBehindABusyOne() async throws {
        let bench = Bench.held { $0.limits.fetchesPerHost = 1 }
        let busy = (0..<3).map { bench.loader.task(for: ImageRequest(url: URL(string: "http://busy/\($0)")!)) }
        let free = bench.loader.task(for: ImageRequest(url: URL(string: "http://free/x")!))
        await bench.network.waitForRequests(2)
        #expect(Set(bench.network.requests.map { $0.url.host() }) == ["busy", "free"])
        bench.network.gate.open()
        for task in busy + [free] { _ = try await task.response }
    }

    @Test func pausedFetchesWaitUntilTheLoaderResumes() async throws {
        let bench = Bench()
        bench.loader.isPaused = true
        let task = bench.loader.task(for: ImageRequest(url: url("x")))
        await bench.disk.waitForCalls(1)
        while bench.loader.activity.queued == 0 { await Task.yield() }
        #expect(bench.network.requests.isEmpty)
        bench.loader.isPaused = false
        _ = try await task.response
        #expect(bench.network.requests.count == 1)
    }

    @Test func aDiskReadNeverBlocksOtherLoads() async throws {
        let readGate = Gate()
        let bench = Bench(disk: LoggedDataCache(readGate: readGate)) { $0.limits.fetches = 1 }
        let slow = bench.loader.task(for: ImageRequest(url: url("slow")))
        await readGate.waitForArrivals(1)
        var request = ImageRequest(url: url("quick"))
        request.options.cachePolicy = .memoryOnly
        _ = try await bench.loader.image(for: request)
        readGate.open()
        _ = try await slow.response
    }

    @MainActor @Test func aFetchNeverRunsOnTheActorOfItsCaller() async throws {
        let isOnMain = EventLog<Bool>()
        let bench = Bench(
            network: ScriptedLoader { _ in
                isOnMain.append(Thread.isMainThread)
                return .body(Data([7]))
            }
        ) { $0.dataCache = nil }
        _ = try await bench.loader.image(for: url("awaited"))
        _ = try await bench.loader.task(for: ImageRequest(url: url("started"))).response
        #expect(isOnMain.events == [false, false])
    }

    @Test func decodingNeverRunsOnTheCooperativePool() async throws {
        // As many decodes as there are threads, all held: the pool must still run tasks, which let them go.
        let count = 8
        let began = EventLog<Void>()
        let isReleased = Lock(false)
        let decoder = ScriptedDecoder { _, _ in
            began.append(())
            while !isReleased.withLock({ $0 }) {}
        }
        let bench = Bench(decoder: decoder) { $0.limits.workers = count }
        let tasks = (0..<count).map { bench.loader.task(for: ImageRequest(url: url("\($0)"))) }
        await began.wait(forCount: count)
        isReleased.withLock { $0 = true }
        for task in tasks { _ = try await task.response }
    }
}

extension Sequence {
    fileprivate func asyncMap<R>(_ transform: (Element) async throws -> R) async rethrows -> [R] {
        var results: [R] = []
        for element in self { results.append(try await transform(element)) }
        return results
    }
}
