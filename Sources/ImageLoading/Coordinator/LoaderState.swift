internal import ImageCore

/// Everything that the loader's one lock guards: the two state machines, and what runs or waits for them.
struct LoaderState: Sendable {
    /// What work does with the result that it waits for.
    typealias Then = @Sendable (WorkResult) throws -> Next

    /// Work that runs, or whose result is still of use.
    struct Work: Sendable {
        let work: SharedWork
        var result: WorkResult?
        /// The last preview while the result is being made.
        var preview: StagedImage?
        var progress: LoadProgress?

        init(_ work: SharedWork) { self.work = work }
    }

    /// A stage that waits for its slot.
    struct WaitingStage: Sendable {
        let stage: Next.Stage
        let began: ContinuousClock.Instant
    }

    var sharing = Sharing()
    var scheduler: Scheduler
    var works: [WorkID: Work] = [:]
    var tasks: [SubscriptionID: ImageTask] = [:]
    /// Work that waits for the result of other work.
    var waitingForResults: [WorkID: Then] = [:]
    /// Work that waits for a slot.
    var waitingForSlots: [WorkID: WaitingStage] = [:]
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
        var granted: [(work: SharedWork, stage: WaitingStage)] = []
        var stopped: [SharedWork] = []
        /// Stages of stopped work that waited for their slots.
        var withdrawn: [(work: SharedWork, stage: WaitingStage)] = []
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
        for stop in effects.stops { self.stop(stop, &followup) }
        for id in effects.removed { works[id] = nil }
        let holds = isConstrained && sharing.awaitedLoads > 0
        if scheduler.holdsPrefetches != holds { scheduler.holdsPrefetches = holds }
        for id in scheduler.grant() {
            if let stage = waitingForSlots.removeValue(forKey: id), let work = works[id] {
                followup.granted.append((work.work, stage))
            }
        }
        followup.evicted = scheduler.takeEvicted().compactMap { works[$0]?.work }
        return followup
    }

    private mutating func stop(_ stop: Sharing.Stop, _ followup: inout Followup) {
        scheduler.withdraw(stop.work)
        scheduler.releasePreviews(of: stop.work)
        let stage = waitingForSlots.removeValue(forKey: stop.work)
        // Work that waited has no stage whose return would end it.
        if waitingForResults.removeValue(forKey: stop.work) != nil || stage != nil {
            _ = sharing.finish(stop.work, succeeded: false)
        }
        guard let work = works.removeValue(forKey: stop.work) else { return }
        followup.stopped.append(work.work)
        if let stage { followup.withdrawn.append((work.work, stage)) }
        if stop.keepsPreview, let preview = work.preview { followup.keptPreviews.append((work.work.key.image, preview)) }
    }

    /// Who gets the result of work.
    struct Deliveries: Sendable {
        var tasks: [(ImageTask, isCoalesced: Bool)] = []
        /// The most urgent first.
        var works: [(SharedWork, then: Then, isCoalesced: Bool)] = []
    }

    /// Work ended.
    mutating func finish(_ id: WorkID, _ outcome: Result<WorkResult, LoadFailure>) -> Deliveries {
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
        var ranks: [QueueRank] = []
        for subscriber in subscribers {
            if let dependent = subscriber.dependent {
                guard let then = waitingForResults.removeValue(forKey: dependent), let work = works[dependent]?.work,
                    let rank = sharing.rank(of: dependent)
                else { continue }
                let index = ranks.firstIndex { $0 < rank } ?? ranks.count
                ranks.insert(rank, at: index)
                deliveries.works.insert((work, then, subscriber.isCoalesced), at: index)
            } else if let task = tasks.removeValue(forKey: subscriber.subscription) {
                deliveries.tasks.append((task, subscriber.isCoalesced))
            }
        }
        return deliveries
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
