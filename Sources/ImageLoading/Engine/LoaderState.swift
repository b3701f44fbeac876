internal import DequeModule
internal import ImageCore

/// Everything that the loader's one lock guards: the two state machines, and what runs or waits for them.
struct LoaderState: Sendable {
    /// What a suspended job waits for. A job waits for one thing at a time.
    enum Waiter: Sendable {
        /// The output of its upstream.
        case output(CheckedContinuation<LoadOutput, any Error>)
        case slot(CheckedContinuation<Void, any Error>)
    }

    /// A job that runs, or whose output is still of use.
    struct JobState: Sendable {
        let job: Job
        var waiter: Waiter?
        var output: LoadOutput?
        /// The last preview while the output is being made.
        var preview: StagedImage?
        var progress: LoadProgress?
        /// The bytes that have arrived, while they arrive.
        var bytes: BodyBuffer?
        /// The limits of the fetch while it runs.
        var fetch: LoadCoordinator.FetchLimits?

        init(_ job: Job) { self.job = job }
    }

    var sharing = Sharing()
    var scheduler: Scheduler
    var jobs: [JobID: JobState] = [:]
    var tasks: [SubscriptionID: ImageTask] = [:]
    /// The revalidations that wait for a job, the oldest first, and the entries that they are of.
    var pendingRevalidations: Deque<LoadCoordinator.PendingRevalidation> = []
    var revalidatedImages: Set<ImageKey> = []
    /// The network. While it is constrained, prefetches do not fetch while other loads run.
    var network = NetworkStatus()

    init(_ limits: ImageLoader.Limits) {
        scheduler = Scheduler(
            fetches: max(1, limits.fetches), fetchesPerHost: max(1, limits.fetchesPerHost),
            localReads: max(1, limits.localReads), workers: max(1, limits.workers),
            concurrentDecodeBytes: max(1, limits.concurrentDecodeBytes))
    }

    /// What is to be done after an event, outside the lock.
    enum Followup: Sendable {
        /// The job lost its last subscriber.
        case cancel(Job)
        /// The job that waited was stopped.
        case endWait(Waiter)
        case endPreviews(Job)
        /// The output is no longer of use. What its request captures is released outside the lock, and may call the
        /// loader.
        case release(Job)
        case keepPreview(StagedImage, Job)
        /// The job has its slot.
        case start(CheckedContinuation<Void, any Error>)
    }

    /// Changes a job in place, if it exists.
    mutating func update(_ id: JobID, _ change: (inout JobState) -> Void) {
        if let index = jobs.index(forKey: id) { change(&jobs.values[index]) }
    }

    /// Passes the effects of one state machine on to the other, and returns what is left to do.
    mutating func takeFollowups() -> [Followup] {
        guard !sharing.effects.isEmpty || !scheduler.isSettled || network.isConstrained else { return [] }
        var followups: [Followup] = []
        let effects = sharing.takeEffects()
        for id in effects.reranked where scheduler.isWaiting(id) {
            if let rank = sharing.rank(of: id) { scheduler.setRank(of: id, rank) }
        }
        for stop in effects.stops { self.stop(stop, &followups) }
        for id in effects.removed {
            if let state = jobs.removeValue(forKey: id) { followups.append(.release(state.job)) }
        }
        for id in scheduler.takeEvicted() {
            if let job = jobs[id]?.job { followups.append(.endPreviews(job)) }
        }
        scheduler.holdsPrefetches = network.isConstrained && sharing.awaitedLoads > 0
        for id in scheduler.grant() {
            update(id) { job in
                if case .slot(let continuation) = job.waiter.take() { followups.append(.start(continuation)) }
            }
        }
        return followups
    }

