internal import ImageCore

/// Which work may use a resource now, and which waits: the state machine of the loader's one queue.
///
/// A value; each call is one event. Work requests a slot of a resource; it gets one at once, or waits in the order of
/// ``QueueRank`` until the limits allow it (``grant()``). It gives the slot back when its stage has returned, also
/// where the work is no longer wanted.
///
/// ```
///              request                 grant                 release
///    (idle) ───────────▶ waiting ───────────────▶ running ───────────▶ (idle)
///       │                   │ withdraw                ▲
///       │                   └─────────▶ (idle)        │
///       └─────────────────────────────────────────────┘
///                request, where a slot is free
/// ```
///
/// Limits: slots of each resource, network slots of each host, and bytes that all decodes may take together. While it
/// is paused, no fetch begins. While the network is constrained, no prefetch begins to fetch as long as other loads
/// wait. Revalidations count as prefetches there.
struct Scheduler: Equatable, Sendable {
    /// What a piece of work occupies, or waits for.
    private struct Slot: Equatable {
        let resource: ResourceClass
        let host: String
        var bytes: Int
    }

    private var queues: [ResourceQueue]
    private var running: [JobID: Slot] = [:]
    private var waiting: [JobID: Slot] = [:]
    /// The memory of a decoder that makes previews.
    private struct Previews: Equatable {
        let work: JobID
        let bytes: Int
    }

    /// The youngest last.
    private var previews: [Previews] = []
    /// Work whose previews had to give their memory to a decode.
    private var evicted: [JobID] = []

    /// - Parameters: limits of slots, at least 1 each, and bytes that all running decodes may take together.
    init(fetches: Int, fetchesPerHost: Int, localReads: Int, workers: Int, concurrentDecodeBytes: Int = .max) {
        queues = ResourceClass.allCases.map { resource in
            switch resource {
            case .network: ResourceQueue(limit: fetches, limitPerGroup: fetchesPerHost)
            case .local: ResourceQueue(limit: localReads)
            case .worker: ResourceQueue(limit: workers, budget: concurrentDecodeBytes)
            }
        }
    }

    /// The queue of a resource.
    private(set) subscript(resource: ResourceClass) -> ResourceQueue {
        _read { yield queues[resource.rawValue] }
        _modify { yield &queues[resource.rawValue] }
    }

    var queuedCount: Int { queues.reduce(0) { $0 + $1.queued } }
    var runningCount: Int { queues.reduce(0) { $0 + $1.running } }

    /// The queues, for the loader's statistics.
    var statistics: [ImageLoader.Queue] {
        ResourceClass.allCases.map { resource in
            let queue = self[resource]
            return ImageLoader.Queue(
                name: "\(resource)", waiting: queue.queued, running: queue.running,
                limit: queue.limit == .max ? nil : queue.limit)
        }
    }

    // MARK: Slots

    private mutating func start(
        _ resource: ResourceClass, for work: JobID, host: String, bytes: Int, _ rank: QueueRank
    ) -> Bool {
        makeRoom(for: bytes)
        guard self[resource].startAtOnce(group: host, rank: rank, cost: bytes) else { return false }
        running[work] = Slot(resource: resource, host: host, bytes: bytes)
        return true
    }

    /// Work needs a slot.
    ///
    /// - Parameters:
    ///   - host: the host of a fetch.
    ///   - bytes: the memory that the stage takes, where it is known.
    /// - Returns: whether the work may run now. Otherwise it waits until ``grant()`` names it.
    mutating func request(
        _ resource: ResourceClass, for work: JobID, host: String = "", bytes: Int = 0, rank: QueueRank
    ) -> Bool {
        if start(resource, for: work, host: host, bytes: bytes, rank) { return true }
        waiting[work] = Slot(resource: resource, host: host, bytes: bytes)
        self[resource].enqueue(work, group: host, rank: rank, cost: bytes)
        return false
    }

    /// Whether ``grant()`` or ``takeEvicted()`` may have anything to return.
    var isSettled: Bool { evicted.isEmpty && (waiting.isEmpty || !queues.contains(where: \.mayTake)) }

    func isWaiting(_ work: JobID) -> Bool { !waiting.isEmpty && waiting[work] != nil }

