internal import ImageCore

/// Shared work: how it begins, waits for other work, and ends.
extension LoadCoordinator {
    /// Starts new work in a task of its own.
    func start(_ work: SharedWork) {
        let task = Task { [self] in
            _ = finish(work, await outcome(of: work) { try await pipeline.result($0) })
        }
        work.canceller.set(task)
    }

    /// What work needs of its upstream, or what it must do to have it.
    enum Upstream: Sendable {
        /// Run the work in the task of the dependent.
        case run(SharedWork)
        case result(WorkResult, isCoalesced: Bool)
    }

    /// The result of other work that a piece of work needs. Runs the other work in the task of the caller where it is new, and
    /// waits for it otherwise.
    ///
    /// - Parameters:
    ///   - scale: set for a decode to a size.
    ///   - make: makes the result.
    /// - Returns: the result, and whether other work had begun it. Decodes that share their bytes with a decode to a larger
    ///   size get the image of that size instead.
    /// - Throws: `CancellationError` once the dependent has no subscriber left, and what `make` throws.
    func result(
        of key: WorkKey, scale: DecodeScale?, for dependent: SharedWork, _ make: (SharedWork) async throws -> WorkResult
    ) async throws -> (WorkResult, isCoalesced: Bool) {
        var upstream = begin(key, scale, for: dependent)
        if upstream == nil { upstream = try await join(key, scale, for: dependent) }
        switch upstream {
        case nil: throw CancellationError()
        case .result(let result, let isCoalesced): return (result, isCoalesced)
        case .run(let work):
            let outcome = await outcome(of: work, make)
            let isMoved = finish(work, outcome, creator: dependent)
            try dependent.token.check()
            if isMoved, let larger = try await movedResult(of: dependent) { return (larger, true) }
            return (try outcome.mapError { $0.asError }.get(), false)
        }
    }

    /// Begins work that is new; `nil` where it exists.
    private func begin(_ key: WorkKey, _ scale: DecodeScale?, for dependent: SharedWork) -> Upstream? {
        let work = send { state in
            state.sharing.contains(key) ? nil : state.begin(key, scale, for: dependent)
        }
        return work.map { .run($0) }
    }

    /// Waits for work that exists. It may end before the dependent has joined it: then the dependent begins it once more.
    private func join(_ key: WorkKey, _ scale: DecodeScale?, for dependent: SharedWork) async throws -> Upstream {
        try await withCheckedThrowingContinuation { continuation in
            let (upstream, joined) = send { state -> (Result<Upstream, any Error>?, LoadID?) in
                guard state.sharing.contains(key) else {
                    let work = state.begin(key, scale, for: dependent)
                    return (work.map { .success(.run($0)) } ?? .failure(CancellationError()), nil)
                }
                switch state.sharing.subscribe(dependent.id, to: key, scale: scale) {
                case .joined(let id, _):
                    state.waitingForResults[dependent.id] = continuation
                    return (nil, state.sharing.works[id]?.load)
                case .finished(let id):
                    let result = state.works[id]?.result.map { Upstream.result($0, isCoalesced: true) }
                    return (result.map { .success($0) } ?? .failure(ImageError.noInput), state.sharing.works[id]?.load)
                case .began, nil: return (.failure(CancellationError()), nil)
                }
            }
            if let joined { observe(.joined(joined), dependent.plan) }
            if let upstream { continuation.resume(with: upstream) }
        }
    }

    /// The result of the work that a decode was given in place of the one that it ran: the decode to a larger size. `nil` where
    /// that has failed; the decode has its own bytes.
    private func movedResult(of dependent: SharedWork) async throws -> WorkResult? {
        let upstream: Upstream? = try await withCheckedThrowingContinuation { continuation in
            let answer = send { state -> Result<Upstream, any Error>? in
                guard state.sharing.works[dependent.id] != nil else { return .failure(CancellationError()) }
                guard let upstream = state.sharing.upstream(of: dependent.id) else { return .failure(ImageError.noInput) }
                if let result = state.works[upstream]?.result { return .success(.result(result, isCoalesced: true)) }
                state.waitingForResults[dependent.id] = continuation
                return nil
            }
            if let answer { continuation.resume(with: answer) }
        }
        guard case .result(let result, _) = upstream else { return nil }
        return result
    }

