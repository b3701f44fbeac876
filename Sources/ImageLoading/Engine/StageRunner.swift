internal import ImageCore

/// Runs the stages of a job: waits for a slot, checks for cancellation, picks the thread, reports and measures the wait
/// and the stage, and wraps errors once.
struct StageRunner: Sendable {
    let coordinator: LoadCoordinator
    let job: Job

    /// Runs a stage in the task of the job.
    ///
    /// - Parameters:
    ///   - stage: the name under which observers see it.
    ///   - resource: what it occupies; `nil` for what limits itself.
    ///   - body: the stage.
    /// - Throws: what `body` throws, as an error of the stage; `CancellationError` once the job has no subscriber left.
    func run<Output: Sendable>(
        _ stage: LoadStage, on resource: ResourceClass? = nil, _ body: () async throws -> Output
    ) async throws -> Output {
        try await waitForSlot(resource, stage)
        defer { if resource != nil { coordinator.release(job) } }
        return try await measure(stage, body)
    }

    /// Runs a stage on a worker thread.
    ///
    /// - Parameters:
    ///   - stage: the name under which observers see it.
    ///   - bytes: computes there how much memory the stage takes. If there is not enough, the stage gives its slot
    ///     back, waits for a slot and the memory, and begins again.
    ///   - body: the stage.
    func runOnWorker<Output: Sendable>(
        _ stage: LoadStage, bytes: @escaping @Sendable () -> Int = { 0 }, _ body: @escaping @Sendable () throws -> Output
    ) async throws -> Output {
        var needed: Int?
        while true {
            try await waitForSlot(.worker, stage, bytes: needed ?? 0)
            defer { coordinator.release(job) }
            let result = try await measure(stage) { [hasMemory = needed != nil] in
                try await coordinator.components.workers.run { [coordinator, job] () -> WorkerResult<Output> in
                    let bytes = hasMemory ? 0 : bytes()
                    guard bytes == 0 || coordinator.claim(bytes, for: job) else { return .needsMemory(bytes) }
                    return .output(try body())
                }
            }
            switch result {
            case .output(let output): return output
            case .needsMemory(let bytes): needed = bytes
            }
        }
    }

    private enum WorkerResult<Output: Sendable>: Sendable {
        case output(Output)
        case needsMemory(Int)
    }

    private func waitForSlot(_ resource: ResourceClass?, _ stage: LoadStage, bytes: Int = 0) async throws {
        try job.token.check()
        guard let resource else { return }
        let queued = ContinuousClock.now
        coordinator.observe(.waitBegan(stage), job.plan)
        defer {
            let time = ContinuousClock.now - queued
            job.metrics.withLock { $0.waiting += time }
            coordinator.observe(.waitEnded(stage, time), job.plan)
        }
        try await coordinator.waitForSlot(resource, bytes: bytes, for: job)
    }

    private func measure<Output: Sendable>(
        _ stage: LoadStage, _ body: () async throws -> Output
    ) async throws -> Output {
        try job.token.check()
        let began = ContinuousClock.now
        coordinator.observe(.stageBegan(stage), job.plan)
        defer {
            let time = ContinuousClock.now - began
            job.metrics.withLock { $0.add(time, of: stage) }
            coordinator.observe(.stageEnded(stage, time), job.plan)
        }
        do {
            return try await body()
        } catch {
            // A plug-in may throw `CancellationError` too: a failure like any other if the job is not cancelled.
            if job.token.isCancelled { throw CancellationError() }
            throw ImageError.wrapping(error, stage: stage, source: job.plan.request.description)
        }
    }
}
