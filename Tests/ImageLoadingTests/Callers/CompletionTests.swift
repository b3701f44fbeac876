import CalotypeTesting
import Dispatch
import HTTPTypes
import ImageCore
import Testing

@testable import ImageLoading

@Suite(.timeLimit(.minutes(1))) struct CompletionClosures {
    /// On a thread of its own, since one that is held would be missing in the pool.
    private actor Owner {
        private nonisolated let executor = QueueExecutor()
        nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }
        let log = EventLog<String>()

        func start(_ request: ImageRequest, with loader: ImageLoader) -> ImageTask {
            loader.load(request, on: self) { owner, result in
                owner.assertIsolated()
                owner.log.append((try? result.get().tier.rawValue) ?? "failed")
            }
        }

        /// Cancels while the completion is already on its way here.
        func cancelLate(_ token: ImageTask, loader: ImageLoader, open: () -> Void) {
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

    /// GAPS "API": a trailing closure is the completion, which is called once, and not the closure of the events.
    @Test func aTrailingClosureIsTheCompletionAndIsCalledOnce() async throws {
        let bench = Bench()
        let log = EventLog<Void>()
        let task = bench.loader.load(ImageRequest(url: url("x"))) { _ in log.append(()) }
        _ = try await task.image
        await log.wait(forCount: 1)
        await bench.waitUntilIdle()
        for _ in 0..<100 { await Task.yield() }
        #expect(log.count == 1)
    }

    // MARK: Progress

    private func bench(_ gate: Gate) -> Bench {
        let chunks = [Data([7]), Data([7, 7]), Data([7])]
        return Bench(
            network: ScriptedLoader { _ in
                .response(HTTPResponse(status: .ok, headerFields: [.contentLength: "4"]), chunks: chunks, gate: gate)
            })
    }

    /// Whether the numbers grow, at most to 4, and the last event is the completion.
    private func isInOrder(_ events: [String]) -> Bool {
        let received = events.dropLast().compactMap { Int($0) }
        return events.last == "network" && received.count == events.count - 1 && received == Array(Set(received)).sorted()
            && !received.isEmpty && received.last == 4
    }

    @Test func progressIsReportedOnTheQueueBeforeTheCompletion() async throws {
        let (gate, queue, log) = (Gate(), queue("here"), EventLog<String>())
        let bench = bench(gate)
        bench.loader.load(
            ImageRequest(url: url("x")), on: queue,
            progress: { progress in
                log.append(DispatchQueue.getSpecific(key: Self.key) == "here" ? "\(progress.received)" : "elsewhere")
            }, completion: { log.append((try? $0.get().tier.rawValue) ?? "failed") })
        gate.open()
        await log.wait { $0.last == "network" }
        #expect(isInOrder(log.events), "\(log.events)")
    }

    @Test func progressIsReportedOnTheActorBeforeTheCompletion() async throws {
        let (gate, owner) = (Gate(), Owner())
        let bench = bench(gate)
        bench.loader.load(
            ImageRequest(url: url("x")), on: owner,
            progress: { owner, progress in
                owner.assertIsolated()
                owner.log.append("\(progress.received)")
            }, completion: { owner, result in owner.log.append((try? result.get().tier.rawValue) ?? "failed") })
        gate.open()
        await owner.log.wait { $0.last == "network" }
        #expect(isInOrder(owner.log.events), "\(owner.log.events)")
    }

    @Test func progressIsReportedOnTheMainActorBeforeTheCompletion() async throws {
        let (gate, log) = (Gate(), EventLog<String>())
        let bench = bench(gate)
        bench.loader.load(url("x")) { progress in
            MainActor.assertIsolated()
            log.append("\(progress.received)")
        } completion: { result in
            log.append((try? result.get().tier.rawValue) ?? "failed")
        }
        gate.open()
        await log.wait { $0.last == "network" }
        #expect(isInOrder(log.events), "\(log.events)")
    }

    @Test func cancellingHoldsBackProgressThatIsOnItsWay() async throws {
        let (gate, queue, log) = (Gate(), queue("here"), EventLog<String>())
        let bench = bench(gate)
        queue.suspend()
        let task = bench.loader.load(
            ImageRequest(url: url("x")), on: queue, progress: { _ in log.append("progress") },
            completion: { _ in log.append("completion") })
        gate.open()
        await bench.waitUntilIdle()
        task.cancel()
        queue.resume()
        await drain(queue)
        #expect(log.count == 0)
    }

    @Test func droppingTheHandleCancelsNothing() async throws {
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

@Suite(.timeLimit(.minutes(1)))
struct Owners {
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
        // A load ends before its fetch does.
        while bench.network.cancelled < 2 { await Task.yield() }
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

    // MARK: Prefetchers and all loads

    private func names(_ count: Int) -> [URL] { (0..<count).map { url("\($0)") } }

    @Test func cancellingAnOwnerStopsItsPrefetchersAndNoOthers() async throws {
        let bench = Bench.held()
        let mine = ImagePrefetcher(loader: bench.loader, maximumLoads: 1, owner: LoadOwner("screen"))
        let other = ImagePrefetcher(loader: bench.loader, maximumLoads: 1)
        mine.start(names(3))
        other.start([request("7", owner: nil), request("8", owner: "screen"), request("9", owner: nil)])
        await bench.network.gate.waitForArrivals(2)
        bench.loader.cancel(owner: LoadOwner("screen"))
        await mine.waitUntilIdle()
        #expect(other.activity == (1, 1))
        while bench.network.cancelled < 1 { await Task.yield() }
        bench.network.gate.open()
        await other.waitUntilIdle()
        await bench.waitUntilIdle()
        // The two prefetchers start in any order.
        #expect(bench.network.requests.map(\.url.lastPathComponent).sorted() == ["0", "7", "9"] && bench.network.cancelled == 1)
    }

    @Test func cancelAllEndsEveryLoadAndThePrefetchers() async throws {
        let bench = Bench.held()
        let prefetcher = ImagePrefetcher(loader: bench.loader, maximumLoads: 1)
        let tasks = names(3).map { bench.loader.task(for: $0) }
        await bench.network.gate.waitForArrivals(3)
        prefetcher.start([url("8"), url("9")])
        await bench.network.gate.waitForArrivals(4)
        bench.loader.cancelAll()
        for task in tasks { await #expect(throws: LoadFailure.cancelled) { try await task.image } }
        await prefetcher.waitUntilIdle()
        await bench.waitUntilIdle()
        #expect(bench.network.requests.count == 4 && bench.network.cancelled == 4)
        // Later loads and prefetches are not affected.
        bench.network.gate.open()
        _ = try await bench.loader.image(for: url("a"))
        prefetcher.start([url("8")])
        await prefetcher.waitUntilIdle()
        #expect(bench.loader.cachedImage(for: url("8")) != nil)
    }

    @Test func aReleasedPrefetcherIsForgotten() {
        let bench = Bench()
        do { _ = ImagePrefetcher(loader: bench.loader) }
        #expect(bench.loader.coordinator.prefetchers.isEmpty)
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
