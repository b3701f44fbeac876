internal import ImageCore

/// Runs one stage that has its slot: checks for cancellation, picks the thread, reports and measures the stage, gives the slot
/// back, and wraps errors once.
struct StageRunner: Sendable {
    let work: SharedWork
    let stage: Next.Stage
    let coordinator: LoadCoordinator

    /// Starts the stage and returns.
    func start() {
        switch stage.body {
        case .task(let body):
            let task = Task { await run(body) }
            work.token.onCancel { task.cancel() }
        case .worker(let bytes, let body):
            coordinator.parts.workers.submit { run(bytes, body) }
        }
    }

    private func run(_ body: () async throws -> Next.Stage.Continuation) async {
        guard !work.token.isCancelled else { return end(.zero, nil, CancellationError()) }
        var next: Next.Stage.Continuation?
        var failure: (any Error)?
        let timer = StageTimer(stage.name, work.plan, coordinator)
        do {
            next = try await body()
        } catch {
            failure = error
        }
        end(timer.end(), next, failure)
    }

    private func run(_ bytes: (@Sendable () -> Int)?, _ body: () throws -> Next.Stage.Continuation) {
        guard !work.token.isCancelled else { return end(.zero, nil, CancellationError()) }
        if let needed = bytes?(), needed > 0, !coordinator.claim(needed, for: work) {
            return coordinator.waitForMemory(needed, work, stage)
        }
        var next: Next.Stage.Continuation?
        var failure: (any Error)?
        let timer = StageTimer(stage.name, work.plan, coordinator)
        do {
            next = try body()
        } catch {
            failure = error
        }
        end(timer.end(), next, failure)
    }

    /// Gives the slot back and continues.
    private func end(_ working: Duration, _ next: Next.Stage.Continuation?, _ error: (any Error)?) {
        // A codec that cannot be stopped may still hold memory.
        if error != nil, let remainder = work.token.takeRemainder() { coordinator.hold(remainder) }
        coordinator.release(work)
        coordinator.proceed(work, stage.name) {
            guard let next else { throw error ?? ImageError.noInput }
            return try next(StageTimes(waiting: stage.waited, working: working))
        }
    }
}

/// Measures one stage, and reports its begin and its end.
private struct StageTimer {
    private let stage: LoadStage?
    private let plan: LoadPlan
    private let coordinator: LoadCoordinator
    private let began: ContinuousClock.Instant

    init(_ stage: LoadStage?, _ plan: LoadPlan, _ coordinator: LoadCoordinator) {
        if let stage { coordinator.observe(.stageBegan(stage), plan) }
        (self.stage, self.plan, self.coordinator) = (stage, plan, coordinator)
        began = ContinuousClock.now
    }

    func end() -> Duration {
        let time = ContinuousClock.now - began
        if let stage { coordinator.observe(.stageEnded(stage, time), plan) }
        return time
    }
}
