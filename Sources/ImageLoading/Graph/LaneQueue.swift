internal import HeapModule
internal import ImageCore

/// Work that waits for one kind of resource, within a limit in total, one per group (host), and a budget of what it costs
/// while it runs.
///
/// What comes first and does not fit into what is left of the budget makes the rest wait, so that it has its turn; alone,
/// it may cost any amount.
///
/// Ranks are compared when work is taken. A changed rank is queued again and the old entry is skipped when it surfaces:
/// an entry counts only while its ticket is the node's latest.
struct LaneQueue: Sendable {
    private struct Entry: Comparable, Sendable {
        let rank: QueueRank
        let node: NodeID
        let ticket: UInt64
        let cost: Int

        static func < (a: Self, b: Self) -> Bool { a.rank < b.rank }
        static func == (a: Self, b: Self) -> Bool { a.ticket == b.ticket }
    }

    private struct Group: Sendable {
        var entries = Heap<Entry>()
        var running = 0
    }

    /// A group by what comes first in it. It counts while that is so, and the group may run more.
    private struct Candidate: Comparable, Sendable {
        let rank: QueueRank
        let group: String
        let ticket: UInt64

        static func < (a: Self, b: Self) -> Bool { a.rank < b.rank }
        static func == (a: Self, b: Self) -> Bool { a.ticket == b.ticket }
    }

    /// By name; where there is no limit per group, all that waits is in the one below.
    private var groups: [String: Group] = [:]
    private var everyone = Group()
    /// Each group that may run more and has something waiting is among them, in the place of what comes first in it or of
    /// what did before: a loader may have thousands of hosts waiting, and does not look at them all for the next one.
    private var candidates = Heap<Candidate>()
    /// The ticket under which each waiting node is queued, by the node's slot; 0 for none, and for those after the last.
    private var tickets: [UInt64] = []
    private var nextTicket: UInt64 = 0
    private(set) var queued = 0
    /// For how many nodes' slots there is memory: for tests.
    var slotCount: Int { tickets.count }

    private(set) var running = 0
    let limit: Int
    let limitPerGroup: Int
    /// What all that runs may cost together.
    let budget: Int
    private(set) var spent = 0
    var isPaused = false
    /// Whether prefetches wait, however free the lane is.
    var holdsPrefetches = false

    init(limit: Int, limitPerGroup: Int = .max, budget: Int = .max) {
        self.limit = limit
        self.budget = budget
        self.limitPerGroup = limitPerGroup
    }

    private var isGrouped: Bool { limitPerGroup != .max }

    private func ticket(of node: NodeID) -> UInt64 { node.slot < tickets.count ? tickets[node.slot] : 0 }

    private func isLive(_ entry: Entry) -> Bool { ticket(of: entry.node) == entry.ticket }

    private subscript(group name: String) -> Group {
        get { isGrouped ? groups[name] ?? Group() : everyone }
        _modify {
            if isGrouped { yield &groups[name, default: Group()] } else { yield &everyone }
        }
    }

    /// Queues a node, or queues it anew under another rank.
    mutating func enqueue(_ node: NodeID, group: String, rank: QueueRank, cost: Int = 0) {
        nextTicket += 1
        if node.slot >= tickets.count {
            tickets.append(contentsOf: repeatElement(0, count: max(16, node.slot + 1 - tickets.count)))
        }
        if tickets[node.slot] == 0 { queued += 1 }
        tickets[node.slot] = nextTicket
        self[group: group].entries.insert(Entry(rank: rank, node: node, ticket: nextTicket, cost: cost))
        compact(group)
        if isGrouped, self[group: group].entries.max?.ticket == nextTicket { nominate(group) }
    }

    /// Whether a node of the group may run at once, past an empty queue; it then counts as running until `release`.
    mutating func startAtOnce(group: String, cost: Int = 0, isPrefetch: Bool = false) -> Bool {
        guard !isPaused, queued == 0, running < limit, fits(cost), !(isPrefetch && holdsPrefetches) else { return false }
        if isGrouped {
            guard groups[group]?.running ?? 0 < limitPerGroup else { return false }
            groups[group, default: Group()].running += 1
        }
        spent += cost
        running += 1
        return true
    }