    /// The rank of work changed.
    mutating func setRank(of work: JobID, _ rank: QueueRank) {
        guard let slot = waiting[work] else { return }
        self[slot.resource].enqueue(work, group: slot.host, rank: rank, cost: slot.bytes)
    }

    /// Work no longer waits.
    mutating func withdraw(_ work: JobID) {
        guard let slot = waiting.removeValue(forKey: work) else { return }
        self[slot.resource].withdraw(work, group: slot.host)
        giveCapacityBack()
    }

    /// The work that fits into the memory of the tables.
    var capacity: Int { max(running.capacity, waiting.capacity) }

    /// Gives the memory of a burst back.
    private mutating func giveCapacityBack() {
        if waiting.isEmpty, waiting.capacity > 256 { waiting = [:] }
        if running.isEmpty, running.capacity > 256 { running = [:] }
    }

    /// The stage of work, if one ran, has returned.
    mutating func release(_ work: JobID) {
        guard let slot = running.removeValue(forKey: work) else { return }
        self[slot.resource].release(group: slot.host, cost: slot.bytes)
        giveCapacityBack()
    }

    /// Work that is no longer wanted reads a local source, if it does. Its ``release(_:)`` then has no effect.
    mutating func releaseLocalRead(of work: JobID) {
        if running[work]?.resource == .local { release(work) }
    }

    /// The waiting work that may run now, in the order of its ranks; it has its slots.
    mutating func grant() -> [JobID] {
        guard !waiting.isEmpty else { return [] }
        var granted: [JobID] = []
        for resource in ResourceClass.allCases where self[resource].queued > 0 {
            while let work = self[resource].take() {
                running[work] = waiting.removeValue(forKey: work)
                granted.append(work)
            }
        }
        return granted
    }

    // MARK: Memory

    /// Running work has learnt how much memory it takes. Returns whether there is room for it.
    mutating func claim(_ bytes: Int, for work: JobID) -> Bool {
        // A stage that has lost its slot is about to end.
        guard var slot = running[work] else { return true }
        makeRoom(for: bytes)
        guard self[slot.resource].claim(bytes) else { return false }
        slot.bytes += bytes
        running[work] = slot
        return true
    }

    /// A decoder that makes previews has learnt how much memory it takes. Previews never wait: they get the memory
    /// where it is free at once, and give it to the first decode that needs it.
    mutating func claimForPreviews(_ bytes: Int, for work: JobID) -> Bool {
        let bytes = max(1, bytes)
        guard !previews.contains(where: { $0.work == work }), self[.worker].queued == 0, self[.worker].claim(bytes) else {
            return false
        }
        previews.append(Previews(work: work, bytes: bytes))
        return true
    }

    mutating func releasePreviews(of work: JobID) {
        guard let index = previews.firstIndex(where: { $0.work == work }) else { return }
        self[.worker].giveBack(previews.remove(at: index).bytes)
    }

    /// Ends previews, the youngest first, until a decode has the memory that it needs.
    private mutating func makeRoom(for bytes: Int) {
        while !self[.worker].fits(bytes), let last = previews.popLast() {
            self[.worker].giveBack(last.bytes)
            evicted.append(last.work)
        }
    }

    /// Removes and returns the work whose previews gave their memory up since the last call.
    mutating func takeEvicted() -> [JobID] {
        defer { evicted = [] }
        return evicted
    }

    // MARK: Holding back

    /// Whether no fetch may begin. Running fetches continue.
    var isPaused: Bool {
        get { self[.network].isPaused }
        set { self[.network].isPaused = newValue }
    }

    /// Whether prefetches may not begin to fetch.
    var holdsPrefetches: Bool {
        get { self[.network].holdsPrefetches }
        set { self[.network].holdsPrefetches = newValue }
    }
}

/// What a step of work occupies while it runs. Each class has its own queue and limits.
enum ResourceClass: Int, CaseIterable, Sendable {
    /// A fetch over the network: limited in total and per host.
    case network
    /// The read of a local file, or a closure of the caller.
    case local
    /// Decoding and processing, on the loader's worker threads.
    case worker
}
