internal import ImageCore

/// Jobs: how they begin, wait and end, and what their loads get in the meantime.
extension LoadCoordinator {
    /// Runs a new job in a task of its own.
    func start(_ job: Job) {
        let task = Task { await run(job) }
        job.token.onCancel { task.cancel() }
    }

    private func run(_ job: Job) async {
        do {
            try job.token.check()
            let content = try await Pipeline(coordinator: self, job: job).makeOutput()
            finish(job, .success(LoadOutput(content, job.metrics.withLock(\.self))))
        } catch {
            finish(job, .failure(failure(error, of: job)))
        }
    }

    private func failure(_ error: any Error, of job: Job) -> LoadFailure {
        if job.token.isCancelled { return .cancelled }
        var failure = ImageError.wrapping(error, stage: .request, source: job.plan.request.description)
        failure.metrics = job.metrics.withLock { metrics in
            if let upstream = failure.metrics { metrics.add(upstream) }
            return metrics
        }
        return .failed(failure)
    }

    /// Ends a job, and delivers its output to all subscribers.
    private func finish(_ job: Job, _ outcome: Result<LoadOutput, LoadFailure>) {
        let deliveries = send { $0.finish(job.id, outcome) }
        job.endPreviews()
        if job.revalidation != nil { startRevalidation() }
        for (task, isCoalesced) in deliveries.tasks { deliver(outcome, to: task, isCoalesced: isCoalesced) }
        for dependent in deliveries.dependents {
            switch outcome {
            case .success(let output):
                dependent.continuation.resume(returning: dependent.isCoalesced ? output.coalesced() : output)
            case .failure(.failed(var error)):
                if dependent.isCoalesced { error.metrics?.isCoalesced = true }
                dependent.continuation.resume(throwing: error)
            case .failure(.cancelled): dependent.continuation.resume(throwing: CancellationError())
            }
        }
    }

    // MARK: Waiting

    /// Waits for the output of another job, which begins where it is new, and counts what that took. Decodes to several
    /// sizes share their bytes: one that can be made from a larger size gets the image of that size instead.
    ///
    /// - Parameters:
    ///   - key: names the other job.
    ///   - steps: the steps from the decoded image to that of the other job; none by default.
    ///   - scale: set for a decode to a size.
    ///   - fetched: the bytes, where they are at hand.
    ///   - dependent: the job that waits.
    /// - Throws: the error of the other job; `CancellationError` once the dependent has no subscriber left.
    func output(
        of key: JobKey, steps: [PixelStep] = [], scale: DecodeScale? = nil, fetched: Original? = nil, for dependent: Job
    ) async throws -> LoadOutput.Content {
        let output: LoadOutput = try await withCheckedThrowingContinuation { continuation in
            let upstream = send { state -> Upstream in
                switch state.sharing.subscribe(dependent.id, to: key, scale: scale) {
                case .began(let id, _):
                    let job = Job(id, key: key, plan: dependent.plan, steps: steps, fetched: fetched)
                    state.jobs[id] = LoaderState.JobState(job)
                    state.update(dependent.id) { $0.waiter = .output(continuation) }
                    return .began(job)
                case .joined(let id, _):
                    state.update(dependent.id) { $0.waiter = .output(continuation) }
                    return .joined(state.sharing.nodes[id]?.load)
                case .finished(let id): return .finished(state.jobs[id]?.output, state.sharing.nodes[id]?.load)
                case nil: return .stopped
                }
            }
            switch upstream {
            case .began(let job): start(job)
            case .joined(let load):
                if let load { observe(.joined(load), dependent.plan) }
                previewWhatHasArrived(for: dependent.id)
            case .finished(let output, let load):
                if let load { observe(.joined(load), dependent.plan) }
                if let output {
                    continuation.resume(returning: output.coalesced())
                } else {
                    continuation.resume(throwing: ImageError.noInput)
                }
            case .stopped: continuation.resume(throwing: CancellationError())
            }
        }
        dependent.metrics.withLock { $0.add(output.metrics) }
        return output.content
    }

    /// How a job found its upstream.
    private enum Upstream: Sendable {
        case began(Job)
        case joined(LoadID?)
        case finished(LoadOutput?, LoadID?)
        /// The job that needs it has no subscriber left.
        case stopped
    }

