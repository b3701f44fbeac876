internal import HeapModule

/// Work that waits for one kind of resource, within a limit in total, one per group (host), and a budget of what it costs
/// while it runs.
///
/// What comes first and does not fit into what is left of the budget makes the rest wait, so that it has its turn; alone,
/// it may cost any amount.
///
/// Ranks are compared when work is taken. A changed rank is queued again and the old entry is skipped when it surfaces:
/// an entry counts only while its ticket is the node's latest.
struct LaneQueue<Node: Hashable & Sendable>: Sendable {
    private struct Entry: Comparable, Sendable {
        let rank: QueueRank
        let node: Node
        let ticket: UInt64
        let cost: Int

        static func < (a: Self, b: Self) -> Bool { a.rank < b.rank }
        static func == (a: Self, b: Self) -> Bool { a.ticket == b.ticket }
    }

    private struct Group: Sendable {
        var entries = Heap<Entry>()
        var running = 0
    }

    private var groups: [String: Group] = [:]
    /// The ticket under which each waiting node is queued.
    private var tickets: [Node: UInt64] = [:]
    private var nextTicket: UInt64 = 0

    private(set) var running = 0
    let limit: Int
    let limitPerGroup: Int
    /// What all that runs may cost together.
    let budget: Int
    private(set) var spent = 0
    var isPaused = false

    init(limit: Int, limitPerGroup: Int = .max, budget: Int = .max) {
        self.limit = limit
        self.budget = budget
        self.limitPerGroup = limitPerGroup
    }

    var queued: Int { tickets.count }

    private var isGrouped: Bool { limitPerGroup != .max }

    /// Queues a node, or queues it anew under another rank.
    mutating func enqueue(_ node: Node, group: String, rank: QueueRank, cost: Int = 0) {
        nextTicket += 1
        tickets[node] = nextTicket
        groups[group, default: Group()].entries.insert(Entry(rank: rank, node: node, ticket: nextTicket, cost: cost))
        compact(group)
    }

    /// Whether a node of the group may run at once, past an empty queue; it then counts as running until `release`.
    mutating func startAtOnce(group: String, cost: Int = 0) -> Bool {
        guard !isPaused, tickets.isEmpty, running < limit, fits(cost) else { return false }
        spent += cost
        if isGrouped {
            guard groups[group]?.running ?? 0 < limitPerGroup else { return false }
            groups[group, default: Group()].running += 1
        }
        running += 1
        return true
    }

    /// Takes a node out of the queue; it must not be running.
    mutating func withdraw(_ node: Node, group: String) {
        guard tickets.removeValue(forKey: node) != nil else { return }
        compact(group)
    }

    /// The best node that the limits allow to run now; it counts as running until `release`.
    mutating func take() -> Node? {
        guard !isPaused, running < limit, !tickets.isEmpty else { return nil }
        var best: (group: String, rank: QueueRank, cost: Int)?
        for name in groups.keys {
            guard groups[name]?.running ?? 0 < limitPerGroup, let top = top(of: name) else { continue }
            if best.map({ $0.rank < top.rank }) ?? true { best = (name, top.rank, top.cost) }
        }
        guard let best, fits(best.cost), let entry = groups[best.group]?.entries.popMax() else { return nil }
        spent += entry.cost
        if isGrouped { groups[best.group]?.running += 1 }
        tickets[entry.node] = nil
        running += 1
        return entry.node
    }

    /// A running node turns out to cost something. Returns whether the budget allows it; if so, it is spent until `release`.
    mutating func claim(_ cost: Int) -> Bool {
        guard fits(cost) else { return false }
        spent += cost
        return true
    }

    private func fits(_ cost: Int) -> Bool { cost == 0 || spent == 0 || cost <= budget - spent }

    /// A running node of the group ended.
    mutating func release(group: String, cost: Int = 0) {
        running -= 1
        spent -= cost
        guard isGrouped else { return }
        groups[group]?.running -= 1
        forgetIfIdle(group)
    }

    /// The group's best live entry; drops the stale ones above it.
    private mutating func top(of name: String) -> Entry? {
        while let entry = groups[name]?.entries.max {
            if tickets[entry.node] == entry.ticket { return entry }
            groups[name]?.entries.removeMax()
        }
        return nil
    }

    /// Keeps stale entries below the number of live ones, so that a storm of starts and cancels leaves nothing behind.
    private mutating func compact(_ name: String) {
        guard let entries = groups[name]?.entries, entries.count > 2 * tickets.count + 32 || tickets.isEmpty else {
            return
        }
        groups[name]?.entries = Heap(entries.unordered.filter { tickets[$0.node] == $0.ticket })
        forgetIfIdle(name)
    }

    private mutating func forgetIfIdle(_ name: String) {
        if let group = groups[name], group.running == 0, group.entries.isEmpty { groups[name] = nil }
    }
}
