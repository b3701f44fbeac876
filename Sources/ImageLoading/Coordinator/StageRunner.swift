internal import ImageCore

/// One stage of work, from the wait for its slot to its end: checks for cancellation, picks the thread, reports and measures the
/// wait and the stage, gives the slot back, and wraps errors once.
final class StageRunner: Sendable {
    let work: SharedWork
    private let stage: Next.Stage
    private let coordinator: LoadCoordinator
    private let queued = ContinuousClock.now

    /// Reports that the stage waits.
    init(_ stage: Next.Stage, of work: SharedWork, _ coordinator: LoadCoordinator) {
        (self.stage, self.work, self.coordinator) = (stage, work, coordinator)
        if stage.resource.isLimited, let name = stage.name { coordinator.observe(.waitBegan(name), work.plan) }
    }

    /// Requests the slot of the stage. Returns whether the stage may start.
    func request(from scheduler: inout Scheduler, _ rank: QueueRank) -> Bool {
        scheduler.request(stage.resource, for: work.id, host: stage.host, bytes: stage.bytes, rank: rank)
    }

    /// Reports that the wait has ended. Returns how long it took.
    @discardableResult
    func endWait() -> Duration {
        let waited = ContinuousClock.now - queued
        if stage.resource.isLimited, let name = stage.name { coordinator.observe(.waitEnded(name, waited), work.plan) }
        return waited
    }

    /// Starts the stage, which has its slot, and returns.
    func start() {
        let waited = stage.waited + endWait()
        switch stage.body {
        case .task(let body):
            let task = Task { await run(body, waited) }
            work.token.onCancel { task.cancel() }
        case .worker(let bytes, let body):
            coordinator.parts.workers.submit { self.run(bytes, body, waited) }
        }
    }

    private func run(_ body: () async throws -> Next.Stage.Continuation, _ waited: Duration) async {
        guard let began = begin() else { return }
        do {
            succeed(try await body(), began, waited)
        } catch {
            fail(error, began, waited)
        }
    }

    private func run(
        _ bytes: (@Sendable () -> Int)?, _ body: () throws -> Next.Stage.Continuation, _ waited: Duration
    ) {
        if !work.token.isCancelled, let needed = bytes?(), needed > 0, !coordinator.claim(needed, for: work) {
            return waitForMemory(needed, waited)
        }
        guard let began = begin() else { return }
        do {
            succeed(try body(), began, waited)
        } catch {
            fail(error, began, waited)
        }
    }

    /// There is not enough memory for the stage: it gives its slot back, and waits for both.
    private func waitForMemory(_ bytes: Int, _ waited: Duration) {
        coordinator.release(work)
        var stage = stage
        (stage.bytes, stage.waited) = (bytes, waited)
        if case .worker(_, let body) = stage.body { stage.body = .worker(bytes: nil, body) }
        coordinator.wait(for: stage, work)
    }

    /// Reports that the stage begins. Returns when it did so; `nil` where the work has been cancelled, and has ended.
    private func begin() -> ContinuousClock.Instant? {
        guard !work.token.isCancelled else {
            coordinator.release(work)
            coordinator.proceed(work, stage.name) { throw CancellationError() }
            return nil
        }
        if let name = stage.name { coordinator.observe(.stageBegan(name), work.plan) }
        return ContinuousClock.now
    }

    /// Reports the end of the stage, and gives its slot back.
    private func end(_ began: ContinuousClock.Instant, _ waited: Duration) -> StageTimes {
        let time = ContinuousClock.now - began
        if let name = stage.name { coordinator.observe(.stageEnded(name, time), work.plan) }
        coordinator.release(work)
        return StageTimes(waiting: waited, working: time)
    }

    private func succeed(_ next: Next.Stage.Continuation, _ began: ContinuousClock.Instant, _ waited: Duration) {
        let times = end(began, waited)
        coordinator.proceed(work, stage.name) { try next(times) }
    }

    private func fail(_ error: any Error, _ began: ContinuousClock.Instant, _ waited: Duration) {
        // A codec that cannot be stopped may still hold memory.
        if let memory = work.token.takeResidualMemory() { coordinator.hold(memory) }
        _ = end(began, waited)
        coordinator.proceed(work, stage.name) { throw error }
    }
}
