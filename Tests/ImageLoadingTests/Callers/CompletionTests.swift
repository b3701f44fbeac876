import CalotypeTesting
import Dispatch
import ImageCore
import Testing

@testable import ImageLoading

@Suite struct CompletionClosures {
    /// On a thread of its own, since one that is held would be missing in the pool.
    private actor Owner {
        private nonisolated let executor = QueueExecutor()
        nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }
        let log = EventLog<String>()

        func start(_ request: ImageRequest, with loader: ImageLoader) -> LoadToken {
            loader.load(request, on: self) { owner, result in
                owner.assertIsolated()
                owner.log.append((try? result.get().tier.rawValue) ?? "failed")
            }
        }

        /// Cancels while the completion is already on its way here.
        func cancelLate(_ token: LoadToken, loader: ImageLoader, open: () -> Void) {
            open()
            while loader.activity.loads > 0 {}
            token.cancel()
        }

        func turn() {}
    }

    private static let key = DispatchSpecificKey<String>()

    private func queue(_ name: String) -> DispatchQueue {
        let queue = DispatchQueue(label: name)
        queue.setSpecific(key: Self.key, value: name)
        return queue
    }

    /// Returns when everything that was sent to the queue before has run.
    private func drain(_ queue: DispatchQueue) async {
        await withCheckedContinuation { continuation in queue.async { continuation.resume() } }
    }

    @Test func theCompletionRunsOnceOnTheQueueThatTheCallerNames() async throws {
        let bench = Bench()
        let (queue, log) = (queue("here"), EventLog<String>())
        for expected in ["network", "memory"] {
            bench.loader.load(ImageRequest(url: url("x")), on: queue) { result in
                let place = DispatchQueue.getSpecific(key: Self.key) ?? "elsewhere"
                log.append("\((try? result.get().tier.rawValue) ?? "failed") \(place)")
            }
            await log.wait { $0.last == "\(expected) here" }
        }
        await drain(queue)
        #expect(log.events == ["network here", "memory here"])
    }

    @Test func theCompletionIsNeverCalledFromInsideTheCall() async throws {
        let bench = Bench()
        _ = try await bench.loader.image(for: url("x"))
        let (queue, log) = (queue("here"), EventLog<String>())
        queue.suspend()
        bench.loader.load(ImageRequest(url: url("x")), on: queue) { _ in log.append("called") }
        #expect(log.count == 0)
        queue.resume()
        await log.wait(forCount: 1)
    }

    @Test func theCompletionRunsOnTheActorThatTheCallerNames() async throws {
        let bench = Bench()
        let owner = Owner()
        _ = await owner.start(ImageRequest(url: url("x")), with: bench.loader)
        await owner.log.wait(forCount: 1)
        #expect(owner.log.events == ["network"])
    }

    @Test func theMainActorIsThePlaceWhereNoneIsNamed() async throws {
        let bench = Bench()
        let log = EventLog<String>()
        bench.loader.load(ImageRequest(url: url("x"))) { result in
            MainActor.assertIsolated()
            log.append((try? result.get().tier.rawValue) ?? "failed")
        }
        await log.wait(forCount: 1)
        #expect(log.events == ["network"])
    }

    @Test func aFailureIsHandedOver() async throws {
        let bench = Bench(network: ScriptedLoader { _ in throw ImageError(.timedOut, message: "late") })
        let (queue, log) = (queue("here"), EventLog<LoadFailure>())
        bench.loader.load(ImageRequest(url: url("x")), on: queue) { result in
            if case .failure(let failure) = result { log.append(failure) }
        }
        await log.wait(forCount: 1)
        #expect(log.events.first?.error?.code == .timedOut)
    }

    @Test func aCancelledLoadCallsNothing() async throws {
        let bench = Bench.held()
        let (queue, log) = (queue("here"), EventLog<String>())
        let token = bench.loader.load(ImageRequest(url: url("x")), on: queue) { _ in log.append("called") }
        await bench.network.gate.waitForArrivals(1)
        token.cancel()
        await bench.waitUntilIdle()
        await drain(queue)
        #expect(log.count == 0 && bench.network.cancelled == 1)
    }

    @Test func aCancelledLoadCallsItsCompletionOnceIfRequested() async throws {
        let bench = Bench.held()
        let (queue, log) = (queue("here"), EventLog<String>())
        let token = bench.loader.load(ImageRequest(url: url("x")), on: queue, reportsCancellation: true) { result in
            if case .failure(.cancelled) = result { log.append("cancelled") } else { log.append("else") }
        }
        token.cancel()
        token.cancel()
        await log.wait(forCount: 1)
        await drain(queue)
        #expect(log.events == ["cancelled"])
    }

    @Test func cancellingWhereTheCompletionLivesHoldsBackOneThatIsOnItsWay() async throws {
        let bench = Bench()
        let (queue, log) = (queue("here"), EventLog<String>())
        queue.suspend()
        let token = bench.loader.load(ImageRequest(url: url("x")), on: queue) { _ in log.append("called") }
        await bench.waitUntilIdle()
        token.cancel()
        queue.resume()
        await drain(queue)
        #expect(log.count == 0)
    }

    @Test func theSameHoldsOnAnActor() async throws {
        let bench = Bench.held()
        let owner = Owner()
        let token = await owner.start(ImageRequest(url: url("x")), with: bench.loader)
        await bench.network.gate.waitForArrivals(1)
        await owner.cancelLate(token, loader: bench.loader) { bench.network.gate.open() }
        for _ in 0..<100 { await owner.turn() }
        #expect(owner.log.count == 0)
    }

    @Test func droppingTheTokenCancelsNothing() async throws {
        let bench = Bench.held()
        let (queue, log) = (queue("here"), EventLog<String>())
        bench.loader.load(ImageRequest(url: url("x")), on: queue) { _ in log.append("called") }
        await bench.network.gate.waitForArrivals(1)
        bench.network.gate.open()
        await log.wait(forCount: 1)
    }
}

