internal import ImageCore

/// One stage of work, from the wait for its slot to its end: checks for cancellation, picks the thread, reports and measures the
/// wait and the stage, and wraps errors once.
final class StageRunner: Sendable {
    let work: SharedWork
    private let stage: WorkStep.Stage
    private let coordinator: LoadCoordinator
    private let queued = ContinuousClock.now

    /// Reports that the stage waits.
    init(_ stage: WorkStep.Stage, of work: SharedWork, _ coordinator: LoadCoordinator) {
        (self.stage, self.work, self.coordinator) = (stage, work, coordinator)
        if stage.resource.isLimited, let name = stage.name { coordinator.observe(.waitBegan(name), work.plan) }
    }

    /// The host whose slots the stage needs; empty for a stage that is no fetch.
    var host: String { stage.resource == .network ? work.plan.host : "" }

    /// Requests the slot of the stage. Returns whether the stage may start.
    func request(from scheduler: inout Scheduler, host: String, _ rank: QueueRank) -> Bool {
        scheduler.request(stage.resource, for: work.id, host: host, bytes: stage.bytes, rank: rank)
    }

    /// Reports that the wait has ended. Returns when it did.
    @discardableResult
    func endWait() -> ContinuousClock.Instant {
        let now = ContinuousClock.now
        if stage.resource.isLimited, let name = stage.name { coordinator.observe(.waitEnded(name, now - queued), work.plan) }
        return now
    }

    /// Starts the stage, which has its slot, and returns.
    ///
    /// - Parameter isNext: whether the work comes to this stage now, and has not waited for its slot.
    func start(isNext: Bool = false) {
        switch stage.body {
        case .task(let body):
            let task = isNext && stage.resource == .network ? makeFetch(body) : Task { await run(body) }
            work.token.onCancel { task.cancel() }
        case .worker(let bytes, let body):
            coordinator.parts.workers.submit { self.run(bytes, body) }
        }
    }

    /// Makes the task of a fetch. On a worker, such as that of the prefetch whose end made room for this one, it begins at once: to
    /// wake another thread, which then passes the decode back to the worker, takes as long as everything else together.
    ///
    /// It must not begin at once on another thread, which may be the main one or hold a lock of the caller. Fetches that waited do not
    /// either: if each failed at once and let the next one begin, they would fill the stack.
    private func makeFetch(_ body: @escaping @Sendable () async throws -> WorkStep.Stage.Continuation) -> Task<Void, Never> {
        if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *), coordinator.parts.workers.isCurrent {
            return Task.immediate { await run(body) }
        }
        return Task { await run(body) }
    }

    private func run(_ body: () async throws -> WorkStep.Stage.Continuation) async {
        guard let began = begin() else { return }
        do {
            succeed(try await body(), began)
        } catch {
            fail(error, began)
        }
    }

    private func run(_ bytes: (@Sendable () -> Int)?, _ body: () throws -> WorkStep.Stage.Continuation) {
        if !work.token.isCancelled, let needed = bytes?(), needed > 0, !coordinator.claim(needed, for: work) {
            return waitForMemory(needed)
        }
        guard let began = begin() else { return }
        do {
            succeed(try body(), began)
        } catch {
            fail(error, began)
        }
    }

    /// There is not enough memory for the stage: it gives its slot back, and waits for both.
    private func waitForMemory(_ bytes: Int) {
        var stage = stage
        (stage.bytes, stage.waited) = (bytes, waited(until: endWait()))
        if case .worker(_, let body) = stage.body { stage.body = .worker(bytes: nil, body) }
        coordinator.wait(for: stage, work)
    }

    private func waited(until time: ContinuousClock.Instant) -> Duration { stage.waited + (time - queued) }

    /// Reports that the wait has ended and that the stage begins. Returns when it did so; `nil` where the work has been cancelled,
    /// and has ended.
    private func begin() -> ContinuousClock.Instant? {
        let began = endWait()
        guard !work.token.isCancelled else {
            coordinator.proceed(work, stage.name) { throw CancellationError() }
            return nil
        }
        coordinator.observeBegin(of: stage.name, work.plan)
        return began
    }

    private func succeed(_ next: WorkStep.Stage.Continuation, _ began: ContinuousClock.Instant) {
        let time = coordinator.observeEnd(of: stage.name, since: began, work.plan)
        let times = StageTimes(waiting: waited(until: began), working: time)
        coordinator.proceed(work, stage.name) { try next(times) }
    }

    private func fail(_ error: any Error, _ began: ContinuousClock.Instant) {
        // A codec that cannot be stopped may still hold memory.
        if let memory = work.token.takeResidualMemory() { coordinator.hold(memory) }
        coordinator.observeEnd(of: stage.name, since: began, work.plan)
        coordinator.proceed(work, stage.name) { throw error }
    }
}
