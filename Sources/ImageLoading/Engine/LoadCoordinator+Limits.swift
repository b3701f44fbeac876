internal import ImageCore

/// The limits of the loads that share a fetch. It runs with the widest of them, and each load is bound by its own.
///
/// Loads that differ in ``FetchTerms`` do not share a fetch. The deadline of a fetch is the latest of its loads', as
/// they come and go. What one of them wants stored is stored. Of the other limits, a fetch has the widest of the loads
/// that wait for it when it begins; a load that joins later and allows more runs again if the fetch ends at a limit
/// (``isBound(_:by:)``).
extension LoadCoordinator {
    /// The limits of a fetch that begins now.
    struct FetchLimits: Sendable {
        /// The largest body, in bytes.
        var maximumBytes: Int
        var allowsExpensiveNetwork: Bool
        /// Whether a load wants the bytes on disk.
        var storesOriginal: Bool

        /// Whether a load allows more.
        func areExceeded(by plan: LoadPlan, _ components: Components) -> Bool {
            plan.maximumResponseBytes(components) > maximumBytes
                || plan.options.allowsExpensiveNetwork && !allowsExpensiveNetwork
        }
    }

    /// The widest limits of the loads that wait for a job now.
    func fetchLimits(of job: Job) -> FetchLimits { fetchLimits(state.withLock { $0.loads(behind: job.id) }, job) }

    private func fetchLimits(_ loads: [ImageTask], _ job: Job) -> FetchLimits {
        let plans = loads.isEmpty ? [job.plan] : loads.map(\.plan)
        return FetchLimits(
            maximumBytes: plans.map { $0.maximumResponseBytes(components) }.max() ?? .max,
            allowsExpensiveNetwork: plans.contains { $0.options.allowsExpensiveNetwork },
            storesOriginal: plans.contains { $0.storesOriginal })
    }

    /// The limits with which the fetch of a job begins. Loads that do not allow the network which the others allow end
    /// here.
    func beginFetch(_ job: Job) -> FetchLimits {
        let (loads, limits, isExpensive) = state.withLock { state in
            let loads = state.loads(behind: job.id)
            let limits = fetchLimits(loads, job)
            state.update(job.id) { $0.fetch = limits }
            return (loads, limits, state.network.isExpensive)
        }
        if isExpensive, limits.allowsExpensiveNetwork {
            for load in loads { endUnlessExpensiveNetworkIsAllowed(load) }
        }
        return limits
    }

    func endFetch(_ job: Job) { state.withLock { state in state.update(job.id) { $0.fetch = nil } } }

    /// Ends a load that would use an expensive network against its options, while the fetch continues for others.
    func endUnlessExpensiveNetworkIsAllowed(_ load: ImageTask) {
        guard !load.plan.options.allowsExpensiveNetwork else { return }
        end(load, .expensiveNetwork(load.plan.request.description))
    }

    /// Ends the loads that accept less than the body has, or will have.
    func endLoads(of job: Job, acceptingLessThan bytes: Int, isAnnounced: Bool) {
        let loads = state.withLock { state in
            state.sharing.nodes[job.id].map { bytes > $0.smallestLimit } == true ? state.loads(behind: job.id) : []
        }
        for load in loads {
            let limit = load.plan.maximumResponseBytes(components)
            guard bytes > limit else { continue }
            end(load, .tooLarge(load.plan.request.description, announced: isAnnounced ? bytes : nil, limit: limit))
        }
    }

    private func end(_ load: ImageTask, _ error: ImageError) {
        guard let subscription = load.takeSubscription() else { return }
        leave(subscription)
        var error = error
        (error.stage, error.source) = (.network, load.plan.request.description)
        deliver(.failure(.failed(error)), to: load, isCoalesced: false)
    }

    /// Whether an error is a load's own: not that of a limit which only the loads have whose fetch it joined, and not
    /// that of another URL with its cache key, whose token may have expired.
    func isBound(_ load: ImageTask, by error: ImageError) -> Bool {
        switch error.code {
        case .deadlineExceeded: load.plan.deadline.map { $0.remaining <= Deadline.tolerance } ?? false
        case .tooLarge, .expensiveNetwork: !load.joinedNarrowerFetch
        case .httpStatus where load.request.cacheKey != nil && error.metrics?.isCoalesced == true:
            !(400..<500).contains(error.status ?? 0)
        default: true
        }
    }

    /// The latest deadline of the loads behind a job, as they come and go; `nil` where the load that began it has none.
    func deadline(of job: Job) -> Deadline? {
        guard let own = job.plan.deadline else { return nil }
        return Deadline(limit: own.limit) { [weak self] in
            let deadlines = self?.state.withLock { $0.loads(behind: job.id).map(\.plan.deadline) }
            guard let deadlines, !deadlines.isEmpty else { return own.remaining }
            // A load without a deadline waits as long as it takes.
            return deadlines.map { $0?.remaining ?? .seconds(1_000_000_000) }.max() ?? own.remaining
        }
    }
}
