internal import ImageCore

/// Shared work: how it begins, what it does next, and how it ends.
extension LoadCoordinator {
    /// Begins new work.
    func start(_ work: SharedWork) { proceed(work, nil) { try pipeline.begin(work) } }

    /// Carries out what work does next. Work whose stage has returned gives its slot back in the same transition.
    ///
    /// - Parameters:
    ///   - stage: the stage that names errors of `step`.
    ///   - step: says what is next.
    func proceed(_ work: SharedWork, _ stage: LoadStage?, _ step: () throws -> WorkStep) {
        let next: WorkStep
        do {
            try work.token.check()
            next = try step()
        } catch {
            return finish(work, .failure(failure(error, in: stage ?? .request, of: work)))
        }
        switch consume next {
        case .finished(let result): finish(work, .success(result))
        case .failed(let error, let stage): finish(work, .failure(failure(error, in: stage, of: work)))
        case .needs(let need): wait(for: need, work)
        case .stage(let stage): wait(for: stage, work)
        }
    }

    /// The error of a stage as its loads get it.
    private func failure(_ error: any Error, in stage: LoadStage, of work: SharedWork) -> LoadFailure {
        if work.token.isCancelled || error is CancellationError { return .cancelled }
        return .failed(.wrapping(error, stage: stage, source: work.plan.request.description))
    }

    // MARK: Waiting for other work

    private enum Upstream: Sendable {
        case began(SharedWork)
        case joined(LoadID?)
        case finished(WorkResult?, LoadID?)
        /// The work that needs it has no subscriber left.
        case stopped
    }

    private func wait(for need: WorkStep.Need, _ work: SharedWork) {
        let upstream = send { state -> Upstream in
            state.scheduler.release(work.id)
            switch state.sharing.subscribe(work.id, to: need.key, scale: need.scale) {
            case .began(let id, _):
                let upstream = SharedWork(id, key: need.key, plan: work.plan)
                state.works[id] = LoaderState.WorkState(upstream)
                state.update(work.id) { $0.phase = .waitingForResult(need.then) }
                return .began(upstream)
            case .joined(let id, _):
                state.update(work.id) { $0.phase = .waitingForResult(need.then) }
                return .joined(state.sharing.works[id]?.load)
            case .finished(let id): return .finished(state.works[id]?.result, state.sharing.works[id]?.load)
            case nil: return .stopped
            }
        }
        switch upstream {
        case .began(let upstream): proceed(upstream, nil) { try need.begin(upstream) }
        case .joined(let load): if let load { observe(.joined(load), work.plan) }
        case .finished(let result, let load):
            if let load { observe(.joined(load), work.plan) }
            proceed(work, nil) {
                guard let result else { throw ImageError.noInput }
                return try need.then(result.coalesced())
            }
        case .stopped: finish(work, .failure(.cancelled))
        }
    }

    /// Ends work, and delivers its result to all subscribers.
    private func finish(_ work: SharedWork, _ outcome: Result<WorkResult, LoadFailure>) {
        let deliveries = send { $0.finish(work.id, outcome) }
        work.endPreviews()
        for (task, isCoalesced) in deliveries.tasks { end(task, outcome, isCoalesced: isCoalesced) }
        for dependent in deliveries.works {
            switch outcome {
            case .success(let result):
                proceed(dependent.work, nil) { try dependent.then(dependent.isCoalesced ? result.coalesced() : result) }
            case .failure(let failure): finish(dependent.work, .failure(failure))
            }
        }
    }

    // MARK: Waiting for a slot

    func wait(for stage: consuming WorkStep.Stage, _ work: SharedWork) {
        let runner = StageRunner(stage, of: work, self)
        let host = runner.host
        let mayRun = send { state -> Bool? in
            state.scheduler.release(work.id)
            guard let rank = state.sharing.rank(of: work.id) else { return nil }
            if runner.request(from: &state.scheduler, host: host, rank) { return true }
            state.update(work.id) { $0.phase = .waitingForSlot(runner) }
            return false
        }
        switch mayRun {
        case true: runner.start(isNext: true)
        case false: break
        // The work has no subscriber left.
        case nil:
            runner.endWait()
            finish(work, .failure(.cancelled))
        }
    }

