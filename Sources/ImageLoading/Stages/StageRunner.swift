internal import ImageCore

/// Runs the stages of one piece of work: waits for a slot, reports and measures the stage, checks for cancellation, and
/// wraps errors once.
struct StageRunner: Sendable {
    let work: SharedWork
    let parts: LoaderParts
    let coordinator: LoadCoordinator

    /// How long a stage waited and worked.
    struct Times: Sendable {
        var waiting = Duration.zero
        var working = Duration.zero
    }

    /// Runs an asynchronous stage in the task of the work.
    ///
    /// - Parameters:
    ///   - resource: what the stage occupies while it runs.
    ///   - host: the host of a fetch.
    func run<R: Sendable>(
        _ stage: LoadStage, on resource: ResourceClass, host: String = "", _ body: () async throws -> R
    ) async throws -> (R, Times) {
        do {
            let waiting = try await acquire(resource, for: stage, host: host, bytes: 0)
            defer { coordinator.release(work) }
            let timer = StageTimer(stage, work.plan, coordinator)
            defer { timer.end() }
            try work.token.check()
            let result = try await body()
            return (result, Times(waiting: waiting, working: timer.elapsed))
        } catch {
            throw failure(error, in: stage)
        }
    }

    /// Runs a stage on a worker thread.
    ///
    /// - Parameters:
    ///   - bytes: learns, on the worker thread, how much memory the stage takes. Where there is not enough, the stage gives its
    ///     slot back and waits for both.
    func runOnWorker<R: Sendable>(
        _ stage: LoadStage, bytes: @escaping @Sendable () -> Int = { 0 }, _ body: @escaping @Sendable () throws -> R
    ) async throws -> (R, Times) {
        do {
            var waiting = try await acquire(.worker, for: stage, host: "", bytes: 0)
            var attempt = try await onWorker(stage, bytes, body)
            if case .needs(let bytes) = attempt {
                waiting += try await acquire(.worker, for: stage, host: "", bytes: bytes)
                attempt = try await onWorker(stage, nil, body)
            }
            guard case .ended(let result, let working) = attempt else { throw CancellationError() }
            return (result, Times(waiting: waiting, working: working))
        } catch {
            throw failure(error, in: stage)
        }
    }

    private enum Attempt<R: Sendable>: Sendable {
        case ended(R, Duration)
        /// There is not enough memory for the stage.
        case needs(Int)
    }

    /// Runs a stage that has a slot, and gives the slot back.
    private func onWorker<R: Sendable>(
        _ stage: LoadStage, _ bytes: (@Sendable () -> Int)?, _ body: @escaping @Sendable () throws -> R
    ) async throws -> Attempt<R> {
        defer { coordinator.release(work) }
        return try await parts.workers.run { [self] in
            try work.token.check()
            if let needed = bytes?(), needed > 0, !coordinator.claim(needed, for: work) { return .needs(needed) }
            let timer = StageTimer(stage, work.plan, coordinator)
            defer { timer.end() }
            let result = try body()
            return .ended(result, timer.elapsed)
        }
    }

    /// Waits for a slot. Returns how long that took.
    private func acquire(_ resource: ResourceClass, for stage: LoadStage, host: String, bytes: Int) async throws -> Duration {
        guard resource.isLimited else {
            try await coordinator.acquire(resource, for: work, host: host, bytes: bytes)
            return .zero
        }
        coordinator.observe(.waitBegan(stage), work.plan)
        let began = ContinuousClock.now
        defer { coordinator.observe(.waitEnded(stage, ContinuousClock.now - began), work.plan) }
        try await coordinator.acquire(resource, for: work, host: host, bytes: bytes)
        return ContinuousClock.now - began
    }

    /// The error of a stage as its loads get it.
    private func failure(_ error: any Error, in stage: LoadStage) -> any Error {
        // A codec that cannot be stopped may still hold memory.
        if let remainder = work.token.takeRemainder() { coordinator.hold(remainder) }
        if work.token.isCancelled || error is CancellationError { return CancellationError() }
        if error is CacheError { return error }
        return ImageError.wrapping(error, stage: stage, source: work.plan.request.description)
    }
}

/// Measures one stage, and reports its begin and its end.
private struct StageTimer {
    private let stage: LoadStage
    private let plan: LoadPlan
    private let coordinator: LoadCoordinator
    private let began: ContinuousClock.Instant

    init(_ stage: LoadStage, _ plan: LoadPlan, _ coordinator: LoadCoordinator) {
        coordinator.observe(.stageBegan(stage), plan)
        (self.stage, self.plan, self.coordinator) = (stage, plan, coordinator)
        began = ContinuousClock.now
    }

    var elapsed: Duration { ContinuousClock.now - began }

    func end() { coordinator.observe(.stageEnded(stage, elapsed), plan) }
}
