internal import ImageCore

/// Everything that the loader's one lock guards: the two state machines, and what runs or waits for them.
struct LoaderState: Sendable {
    /// What work does with the result that it waits for.
    typealias Then = @Sendable (WorkResult) throws -> WorkStep

    /// Work that runs, or whose result is still of use.
    struct WorkState: Sendable {
        let work: SharedWork
        var phase = Phase.running
        var result: WorkResult?
        /// The last preview while the result is being made.
        var preview: StagedImage?
        var progress: LoadProgress?

        init(_ work: SharedWork) { self.work = work }
    }

    /// What work does now.
    enum Phase: Sendable {
        case running
        case waitingForResult(Then)
        case waitingForSlot(StageRunner)
    }

    var sharing = Sharing()
    var scheduler: Scheduler
    var works: [WorkID: WorkState] = [:]
    var tasks: [SubscriptionID: ImageTask] = [:]
    /// Whether the network is constrained, so that prefetches do not fetch while other loads run.
    var isConstrained = false

    init(_ limits: ImageLoader.Limits) {
        scheduler = Scheduler(
            fetches: max(1, limits.fetches), fetchesPerHost: max(1, limits.fetchesPerHost),
            localReads: max(1, limits.localReads), workers: max(1, limits.workers),
            concurrentDecodeBytes: max(1, limits.concurrentDecodeBytes))
    }

    /// What is to be done after an event, outside the lock.
    enum Followup: Sendable {
        /// Work lost its last subscriber.
        case cancel(SharedWork)
        /// The stage of stopped work waited for its slot.
        case endWait(StageRunner)
        case endPreviews(SharedWork)
        /// The result of the work is no longer of use. What its request captures is released outside the lock, and may call the loader.
        case release(SharedWork)
        case keepPreview(StagedImage, SharedWork)
        /// The stage has its slot.
        case start(StageRunner)
    }

    /// Changes work in place, if it exists.
    mutating func update(_ id: WorkID, _ change: (inout WorkState) -> Void) {
        if let index = works.index(forKey: id) { change(&works.values[index]) }
    }

    /// Passes the effects of one state machine on to the other, and returns what is left to do.
    mutating func settle() -> [Followup] {
        guard !sharing.effects.isEmpty || !scheduler.isSettled || isConstrained else { return [] }
        var followups: [Followup] = []
        let effects = sharing.takeEffects()
        for id in effects.reranked where scheduler.isWaiting(id) {
            if let rank = sharing.rank(of: id) { scheduler.setRank(of: id, rank) }
        }
        for stop in effects.stops { self.stop(stop, &followups) }
        for id in effects.removed {
            if let state = works.removeValue(forKey: id) { followups.append(.release(state.work)) }
        }
        for id in scheduler.takeEvicted() {
            if let work = works[id]?.work { followups.append(.endPreviews(work)) }
        }
        scheduler.holdsPrefetches = isConstrained && sharing.awaitedLoads > 0
        for id in scheduler.grant() {
            update(id) { work in
                guard case .waitingForSlot(let runner) = work.phase else { return }
                work.phase = .running
                followups.append(.start(runner))
            }
        }
        return followups
    }

    private mutating func stop(_ stop: Sharing.Stop, _ followups: inout [Followup]) {
        scheduler.withdraw(stop.work)
        scheduler.releasePreviews(of: stop.work)
        guard let work = works.removeValue(forKey: stop.work) else { return }
        followups.append(.cancel(work.work))
        switch work.phase {
        case .running: break
        // Work that waited has no stage whose return would end it.
        case .waitingForResult: _ = sharing.finish(stop.work, succeeded: false)
        case .waitingForSlot(let runner):
            _ = sharing.finish(stop.work, succeeded: false)
            followups.append(.endWait(runner))
        }
        if stop.keepsPreview, let preview = work.preview { followups.append(.keepPreview(preview, work.work)) }
    }

    /// Who gets the result of work.
    struct Deliveries: Sendable {
        struct Dependent: Sendable {
            let work: SharedWork
            let then: Then
            let isCoalesced: Bool
            let rank: QueueRank
        }

        var tasks: [(ImageTask, isCoalesced: Bool)] = []
        /// The most urgent first.
        var works: [Dependent] = []
    }

    /// Work ended.
    mutating func finish(_ id: WorkID, _ outcome: Result<WorkResult, LoadFailure>) -> Deliveries {
        var deliveries = Deliveries()
        scheduler.release(id)
        scheduler.releasePreviews(of: id)
        let result = try? outcome.get()
        let subscribers = sharing.finish(id, succeeded: result != nil)
        if result != nil, sharing.contains(id) {
            update(id) { ($0.result, $0.preview) = (result, nil) }
        } else {
            works[id] = nil
        }
        for subscriber in subscribers {
            if let dependent = subscriber.dependent {
                guard let rank = sharing.rank(of: dependent) else { continue }
                update(dependent) { work in
                    guard case .waitingForResult(let then) = work.phase else { return }
                    work.phase = .running
                    deliveries.works.append(
                        .init(work: work.work, then: then, isCoalesced: subscriber.isCoalesced, rank: rank))
                }
            } else if let task = tasks.removeValue(forKey: subscriber.subscription) {
                deliveries.tasks.append((task, subscriber.isCoalesced))
            }
        }
        if deliveries.works.count > 1 { deliveries.works.sort { $0.rank > $1.rank } }
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
