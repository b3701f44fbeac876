internal import HeapModule
internal import ImageCore

/// Work that waits for one class of resources, within a limit in total, one per group (host), and a budget of what it
/// costs while it runs.
///
/// When the first in the queue does not fit into the rest of the budget, the others wait too, so that it gets its turn;
/// alone, it may cost any amount.
///
/// Revalidations begin only while less than half of each limit is in use, so that a load which comes later finds a
/// slot.
///
/// Ranks are compared when work is taken. A changed rank is queued as a new entry, and the old one is skipped when it
/// reaches the front: an entry counts only while its ticket is the work's latest.
struct ResourceQueue: Sendable {
    private struct Entry: Comparable, Sendable {
        let rank: QueueRank
        let work: JobID
        let ticket: UInt64
        let cost: Int

        static func < (a: Self, b: Self) -> Bool { a.rank < b.rank }
        static func == (a: Self, b: Self) -> Bool { a.ticket == b.ticket }
    }

    private struct Group: Sendable {
        var entries = Heap<Entry>()
        var running = 0

        var isIdle: Bool { running == 0 && entries.isEmpty }

        /// Returns whether one more may run; it then counts as running.
        mutating func start(within limit: Int) -> Bool {
            guard running < limit else { return false }
            running += 1
            return true
        }
    }

    /// A group with the rank of its first entry. It counts only while that entry is the first, and while the group may
    /// run more.
    private struct Candidate: Comparable, Sendable {
        let rank: QueueRank
        let group: String
        let ticket: UInt64

        static func < (a: Self, b: Self) -> Bool { a.rank < b.rank }
        static func == (a: Self, b: Self) -> Bool { a.ticket == b.ticket }
    }

    /// By name, where there is a limit per group.
    private var groups: [String: Group] = [:]
    /// Everything, where there is no limit per group.
    private var everyone = Group()
    /// Holds each group that may run more and has an entry, under its first entry or an earlier one: a loader may have
    /// thousands of hosts waiting, and must not search them all for the next entry.
    private var candidates = Heap<Candidate>()
    /// The ticket under which each waiting work is queued.
    private(set) var tickets: [JobID: UInt64] = [:]
    private var nextTicket: UInt64 = 0

    var queued: Int { tickets.count }
    private(set) var running = 0
    let limit: Int
    let limitPerGroup: Int
    /// What all running work may cost together.
    let budget: Int
    private(set) var spent = 0
    var isPaused = false
    /// Whether prefetches wait even when the limits would let them run.
    var holdsPrefetches = false

    init(limit: Int, limitPerGroup: Int = .max, budget: Int = .max) {
        self.limit = limit
        self.budget = budget
        self.limitPerGroup = limitPerGroup
    }

    private var isGrouped: Bool { limitPerGroup != .max }

    private func isLive(_ entry: Entry) -> Bool { tickets[entry.work] == entry.ticket }

    private subscript(group name: String) -> Group {
        get { isGrouped ? groups[name] ?? Group() : everyone }
        _modify {
            if isGrouped { yield &groups[name, default: Group()] } else { yield &everyone }
        }
    }

    /// Queues a work, or changes the rank of a queued one.
    mutating func enqueue(_ work: JobID, group: String, rank: QueueRank, cost: Int = 0) {
        nextTicket += 1
        tickets[work] = nextTicket
        self[group: group].entries.insert(Entry(rank: rank, work: work, ticket: nextTicket, cost: cost))
        compact(group)
        if isGrouped, self[group: group].entries.max?.ticket == nextTicket { pushCandidate(group) }
    }

    /// Whether a work of the group may run at once, past an empty queue; it then counts as running until `release`.
    mutating func startAtOnce(group: String, rank: QueueRank, cost: Int = 0) -> Bool {
        guard !isPaused, queued == 0, running < share(of: limit, rank), fits(cost), !isHeld(rank) else { return false }
        guard !isGrouped || groups[group, default: Group()].start(within: share(of: limitPerGroup, rank)) else { return false }
        spent += cost
        running += 1
        return true
    }

    /// Takes a work out of the queue, if it is there; it must not be running.
    mutating func withdraw(_ work: JobID, group: String) {
        guard tickets.removeValue(forKey: work) != nil else { return }
        compact(group)
        shrinkCapacity()
    }

    private func isHeld(_ rank: QueueRank) -> Bool { holdsPrefetches && rank.isPrefetch }

    /// How much of a limit may be in use when work of this rank begins.
    private func share(of limit: Int, _ rank: QueueRank) -> Int { rank.isRevalidation ? Self.half(limit) : limit }

    private static func half(_ limit: Int) -> Int { max(1, limit / 2) }

    /// Whether the limit in total allows more work to run, and there is some.
    var mayTake: Bool { !isPaused && running < limit && queued > 0 }