/// Runs an actor on a queue.
private final class QueueExecutor: SerialExecutor {
    private let queue = DispatchQueue(label: "actor")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { [self] in unsafe job.runSynchronously(on: asUnownedSerialExecutor()) }
    }
}

@Suite struct Owners {
    private func request(_ name: String, owner: String?) -> ImageRequest {
        var request = ImageRequest(url: url(name))
        request.owner = owner.map { LoadOwner($0) }
        return request
    }

    @Test func cancellingAnOwnerCancelsItsLoadsAndNoOthers() async throws {
        let bench = Bench.held()
        let mine = (0..<3).map { bench.loader.task(for: request("\($0)", owner: "screen")) }
        let others = [
            bench.loader.task(for: request("4", owner: "other")), bench.loader.task(for: request("5", owner: nil)),
            // The same image as one of the cancelled ones.
            bench.loader.task(for: request("0", owner: "other")),
        ]
        await bench.network.gate.waitForArrivals(5)
        bench.loader.cancel(owner: LoadOwner("screen"))
        for task in mine { await #expect(throws: LoadFailure.cancelled) { try await task.response } }
        bench.network.gate.open()
        for task in others { _ = try await task.response }
        await bench.waitUntilIdle()
        #expect(bench.network.cancelled == 2)
    }

    @Test func awaitedImagesHaveOwnersToo() async throws {
        let bench = Bench.held()
        let waiting = Task { try await bench.loader.image(for: request("x", owner: "screen")) }
        await bench.network.gate.waitForArrivals(1)
        bench.loader.cancel(owner: LoadOwner("screen"))
        await #expect(throws: LoadFailure.cancelled) { try await waiting.value }
    }

    @Test func anObjectIsAnOwner() async throws {
        final class Screen {}
        let bench = Bench.held()
        let (first, second) = (Screen(), Screen())
        var requests = [request("a", owner: nil), request("b", owner: nil)]
        requests[0].owner = LoadOwner(first)
        requests[1].owner = LoadOwner(second)
        let tasks = requests.map { bench.loader.task(for: $0) }
        bench.loader.cancel(owner: LoadOwner(first))
        await #expect(throws: LoadFailure.cancelled) { try await tasks[0].response }
        #expect(bench.loader.activity.loads == 1)
        bench.network.gate.open()
        _ = try await tasks[1].response
        withExtendedLifetime((first, second)) {}
    }

    @Test func endedLoadsAreForgotten() async throws {
        let bench = Bench()
        for name in ["a", "b", "a"] { _ = try await bench.loader.image(for: request(name, owner: "screen")) }
        _ = try await bench.loader.task(for: request("a", owner: "screen")).response
        bench.loader.task(for: request("c", owner: "screen")).cancel()
        await bench.waitUntilIdle()
        #expect(bench.loader.coordinator.ownedLoads.isEmpty)
    }
}
