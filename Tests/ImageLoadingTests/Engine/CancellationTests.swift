import CalotypeTesting
import ImageCore
import Testing

@testable import ImageLoading

@Suite(.timeLimit(.minutes(1))) struct Cancelling {
    @Test func theLastSubscriberCancelsTheLoadAnEarlierOneDoesNot() async throws {
        let bench = Bench.held()
        let tasks = (0..<3).map { _ in bench.loader.task(for: ImageRequest(url: url("x"))) }
        await bench.network.waitForRequests(1)
        await bench.network.gate.waitForArrivals(1)

        tasks[0].cancel()
        tasks[1].cancel()
        await #expect(throws: LoadFailure.cancelled) { try await tasks[0].response }
        #expect(bench.network.cancelled == 0)
        #expect(bench.loader.activity.loads == 1)

        tasks[2].cancel()
        await #expect(throws: LoadFailure.cancelled) { try await tasks[2].response }
        await bench.waitUntilIdle()
        #expect(bench.network.cancelled == 1)
        #expect(bench.memory.keys.isEmpty)
        #expect(bench.disk.keys.isEmpty)
    }

    @Test func cancellingTheAwaitingTaskCancelsTheLoad() async throws {
        let bench = Bench.held()
        let waiting = Task { try await bench.loader.image(for: url("x")) }
        await bench.network.gate.waitForArrivals(1)
        waiting.cancel()
        await #expect(throws: LoadFailure.cancelled) { try await waiting.value }
        await bench.waitUntilIdle()
        #expect(bench.network.cancelled == 1)
    }

    @Test func aLoadInACancelledTaskNeverReachesTheLoader() async throws {
        let bench = Bench { $0.dataCache = nil }
        let waiting = Task {
            unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
            return try await bench.loader.image(for: url("x"))
        }
        await #expect(throws: LoadFailure.cancelled) { try await waiting.value }
        await bench.waitUntilIdle()
        #expect(bench.network.requests.isEmpty)
    }

    @Test func aLoadCancelledBeforeItsTurnNeverReachesTheNetwork() async throws {
        let bench = Bench.held { $0.limits.fetches = 1 }
        let first = bench.loader.task(for: ImageRequest(url: url("first")))
        await bench.network.waitForRequests(1)
        let queued = (0..<1_000).map { bench.loader.task(for: ImageRequest(url: url("\($0)"))) }
        for task in queued { task.cancel() }
        bench.network.gate.open()
        _ = try await first.response
        await bench.waitUntilIdle()
        #expect(bench.network.requests.count == 1)
    }

    /// FEATURES 2.8: without a data cache, the next step of each load is its fetch.
    @Test func aStormOfLoadsThatAreCancelledWhileTheyWaitNeverReachesTheNetwork() async throws {
        let bench = Bench { $0.dataCache = nil }
        bench.loader.isPaused = true
        for index in 0..<10_000 { bench.loader.task(for: ImageRequest(url: url("\(index)"))).cancel() }
        bench.loader.isPaused = false
        _ = try await bench.loader.image(for: url("last"))
        await bench.waitUntilIdle()
        #expect(bench.network.requests.map(\.url) == [url("last")])
    }

    @Test func aRunningDecodeIsCancelledWhenItsLastLoadIs() async throws {
        let (began, wasCancelled) = (EventLog<Void>(), EventLog<Bool>())
        let decoder = ScriptedDecoder { _, options in
            began.append(())
            // A decoder looks at its token between rows; this one has many.
            while options.cancellation?.isCancelled != true {}
            wasCancelled.append(true)
            try options.checkCancellation()
        }
        let bench = Bench(decoder: decoder)
        let task = bench.loader.task(for: ImageRequest(url: url("x")))
        await began.wait(forCount: 1)
        task.cancel()
        await wasCancelled.wait(forCount: 1)
        await bench.waitUntilIdle()
        #expect(bench.memory.keys.isEmpty)
    }

    @Test func aLoaderThatGoesAwayCancelsItsLoads() async throws {
        let network = ScriptedLoader(gate: Gate()) { _ in .body(Data([7])) }
        var loader: ImageLoader? = ImageLoader(.init(dataLoader: network, decoder: ScriptedDecoder()))
        let task = loader!.task(for: ImageRequest(url: url("x")))
        await network.gate.waitForArrivals(1)
        loader = nil
        await #expect(throws: LoadFailure.cancelled) { try await task.response }
    }

    @Test func aLoadStartedAfterACancelBeginsAfresh() async throws {
        let bench = Bench.held()
        let first = bench.loader.task(for: ImageRequest(url: url("x")))
        await bench.network.gate.waitForArrivals(1)
        first.cancel()
        let second = bench.loader.task(for: ImageRequest(url: url("x")))
        await bench.network.waitForRequests(2)
        bench.network.gate.open()
        #expect(red(try await second.response.image) == 7)
        await #expect(throws: LoadFailure.cancelled) { try await first.response }
    }

    @Test func startingAndCancellingTenThousandLeavesNothingBehind() async throws {
        let bench = Bench.held()
        weak var last: ImageTask?
        do {
            for index in 0..<10_000 {
                let task = bench.loader.task(for: ImageRequest(url: url("\(index)")))
                task.cancel()
                last = task
            }
        }
        await bench.waitUntilIdle()
        #expect(last == nil)
    }

    @Test func theQueuesShrinkAfterABurst() async throws {
        let bench = Bench.held()
        var capacity: Int {
            bench.loader.coordinator.state.withLock { state in
                max(state.scheduler[.network].tickets.capacity, state.sharing.capacity)
            }
        }
        let tasks = (0..<400).map { bench.loader.task(for: ImageRequest(url: url("\($0)"))) }
        // They ask the data cache first; all but those that one host may have at a time then wait for the network.
        while bench.loader.activity.queued < 394 { await Task.yield() }
        #expect(capacity > 256)
        for task in tasks { task.cancel() }
        await bench.waitUntilIdle()
        #expect(capacity <= 256)
    }
}