    /// Waits until a job may use a resource; ``release(_:)`` must follow.
    ///
    /// - Parameter bytes: the memory that the stage takes, where it is known.
    /// - Throws: `CancellationError` once the job has no subscriber left.
    func waitForSlot(_ resource: ResourceClass, bytes: Int = 0, for job: Job) async throws {
        let host = resource == .network ? job.plan.host : ""
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            let isGranted = send { state -> Bool? in
                guard let rank = state.sharing.rank(of: job.id) else { return nil }
                if state.scheduler.request(resource, for: job.id, host: host, bytes: bytes, rank: rank) { return true }
                state.update(job.id) { $0.waiter = .slot(continuation) }
                return false
            }
            switch isGranted {
            case true: continuation.resume()
            case false: break
            case nil: continuation.resume(throwing: CancellationError())
            }
        }
    }

    /// Ends the wait of a job for a slot, if it waits for one.
    func endWait(of job: Job, _ error: ImageError) {
        let waiter = send { state -> LoaderState.Waiter? in
            guard state.scheduler.isWaiting(job.id) else { return nil }
            state.scheduler.withdraw(job.id)
            var waiter: LoaderState.Waiter?
            state.update(job.id) { waiter = $0.waiter.take() }
            return waiter
        }
        if case .slot(let continuation) = waiter { continuation.resume(throwing: error) }
    }

    /// How much of the body of a job has arrived; `nil` before the first bytes.
    func receivedBytes(of job: Job) -> Int? { state.withLock { $0.jobs[job.id]?.progress?.received } }

    /// The stage of a job has returned.
    func release(_ job: Job) { send { $0.scheduler.release(job.id) } }

    /// Whether there is memory for a stage that has its slot.
    func claim(_ bytes: Int, for job: Job) -> Bool { send { $0.scheduler.claim(bytes, for: job.id) } }

    /// The purpose and the priority with which a job waits.
    func rank(of job: Job) -> RankClass {
        state.withLock { $0.sharing.rank(of: job.id) }?.rankClass ?? RankClass(job.plan.request.purpose, job.plan.priority)
    }

    // MARK: Progress and previews

    /// More bytes of a job arrived.
    func report(_ progress: LoadProgress, _ bytes: BodyBuffer, from job: Job) {
        let (tasks, previewing) = state.withLock { state in
            state.update(job.id) { ($0.progress, $0.bytes) = (progress, bytes) }
            return (
                state.sharing.progressListeners(of: job.id).compactMap { state.tasks[$0] },
                state.sharing.previewingDependents(of: job.id).compactMap { dependent in
                    state.jobs[dependent.id].map { ($0.job, dependent.policy) }
                }
            )
        }
        for task in tasks { task.report(progress) }
        for (dependent, policy) in previewing { dependent.receive(bytes, policy, self) }
    }

    /// Makes previews for a job that comes late, of what its upstream has so far.
    func previewWhatHasArrived(for id: JobID) {
        for arrived in state.withLock({ $0.arrived(for: id) }) {
            if let bytes = arrived.bytes { arrived.job.receive(bytes, arrived.policy, self) }
            guard let preview = arrived.preview else { continue }
            components.previewWorkers.submit { [self] in arrived.job.receive(preview, self) }
        }
    }

    /// A preview of the output of a job was made. A preview that comes after the output has no effect.
    func show(_ preview: StagedImage, of job: Job) {
        let (tasks, dependents) = state.withLock { state -> ([ImageTask], [Job]) in
            guard let node = state.sharing.nodes[job.id], !node.isFinished else { return ([], []) }
            state.update(job.id) { $0.preview = preview }
            return (
                state.sharing.previewListeners(of: job.id).compactMap { state.tasks[$0] },
                state.sharing.previewingDependents(of: job.id).compactMap { state.jobs[$0.id]?.job }
            )
        }
        for task in tasks { task.show(preview.image) }
        for dependent in dependents { dependent.receive(preview, self) }
    }

    /// Whether a decoder of previews may take this much memory.
    func claimPreviewMemory(_ bytes: Int, for job: Job) -> Bool {
        send { state in
            guard let node = state.sharing.nodes[job.id], !node.isFinished else { return false }
            return state.scheduler.claimForPreviews(bytes, for: job.id)
        }
    }

    /// Makes no more previews, and gives their memory back.
    func endPreviews(of job: Job) {
        if job.endPreviews() { send { $0.scheduler.releasePreviews(of: job.id) } }
    }

    // MARK: Storing

    /// Where the loads behind a job want results stored, and how firmly the memory cache keeps the image.
    func stores(of job: Job) -> (targets: StoreTargets, priority: CachePriority) {
        state.withLock { $0.sharing.nodes[job.id].map { ($0.targets, $0.cachePriority) } ?? ([], .normal) }
    }

    /// Whether a result may be stored in the background; ``endStoring(_:_:)`` must then follow.
    func beginStoring(_ id: JobID, _ plan: LoadPlan) -> Bool {
        guard stores.begin(plan.storeEpoch) else { return false }
        send { $0.sharing.beginStoring(id) }
        return true
    }

    func endStoring(_ id: JobID, _ plan: LoadPlan) {
        send { $0.sharing.endStoring(id) }
        stores.end(plan.storeEpoch)
    }

    /// Stores a result in the memory cache, unless the caches were cleared since the load began.
    func storeNow(_ plan: LoadPlan, _ body: () -> Void) {
        guard stores.begin(plan.storeEpoch) else { return }
        body()
        stores.end(plan.storeEpoch)
    }
}
