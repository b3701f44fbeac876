internal import ImageCore

/// Everything that the loader's one lock guards: the two state machines, and what runs or waits for them.
struct LoaderState: Sendable {
    typealias ResultContinuation = CheckedContinuation<LoadCoordinator.Upstream, any Error>

    /// Work that runs, or whose result is still of use.
    struct Work: Sendable {
        let work: SharedWork
        var result: WorkResult?
        /// The last preview while the result is being made.
        var preview: StagedImage?
        var progress: LoadProgress?

        init(_ work: SharedWork) { self.work = work }
    }

    var sharing = Sharing()
    var scheduler: Scheduler
    var works: [WorkID: Work] = [:]
    var tasks: [SubscriptionID: ImageTask] = [:]
    /// Work that waits for the result of other work.
    var waitingForResults: [WorkID: ResultContinuation] = [:]
    /// Work that waits for a slot.
    var waitingForSlots: [WorkID: CheckedContinuation<Void, any Error>] = [:]
    /// Whether the network is constrained, so that prefetches give way to other loads.
    var isConstrained = false

    init(_ limits: ImageLoader.Limits) {
        scheduler = Scheduler(
            fetches: max(1, limits.fetches), fetchesPerHost: max(1, limits.fetchesPerHost),
            localReads: max(1, limits.localReads), workers: max(1, limits.workers),
            decodingBytes: max(1, limits.decodingBytes))
    }

    /// What is to be done after an event, outside the lock.
    struct Followup: Sendable {
        var granted: [CheckedContinuation<Void, any Error>] = []
        var cancelledSlots: [CheckedContinuation<Void, any Error>] = []
        var cancelledResults: [ResultContinuation] = []
        var stopped: [(work: SharedWork, cancelsTask: Bool)] = []
        var evicted: [SharedWork] = []
        var keptPreviews: [(key: ImageKey, preview: StagedImage)] = []

        var isEmpty: Bool { granted.isEmpty && stopped.isEmpty && evicted.isEmpty }
    }

    /// Passes the effects of one state machine on to the other, and returns what is left to do.
    mutating func settle() -> Followup {
        var followup = Followup()
        let effects = sharing.takeEffects()
        for id in effects.reranked where scheduler.isWaiting(id) {
            if let rank = sharing.rank(of: id) { scheduler.setRank(of: id, rank) }
        }
        for stop in effects.stops {
            scheduler.withdraw(stop.work)
            scheduler.releasePreviews(of: stop.work)
            if let waiting = waitingForSlots.removeValue(forKey: stop.work) { followup.cancelledSlots.append(waiting) }
            if let waiting = waitingForResults.removeValue(forKey: stop.work) { followup.cancelledResults.append(waiting) }
            guard let work = works.removeValue(forKey: stop.work) else { continue }
            followup.stopped.append((work.work, stop.cancelsTask))
            if stop.keepsPreview, let preview = work.preview { followup.keptPreviews.append((work.work.key.image, preview)) }
        }
        for id in effects.removed { works[id] = nil }
        let holds = isConstrained && sharing.awaitedLoads > 0
        if scheduler.holdsPrefetches != holds { scheduler.holdsPrefetches = holds }
        for id in scheduler.grant() {
            if let waiting = waitingForSlots.removeValue(forKey: id) { followup.granted.append(waiting) }
        }
        followup.evicted = scheduler.takeEvicted().compactMap { works[$0]?.work }
        return followup
    }

    /// Who gets the result of work.
    struct Deliveries: Sendable {
        var tasks: [(ImageTask, isCoalesced: Bool)] = []
        var works: [(ResultContinuation, isCoalesced: Bool)] = []
        /// Whether the creator of the work waits for other work now.
        var isCreatorMoved = false
    }

    /// Work ended.
    ///
    /// - Parameter creator: the work that ran it in its task, and has the result.
    mutating func finish(_ id: WorkID, _ outcome: Result<WorkResult, LoadFailure>, creator: WorkID?) -> Deliveries {
        var deliveries = Deliveries()
        scheduler.releasePreviews(of: id)
        let result = try? outcome.get()
        let subscribers = sharing.finish(id, succeeded: result != nil)
        if result != nil, sharing.contains(id) {
            works[id]?.result = result
            works[id]?.preview = nil
        } else {
            works[id] = nil
        }
        for subscriber in subscribers {
            if let dependent = subscriber.dependent {
                guard let waiting = waitingForResults.removeValue(forKey: dependent) else { continue }
                deliveries.works.append((waiting, subscriber.isCoalesced))
            } else if let task = tasks.removeValue(forKey: subscriber.subscription) {
                deliveries.tasks.append((task, subscriber.isCoalesced))
            }
        }
        if let creator, result != nil, !subscribers.contains(where: { $0.dependent == creator }) {
            deliveries.isCreatorMoved = sharing.upstream(of: creator) != nil
        }
        return deliveries
    }

    /// Begins work that is new, in the task of its dependent; `nil` where the dependent has no subscriber left.
    mutating func begin(_ key: WorkKey, _ scale: DecodeScale?, for dependent: SharedWork) -> SharedWork? {
        guard case .began(let id, _) = sharing.subscribe(dependent.id, to: key, scale: scale) else { return nil }
        let work = SharedWork(id, key: key, plan: dependent.plan, canceller: dependent.canceller)
        works[id] = Work(work)
        return work
    }

    /// The progress of the fetch that work depends on.
    func progress(of id: WorkID) -> LoadProgress? {
        var next: WorkID? = id
        while let id = next {
            if let progress = works[id]?.progress { return progress }
            next = sharing.upstream(of: id)
        }
        return nil
    }
}