    private mutating func stop(_ stop: Sharing.Stop, _ followups: inout [Followup]) {
        scheduler.withdraw(stop.job)
        // A closure or a file system that does not notice the cancellation keeps no place from others.
        scheduler.releaseLocalRead(of: stop.job)
        scheduler.releasePreviews(of: stop.job)
        guard let stopped = jobs.removeValue(forKey: stop.job) else { return }
        followups.append(.cancel(stopped.job))
        if let waiter = stopped.waiter { followups.append(.endWait(waiter)) }
        if stop.keepsPreview, let preview = stopped.preview { followups.append(.keepPreview(preview, stopped.job)) }
    }

    /// Who gets the outcome of a job.
    struct Deliveries: Sendable {
        struct Dependent: Sendable {
            let continuation: CheckedContinuation<LoadOutput, any Error>
            let isCoalesced: Bool
            let rank: QueueRank
        }

        var tasks: [(ImageTask, isCoalesced: Bool)] = []
        /// The most urgent first.
        var dependents: [Dependent] = []
    }

    /// A job ended.
    mutating func finish(_ id: JobID, _ outcome: Result<LoadOutput, LoadFailure>) -> Deliveries {
        var deliveries = Deliveries()
        scheduler.releasePreviews(of: id)
        let output = try? outcome.get()
        let subscribers = sharing.finish(id, succeeded: output != nil)
        if output != nil, sharing.contains(id) {
            update(id) { ($0.output, $0.preview, $0.bytes) = (output, nil, nil) }
        } else {
            jobs[id] = nil
        }
        for subscriber in subscribers {
            if let dependent = subscriber.dependent {
                guard let rank = sharing.rank(of: dependent) else { continue }
                update(dependent) { job in
                    guard case .output(let continuation) = job.waiter else { return }
                    job.waiter = nil
                    deliveries.dependents.append(
                        .init(continuation: continuation, isCoalesced: subscriber.isCoalesced, rank: rank))
                }
            } else if let task = tasks.removeValue(forKey: subscriber.subscription) {
                deliveries.tasks.append((task, subscriber.isCoalesced))
            }
        }
        if deliveries.dependents.count > 1 { deliveries.dependents.sort { $0.rank > $1.rank } }
        return deliveries
    }

    /// The loads that wait for a job, directly or through other jobs.
    func loads(behind id: JobID) -> [ImageTask] {
        var loads: [ImageTask] = []
        sharing.forEachLoad(behind: id) { if let task = tasks[$0] { loads.append(task) } }
        return loads
    }

    /// What has arrived from the upstream of a job, to make a preview of before more does.
    struct Arrived: Sendable {
        let job: Job
        let bytes: BodyBuffer?
        let preview: StagedImage?
        let policy: PreviewPolicy
    }

    /// What has arrived for the jobs between a job that loads want previews of and its fetch: for the job itself, and
    /// for those before it that had made none yet.
    func arrived(for id: JobID) -> [Arrived] {
        var arrived: [Arrived] = []
        var next: JobID? = id
        while let id = next, jobs[id]?.preview == nil, let upstream = sharing.upstream(of: id) {
            if let job = jobs[id]?.job, let state = jobs[upstream], let policy = sharing.nodes[id]?.listeners.previewPolicy {
                arrived.append(Arrived(job: job, bytes: state.bytes, preview: state.preview, policy: policy))
            }
            next = upstream
        }
        return arrived
    }

    /// The progress of the fetch that a job depends on.
    func progress(of id: JobID) -> LoadProgress? { upstream(of: id) { $0.progress } }

    /// The limits of the running fetch that a job depends on.
    func fetch(of id: JobID) -> LoadCoordinator.FetchLimits? { upstream(of: id) { $0.fetch } }

    /// The first value on the way from a job to the fetch that it depends on.
    private func upstream<Value>(of id: JobID, _ value: (JobState) -> Value?) -> Value? {
        var next: JobID? = id
        while let id = next {
            if let found = jobs[id].flatMap(value) { return found }
            next = sharing.upstream(of: id)
        }
        return nil
    }
}