    /// Takes a node out of the queue; it must not be running.
    mutating func withdraw(_ node: NodeID, group: String) {
        guard ticket(of: node) != 0 else { return }
        tickets[node.slot] = 0
        queued -= 1
        compact(group)
    }

    /// The best node that the limits allow to run now; it counts as running until `release`.
    mutating func take() -> NodeID? {
        guard !isPaused, running < limit, queued > 0, let group = bestGroup, let best = self[group: group].entries.max,
            fits(best.cost), !(holdsPrefetches && best.rank.rankClass.purpose == .prefetch)
        else { return nil }
        self[group: group].entries.removeMax()
        spent += best.cost
        if isGrouped {
            candidates.removeMax()
            groups[group]?.running += 1
            nominate(group)
        }
        tickets[best.node.slot] = 0
        queued -= 1
        running += 1
        return best.node
    }

    /// The group whose best entry comes first, of those that may run more; then it is the first of the candidates.
    private var bestGroup: String? {
        mutating get {
            guard isGrouped else { return top(of: "") == nil ? nil : "" }
            while let candidate = candidates.max {
                guard mayRunMore(candidate.group), let top = top(of: candidate.group) else {
                    candidates.removeMax()
                    continue
                }
                if top.ticket == candidate.ticket { return candidate.group }
                candidates.replaceMax(with: Candidate(rank: top.rank, group: candidate.group, ticket: top.ticket))
            }
            return nil
        }
    }

    private func mayRunMore(_ group: String) -> Bool { (groups[group]?.running ?? 0) < limitPerGroup }

    /// Puts a group among the candidates where it belongs there.
    private mutating func nominate(_ group: String) {
        guard mayRunMore(group), let top = top(of: group) else { return }
        candidates.insert(Candidate(rank: top.rank, group: group, ticket: top.ticket))
        // Those that do not count any more must not become the greater part.
        guard candidates.count > 2 * groups.count + 32 else { return }
        candidates = Heap(
            groups.keys.compactMap { name in
                guard mayRunMore(name), let top = self.top(of: name) else { return nil }
                return Candidate(rank: top.rank, group: name, ticket: top.ticket)
            })
    }

    /// A running node turns out to cost something. Returns whether the budget allows it; if so, it is spent until `release`.
    mutating func claim(_ cost: Int) -> Bool {
        guard fits(cost) else { return false }
        spent += cost
        return true
    }

    /// So much of the budget is gone, whether it allows it or not.
    mutating func hold(_ cost: Int) { spent += cost }

    /// Gives back a part of the budget that was claimed or held.
    mutating func giveBack(_ cost: Int) { spent -= cost }

    func fits(_ cost: Int) -> Bool { cost == 0 || spent == 0 || cost <= budget - spent }

    /// A running node of the group ended.
    mutating func release(group: String, cost: Int = 0) {
        running -= 1
        spent -= cost
        guard isGrouped else { return }
        let wasFull = !mayRunMore(group)
        groups[group]?.running -= 1
        if wasFull { nominate(group) }
        forgetIfIdle(group)
    }

    /// The group's best live entry; drops the stale ones above it.
    private mutating func top(of name: String) -> Entry? {
        while let entry = self[group: name].entries.max {
            if isLive(entry) { return entry }
            self[group: name].entries.removeMax()
        }
        return nil
    }

    /// Keeps stale entries below the number of live ones, so that a storm of starts and cancels leaves nothing behind.
    private mutating func compact(_ name: String) {
        let count = self[group: name].entries.count
        guard count > 2 * queued + 32 || queued == 0 else { return }
        if count > 0 {
            let live = queued == 0 ? [] : self[group: name].entries.unordered.filter(isLive)
            self[group: name].entries = Heap(live)
        }
        if isGrouped { forgetIfIdle(name) }
    }

    /// Gives back what a burst took of memory, where nothing waits; a little stays, so that the next load finds its own. For
    /// when there is no node any more: while there are many, the next one that waits would take a table of them all.
    mutating func forgetBurst() {
        guard queued == 0, tickets.count > 128 else { return }
        tickets = []
        everyone.entries = Heap()
        candidates = Heap()
        for name in groups.keys {
            groups[name]?.entries = Heap()
            forgetIfIdle(name)
        }
    }

    private mutating func forgetIfIdle(_ name: String) {
        if let group = groups[name], group.running == 0, group.entries.isEmpty { groups[name] = nil }
    }
}
