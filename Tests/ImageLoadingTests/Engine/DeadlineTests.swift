import CalotypeTesting
import ImageCore
import ImageLoading
import Testing

/// The deadline of a load: from its start to its end, whatever it waits for.
@Suite(.timeLimit(.minutes(1))) struct Deadlines {
    private let clock = ManualClock()

    private func bench(_ network: ScriptedLoader, _ adjust: (inout ImageLoader.Configuration) -> Void = { _ in }) -> Bench {
        Bench(network: network) {
            $0.clock = clock
            adjust(&$0)
        }
    }

    private static func held() -> ScriptedLoader { ScriptedLoader(gate: Gate()) { _ in .body(Data([7])) } }

    private func request(_ name: String, deadline: Duration? = .seconds(10)) -> ImageRequest {
        var request = ImageRequest(url: url(name))
        if let deadline { request.options.deadline = deadline }
        return request
    }

    private func code(_ task: ImageTask) async -> ImageError.Code? {
        do {
            _ = try await task.response
            return nil
        } catch { return error.error?.code }
    }

    @Test func aLoadOfASilentServerEndsAtItsDeadline() async throws {
        let bench = bench(Self.held())
        let task = bench.loader.task(for: request("x"))
        await bench.network.gate.waitForArrivals(1)
        await clock.waitForSleeps(1)
        clock.advance(by: .milliseconds(9_999))
        #expect(bench.loader.activity.loads == 1 && bench.network.cancelled == 0)
        clock.advance(by: .milliseconds(1))
        #expect(await code(task) == .deadlineExceeded)
        await bench.waitUntilIdle()
        #expect(bench.network.cancelled == 1 && bench.memory.keys.isEmpty)
    }

    @Test func timeInTheQueueCounts() async throws {
        let bench = bench(Self.held()) { $0.limits.fetches = 1 }
        let first = bench.loader.task(for: request("first", deadline: nil))
        await bench.network.gate.waitForArrivals(1)
        let waiting = bench.loader.task(for: request("waiting"))
        while bench.loader.activity.queued == 0 { await Task.yield() }
        await clock.waitForSleeps(1)
        clock.advance(by: .seconds(10))
        #expect(await code(waiting) == .deadlineExceeded)
        bench.network.gate.open()
        _ = try await first.response
        await bench.waitUntilIdle()
        #expect(bench.network.requests.map(\.url.lastPathComponent) == ["first"])
    }

    @Test func theDeadlineHoldsForAllSourcesTogether() async throws {
        let network = ScriptedLoader(gate: Gate()) { request in
            request.url.lastPathComponent == "broken" ? .failure(ImageError(.connectionLost, message: "lost")) : .body(Data([7]))
        }
        let bench = bench(network)
        var request = request("broken")
        request.fallbacks = [.url(url("fallback"))]
        let task = bench.loader.task(for: request)
        await network.gate.waitForArrivals(1)
        await clock.waitForSleeps(1)
        clock.advance(by: .seconds(6))
        network.gate.letOneThrough()
        await network.gate.waitForArrivals(2)
        // The second source has what is left.
        let left = try #require(network.requests.last?.deadline?.remaining)
        #expect(network.requests.last?.url.lastPathComponent == "fallback" && left == .seconds(4))
        clock.advance(by: .seconds(4))
        #expect(await code(task) == .deadlineExceeded)
        await bench.waitUntilIdle()
        // A network layer that has not ended yet does not get more time when the load has left.
        #expect(network.requests.last?.deadline?.remaining == .zero)
    }

    @Test func aSharedFetchContinuesForALoadWithALaterDeadline() async throws {
        let bench = bench(Self.held())
        let (hasty, calm) = (bench.loader.task(for: request("x")), bench.loader.task(for: request("x", deadline: nil)))
        await bench.network.gate.waitForArrivals(1)
        await clock.waitForSleeps(1)
        clock.advance(by: .seconds(10))
        #expect(await code(hasty) == .deadlineExceeded)
        #expect(bench.network.cancelled == 0)
        bench.network.gate.open()
        #expect(try await red(calm.response.image) == 7)
        #expect(bench.network.requests.count == 1)
    }

    @Test func theDeadlineOfASharedFetchIsTheLatestOfItsLoads() async throws {
        let bench = bench(Self.held())
        let hasty = bench.loader.task(for: request("x"))
        await bench.network.gate.waitForArrivals(1)
        let deadline = try #require(bench.network.requests.first?.deadline)
        #expect(deadline.remaining == .seconds(10) && deadline.limit == .seconds(10))
        let later = bench.loader.task(for: request("x", deadline: .seconds(30)))
        #expect(deadline.remaining == .seconds(30))
        // A load without a deadline waits as long as it takes.
        let calm = bench.loader.task(for: request("x", deadline: nil))
        #expect(deadline.remaining > .seconds(1_000_000))
        calm.cancel()
        later.cancel()
        #expect(deadline.remaining == .seconds(10))
        bench.network.gate.open()
        _ = try await hasty.response
    }

    /// A load may join a fetch in the moment in which that ends at the deadline of the loads before.
    @Test(arguments: [1, 2]) func aLoadBeginsOnceMoreWhereTheDeadlineOfAnotherEndedItsFetch(failures: Int) async throws {
        let left = Lock(failures)
        let network = ScriptedLoader { _ in
            let fails = left.withLock { left in
                left -= 1
                return left >= 0
            }
            return fails ? .failure(ImageError(.deadlineExceeded, message: "The deadline has passed.")) : .body(Data([7]))
        }
        let bench = bench(network)
        let task = bench.loader.task(for: request("x", deadline: nil))
        #expect(await code(task) == (failures == 1 ? nil : .deadlineExceeded))
        await bench.waitUntilIdle()
        #expect(network.requests.count == 2)
    }

    @Test func aLoadThatEndsInTimeLeavesNoTimerBehind() async throws {
        let bench = bench(ScriptedLoader { _ in .body(Data([7])) })
        weak var task: ImageTask?
        do {
            let load = bench.loader.task(for: request("x"))
            task = load
            #expect(try await red(load.response.image) == 7)
        }
        await bench.waitUntilIdle()
        while task != nil { await Task.yield() }
        clock.advance(by: .seconds(20))
    }

    @Test func theErrorNamesTheLimitAndTheSourcesThatFailed() async throws {
        let bench = bench(Self.held())
        let task = bench.loader.task(for: request("x"))
        await bench.network.gate.waitForArrivals(1)
        await clock.waitForSleeps(1)
        clock.advance(by: .seconds(10))
        let failure = await #expect(throws: LoadFailure.self) { try await task.response }
        #expect(
            failure?.error?.message
                == "The load of http://example.org/x did not end within its deadline of 10 s. Raise the deadline to wait longer.")
    }
}