    /// Runs work to its end.
    private func outcome(
        of work: SharedWork, _ make: (SharedWork) async throws -> WorkResult
    ) async -> Result<WorkResult, LoadFailure> {
        do {
            try work.token.check()
            return .success(try await make(work))
        } catch let error as LoadFailure {
            return .failure(error)
        } catch is CancellationError {
            return .failure(.cancelled)
        } catch {
            return .failure(.failed(.wrapping(error, stage: .request, source: work.plan.request.description)))
        }
    }

    /// Ends work, and delivers its result to all subscribers.
    ///
    /// - Parameter creator: the work that ran this one in its task, and has the result.
    /// - Returns: whether the creator waits for other work now: the decode to a larger size.
    private func finish(
        _ work: SharedWork, _ outcome: Result<WorkResult, LoadFailure>, creator: SharedWork? = nil
    ) -> Bool {
        let deliveries = send { $0.finish(work.id, outcome, creator: creator?.id) }
        work.endPreviews()
        for (task, isCoalesced) in deliveries.tasks { end(task, outcome, isCoalesced: isCoalesced) }
        for (continuation, isCoalesced) in deliveries.works {
            continuation.resume(with: outcome.map { .result($0, isCoalesced: isCoalesced) }.mapError { $0.asError })
        }
        return deliveries.isCreatorMoved
    }

    // MARK: Slots and memory

    /// Waits until work may use a resource.
    ///
    /// - Throws: `CancellationError` once the work has no subscriber left.
    func acquire(_ resource: ResourceClass, for work: SharedWork, host: String, bytes: Int) async throws {
        let isGranted = send { $0.scheduler.requestAtOnce(resource, for: work.id, host: host, bytes: bytes, $0.sharing) }
        guard !isGranted else { return }
        try await withCheckedThrowingContinuation { continuation in
            let answer = send { state -> Result<Void, any Error>? in
                guard let rank = state.sharing.rank(of: work.id) else { return .failure(CancellationError()) }
                if state.scheduler.request(resource, for: work.id, host: host, bytes: bytes, rank: rank) {
                    return .success(())
                }
                state.waitingForSlots[work.id] = continuation
                return nil
            }
            if let answer { continuation.resume(with: answer) }
        }
    }

    /// The stage of work has returned.
    func release(_ work: SharedWork) { send { $0.scheduler.release(work.id) } }

    /// Whether there is memory for a stage that has its slot.
    func claim(_ bytes: Int, for work: SharedWork) -> Bool { send { $0.scheduler.claim(bytes, for: work.id) } }

    /// A cancelled decode still holds memory, until it ends.
    func hold(_ remainder: CancelledRemainder) {
        send { $0.scheduler.hold(remainder.bytes) }
        remainder.onEnd { [weak self] in self?.send { $0.scheduler.giveBack(remainder.bytes) } }
    }

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
            state.works[work.id]?.progress = progress
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
            state.works[work.id]?.preview = preview
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

    /// Where the loads behind work want results stored.
    func targets(of work: SharedWork) -> StoreTargets { state.withLock { $0.sharing.works[work.id]?.targets ?? [] } }

    func cachePriority(of work: SharedWork) -> CachePriority {
        state.withLock { $0.sharing.works[work.id]?.cachePriority ?? .normal }
    }

    func beginStoring(_ id: WorkID) {
        control.withLock { $0.stores += 1 }
        send { $0.sharing.beginStoring(id) }
    }

    func endStoring(_ id: WorkID) {
        send { $0.sharing.endStoring(id) }
        storeEnded()
    }
}

extension Pipeline {
    /// The result of other work that a piece of work needs (``LoadCoordinator/result(of:scale:for:_:)``).
    func shared(
        _ key: WorkKey, for work: SharedWork, _ make: (SharedWork) async throws -> WorkResult
    ) async throws -> WorkResult {
        let isDecode = key.kind == .image && key.image.variant == work.plan.variants[0]
        let (result, isCoalesced) = try await coordinator.result(
            of: key, scale: isDecode ? work.plan.scale : nil, for: work, make)
        return isCoalesced ? result.coalesced() : result
    }
}

extension LoadFailure {
    /// The error as stages throw it.
    fileprivate var asError: any Error {
        switch self {
        case .cancelled: CancellationError()
        case .failed(let error): error
        }
    }
}
