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

    /// Reports that the wait has ended. Returns how long it was.
    @discardableResult
    func endWait() -> Duration {
        let waited = ContinuousClock.now - queued
        if stage.resource.isLimited, let name = stage.name { coordinator.observe(.waitEnded(name, waited), work.plan) }
        return waited
    }

    /// Starts the stage, which has its slot, and returns.
    ///
    /// - Parameter isNext: whether the work comes to this stage now, and has not waited for its slot.
    func start(isNext: Bool = false) {
        switch stage.body {
        case .task(let body):
            let task = body(self, isNext)
            work.token.onCancel { task.cancel() }
        case .worker(let bytes, let body):
            coordinator.parts.workers.submit { if self.hasMemory(bytes) { body(self) } }
        }
    }

    /// Makes the task of the stage. A fetch begins at once on a worker, such as that of the prefetch whose end made room for this one:
    /// to wake another thread, which then passes the decode back to the worker, takes as long as everything else together.
    ///
    /// It must not begin at once on another thread, which may be the main one or hold a lock of the caller. Fetches that waited do not
    /// either: if each failed at once and let the next one begin, they would fill the stack.
    func makeTask(isNext: Bool, _ operation: @escaping @Sendable @isolated(any) () async -> Void) -> Task<Void, Never> {
        if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *), isNext, stage.resource == .network,
            coordinator.parts.workers.isCurrent
        {
            return Task.immediate(operation: operation)
        }
        return Task(operation: operation)
    }

    /// Whether there is enough memory for the stage. If not, it gives its slot back, and waits for both.
    private func hasMemory(_ bytes: (@Sendable () -> Int)?) -> Bool {
        guard !work.token.isCancelled, let needed = bytes?(), needed > 0, !coordinator.claim(needed, for: work) else {
            return true
        }
        var stage = stage
        (stage.bytes, stage.waited) = (needed, stage.waited + endWait())
        if case .worker(_, let body) = stage.body { stage.body = .worker(bytes: nil, body) }
        coordinator.wait(for: stage, work)
        return false
    }

    // MARK: Called by the body of the stage

    /// Reports that the wait has ended and that the stage begins. Returns how long the wait was; `nil` where the work has been
    /// cancelled, and has ended.
    func begin() -> Duration? {
        let waited = endWait()
        guard !work.token.isCancelled else {
            coordinator.proceed(work, stage.name) { throw CancellationError() }
            return nil
        }
        if let name = stage.name { coordinator.observe(.stageBegan(name), work.plan) }
        return waited
    }

    /// Reports the end of the stage, and continues the work.
    // Not inlined: a task that waits for its stage keeps the frame of the body, which would grow by the step that is made here.
    @inline(never)
    func succeed(after waited: Duration, then: (StageTimes) throws -> WorkStep) {
        let times = end(after: waited)
        coordinator.proceed(work, stage.name) { try then(times) }
    }

    /// Reports the end of the stage, and ends the work.
    func fail(_ error: any Error, after waited: Duration) {
        _ = end(after: waited)
        coordinator.proceed(work, stage.name) { throw error }
    }

    private func end(after waited: Duration) -> StageTimes {
        let time = ContinuousClock.now - queued - waited
        if let name = stage.name { coordinator.observe(.stageEnded(name, time), work.plan) }
        return StageTimes(waiting: stage.waited + waited, working: time)
    }
}