    /// The best work that the limits allow to run now; it counts as running until `release`.
    mutating func take() -> JobID? {
        guard mayTake, let group = bestGroup, let best = self[group: group].entries.max,
            running < share(of: limit, best.rank), fits(best.cost), !isHeld(best.rank)
        else { return nil }
        self[group: group].entries.removeMax()
        spent += best.cost
        if isGrouped {
            candidates.removeMax()
            groups[group]?.running += 1
            pushCandidate(group)
        }
        tickets[best.work] = nil
        running += 1
        shrinkCapacity()
        return best.work
    }

    /// The group whose best entry comes first, among those that may run more. It is then the first of the candidates.
    private var bestGroup: String? {
        mutating get {
            guard isGrouped else { return top(of: "") == nil ? nil : "" }
            while let candidate = candidates.max {
                guard let top = next(of: candidate.group) else {
                    candidates.removeMax()
                    continue
                }
                if top.ticket == candidate.ticket { return candidate.group }
                candidates.replaceMax(with: Candidate(rank: top.rank, group: candidate.group, ticket: top.ticket))
            }
            return nil
        }
    }

    /// The group's best live entry, where the limit per group allows it to run.
    private mutating func next(of group: String) -> Entry? {
        guard let top = top(of: group), (groups[group]?.running ?? 0) < share(of: limitPerGroup, top.rank) else { return nil }
        return top
    }

    /// Adds a group to the candidates if it may run more and has an entry.
    private mutating func pushCandidate(_ group: String) {
        guard let top = next(of: group) else { return }
        candidates.insert(Candidate(rank: top.rank, group: group, ticket: top.ticket))
        // Candidates that no longer count must stay a small part.
        guard candidates.count > 2 * groups.count + 32 else { return }
        candidates = Heap(
            groups.keys.compactMap { name in
                next(of: name).map { Candidate(rank: $0.rank, group: name, ticket: $0.ticket) }
            })
    }

    /// A running work needs a part of the budget. Returns whether the budget allows it; if so, it is spent until
    /// `release`.
    mutating func claim(_ cost: Int) -> Bool {
        guard fits(cost) else { return false }
        spent += cost
        return true
    }

    /// Gives back a part of the budget that was claimed.
    mutating func giveBack(_ cost: Int) { spent -= cost }

    func fits(_ cost: Int) -> Bool { cost == 0 || spent == 0 || cost <= budget - spent }

    /// A running work of the group ended.
    mutating func release(group: String, cost: Int = 0) {
        running -= 1
        spent -= cost
        guard isGrouped, let index = groups.index(forKey: group) else { return }
        let mayHaveWaited = groups.values[index].running >= Self.half(limitPerGroup)
        groups.values[index].running -= 1
        if groups.values[index].isIdle { groups.remove(at: index) } else if mayHaveWaited { pushCandidate(group) }
    }

    /// The group's best live entry; drops the stale ones above it.
    private mutating func top(of name: String) -> Entry? {
        while let entry = self[group: name].entries.max {
            if isLive(entry) { return entry }
            self[group: name].entries.removeMax()
        }
        return nil
    }

    /// Keeps stale entries below the number of live ones, so that many starts and cancels leave nothing behind.
    private mutating func compact(_ name: String) {
        let count = self[group: name].entries.count
        guard count > 2 * queued + 32 || queued == 0 else { return }
        if count > 0 {
            let live = queued == 0 ? [] : self[group: name].entries.unordered.filter(isLive)
            self[group: name].entries = Heap(live)
        }
        if isGrouped { removeIfIdle(name) }
    }

    /// Gives back the memory of a burst when the queue is empty, but keeps a little for the next loads.
    private mutating func shrinkCapacity() {
        guard tickets.isEmpty, tickets.capacity > 256 else { return }
        tickets = [:]
        everyone.entries = Heap()
        candidates = Heap()
        for name in groups.keys {
            groups[name]?.entries = Heap()
            removeIfIdle(name)
        }
    }

    private mutating func removeIfIdle(_ name: String) {
        if groups[name]?.isIdle == true { groups[name] = nil }
    }
}

extension ResourceQueue: Equatable {
    private struct Waiting: Equatable {
        let group: String
        let rank: QueueRank
        let cost: Int
    }

    private var waiting: [JobID: Waiting] {
        var waiting: [JobID: Waiting] = [:]
        for (name, group) in isGrouped ? groups : ["": everyone] {
            for entry in group.entries.unordered where isLive(entry) {
                waiting[entry.work] = Waiting(group: name, rank: entry.rank, cost: entry.cost)
            }
        }
        return waiting
    }

    /// Whether the same work waits, as much runs, and the same rules hold. How the queues came about makes no
    /// difference.
    static func == (a: Self, b: Self) -> Bool {
        (a.limit, a.limitPerGroup, a.budget, a.spent, a.running) == (b.limit, b.limitPerGroup, b.budget, b.spent, b.running)
            && (a.isPaused, a.holdsPrefetches) == (b.isPaused, b.holdsPrefetches) && a.waiting == b.waiting
            && a.groups.mapValues(\.running).filter { $0.value > 0 } == b.groups.mapValues(\.running).filter { $0.value > 0 }
    }
}
