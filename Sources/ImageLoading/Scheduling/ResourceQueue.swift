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
///
/// An entry whose group runs all that it may is set aside when it reaches the front. Each time the group may run more,
/// its best entry comes back. So a loader with thousands of hosts that wait never searches them all.
struct ResourceQueue: Sendable {
    private struct Entry: Comparable, Sendable {
        let rank: QueueRank
        let work: JobID
        let group: String
        let ticket: UInt64
        let cost: Int

        static func < (a: Self, b: Self) -> Bool { a.rank < b.rank }
        static func == (a: Self, b: Self) -> Bool { a.ticket == b.ticket }
    }

    private struct Group: Sendable {
        var running = 0
        var aside = Heap<Entry>()
    }

    private var front = Heap<Entry>()
    /// By name, where there is a limit per group: those with work that runs or is set aside.
    private var groups: [String: Group] = [:]
    /// How many entries there are in all, with those that no longer count.
    private var entryCount = 0
    /// The ticket under which each waiting work is queued.
    private(set) var tickets: [JobID: UInt64] = [:]
    private var nextTicket: UInt64 = 0

    var queued: Int { tickets.count }
    /// The entries in memory, with those that no longer count.
    var heldCount: Int { front.count + groups.values.reduce(0) { $0 + $1.aside.count } }
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
        (self.limit, self.budget, self.limitPerGroup) = (limit, budget, limitPerGroup)
    }

    private var isGrouped: Bool { limitPerGroup != .max }

    private func isLive(_ entry: Entry) -> Bool { tickets[entry.work] == entry.ticket }

    // MARK: Queueing

    /// Queues a work, or changes the rank of a queued one.
    mutating func enqueue(_ work: JobID, group: String, rank: QueueRank, cost: Int = 0) {
        nextTicket += 1
        tickets[work] = nextTicket
        front.insert(Entry(rank: rank, work: work, group: group, ticket: nextTicket, cost: cost))
        entryCount += 1
        removeStaleEntries()
    }

    /// Takes a work out of the queue, if it is there; it must not be running.
    mutating func withdraw(_ work: JobID, group: String) {
        guard tickets.removeValue(forKey: work) != nil else { return }
        // The work may have come back for a place that is free now.
        bringBack(group)
        removeStaleEntries()
    }

    /// Keeps the entries that no longer count below the number of the others, so that many starts and cancels leave
    /// nothing behind. An empty queue gives back the memory of a burst, but keeps a little for the next loads.
    private mutating func removeStaleEntries() {
        guard entryCount > 2 * queued + (queued == 0 ? 0 : 32) || queued == 0 && tickets.capacity > 256 else { return }
        if queued == 0 { tickets = [:] }
        front = Heap(front.unordered.filter(isLive))
        groups = groups.mapValues { Group(running: $0.running, aside: Heap($0.aside.unordered.filter(isLive))) }
            .filter { $1.running > 0 || !$1.aside.isEmpty }
        entryCount = queued
    }

    // MARK: Taking

    /// Whether a work of the group may run at once, past an empty queue; it then counts as running until `release`.
    mutating func startAtOnce(group: String, rank: QueueRank, cost: Int = 0) -> Bool {
        guard !isPaused, queued == 0, mayRun(rank, cost: cost), mayRun(rank, in: group) else { return false }
        start(group, cost: cost)
        return true
    }

    /// Whether the limit in total allows more work to run, and there is some.
    var mayTake: Bool { !isPaused && running < limit && queued > 0 }

    /// The best work that the limits allow to run now; it counts as running until `release`.
    mutating func take() -> JobID? {
        while mayTake, let best = front.max {
            let isLive = isLive(best)
            if isLive, !mayRun(best.rank, in: best.group) {
                groups[best.group]?.aside.insert(front.removeMax())
                continue
            }
            guard !isLive || mayRun(best.rank, cost: best.cost) else { return nil }
            front.removeMax()
            entryCount -= 1
            guard isLive else { continue }
            tickets[best.work] = nil
            start(best.group, cost: best.cost)
            removeStaleEntries()
            return best.work
        }
        return nil
    }

    private func mayRun(_ rank: QueueRank, cost: Int) -> Bool {
        running < share(of: limit, rank) && fits(cost) && !(holdsPrefetches && rank.isPrefetch)
    }

    private func mayRun(_ rank: QueueRank, in group: String) -> Bool {
        !isGrouped || groups[group]?.running ?? 0 < share(of: limitPerGroup, rank)
    }

    /// How much of a limit may be in use when work of this rank begins.
    private func share(of limit: Int, _ rank: QueueRank) -> Int { rank.isRevalidation ? max(1, limit / 2) : limit }

    private mutating func start(_ group: String, cost: Int) {
        spent += cost
        running += 1
        if isGrouped { groups[group, default: Group()].running += 1 }
    }

    /// A running work of the group ended.
    mutating func release(group: String, cost: Int = 0) {
        running -= 1
        spent -= cost
        guard isGrouped, let index = groups.index(forKey: group) else { return }
        groups.values[index].running -= 1
        bringBack(group)
    }

    /// Brings the best entry of the group back that was set aside, and forgets a group without work.
    private mutating func bringBack(_ group: String) {
        guard let index = groups.index(forKey: group) else { return }
        while let entry = groups.values[index].aside.popMax() {
            if isLive(entry) { return front.insert(entry) }
            entryCount -= 1
        }
        if groups.values[index].running == 0 { groups.remove(at: index) }
    }

    // MARK: The budget

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
}

extension ResourceQueue: Equatable {
    private struct Waiting: Equatable {
        let group: String
        let rank: QueueRank
        let cost: Int
    }

    private var waiting: [JobID: Waiting] {
        let entries = front.unordered + groups.values.flatMap(\.aside.unordered)
        return entries.filter(isLive).reduce(into: [:]) { waiting, entry in
            waiting[entry.work] = Waiting(group: entry.group, rank: entry.rank, cost: entry.cost)
        }
    }

    /// Whether the same work waits, as much runs, and the same rules hold. How the queues came about makes no
    /// difference.
    static func == (a: Self, b: Self) -> Bool {
        (a.limit, a.limitPerGroup, a.budget, a.spent, a.running) == (b.limit, b.limitPerGroup, b.budget, b.spent, b.running)
            && (a.isPaused, a.holdsPrefetches) == (b.isPaused, b.holdsPrefetches) && a.waiting == b.waiting
            && a.groups.mapValues(\.running).filter { $0.value > 0 } == b.groups.mapValues(\.running).filter { $0.value > 0 }
    }
}