    /// Whether there is memory for a stage that has its slot.
    func claim(_ bytes: Int, for work: SharedWork) -> Bool { send { $0.scheduler.claim(bytes, for: work.id) } }

    /// The purpose and the priority with which work waits.
    func rank(of work: SharedWork) -> RankClass {
        state.withLock { $0.sharing.rank(of: work.id) }?.rankClass ?? RankClass(work.plan.request.purpose, work.plan.priority)
    }

    /// The latest deadline of the loads behind work, as they come and go; `nil` where the load that began it has none.
    func deadline(of work: SharedWork) -> Deadline? {
        guard let own = work.plan.deadline else { return nil }
        return Deadline(limit: own.limit) { [weak self] in
            let deadlines = self?.state.withLock { state in
                state.sharing.loads(behind: work.id).compactMap { state.tasks[$0]?.plan }.map(\.deadline)
            }
            guard let deadlines, !deadlines.isEmpty else { return own.remaining }
            // A load without a deadline waits as long as it takes.
            return deadlines.map { $0?.remaining ?? .seconds(1_000_000_000) }.max() ?? own.remaining
        }
    }

    /// Whether work with that key can be joined.
    func contains(_ key: WorkKey) -> Bool { state.withLock { $0.sharing.contains(key) } }

    // MARK: Progress and previews

    /// More bytes of work arrived.
    func report(_ progress: LoadProgress, _ bytes: ReceivedBytes, from work: SharedWork) {
        let (tasks, previewing) = state.withLock { state in
            state.update(work.id) { $0.progress = progress }
            return (
                state.sharing.progressListeners(of: work.id).compactMap { state.tasks[$0] },
                state.sharing.previewingDependents(of: work.id).compactMap { dependent in
                    state.works[dependent.id].map { ($0.work, dependent.policy) }
                }
            )
        }
        for task in tasks { task.report(progress) }
        for (dependent, policy) in previewing { dependent.receive(bytes, policy) }
    }

    /// A preview of the result of work was made. A preview that comes after the result has no effect.
    func show(_ preview: StagedImage, of work: SharedWork) {
        let (tasks, dependents) = state.withLock { state -> ([ImageTask], [SharedWork]) in
            guard let shared = state.sharing.works[work.id], !shared.isFinished else { return ([], []) }
            state.update(work.id) { $0.preview = preview }
            return (
                state.sharing.previewListeners(of: work.id).compactMap { state.tasks[$0] },
                state.sharing.previewingDependents(of: work.id).compactMap { state.works[$0.id]?.work }
            )
        }
        for task in tasks { task.show(preview.image) }
        for dependent in dependents { dependent.receive(preview) }
    }

    /// Whether a decoder of previews may take this much memory.
    func claimPreviewMemory(_ bytes: Int, for work: SharedWork) -> Bool {
        send { state in
            guard let shared = state.sharing.works[work.id], !shared.isFinished else { return false }
            return state.scheduler.claimForPreviews(bytes, for: work.id)
        }
    }

    func releasePreviewMemory(of work: SharedWork) { send { $0.scheduler.releasePreviews(of: work.id) } }

    // MARK: Storing

    /// Where the loads behind work want results stored, and how firmly the memory cache keeps the image.
    func stores(of work: SharedWork) -> (targets: StoreTargets, priority: CachePriority) {
        state.withLock { $0.sharing.works[work.id].map { ($0.targets, $0.cachePriority) } ?? ([], .normal) }
    }

    /// Whether a result may be stored in the background; ``endStoring(_:_:)`` must then follow.
    func beginStoring(_ id: WorkID, _ plan: LoadPlan) -> Bool {
        guard stores.begin(plan.storeEpoch) else { return false }
        send { $0.sharing.beginStoring(id) }
        return true
    }

    func endStoring(_ id: WorkID, _ plan: LoadPlan) {
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
