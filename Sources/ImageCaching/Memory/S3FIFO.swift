/// Eviction by frequency: S3-FIFO. A pure value over node numbers.
///
/// Yang, Zhang, Qiu, Yue, Rashmi, "FIFO queues are all you need for cache eviction", SOSP 2023: a new entry goes to a small
/// queue of a tenth of the room, from which it goes to the main queue if it was used meanwhile, or out. Most entries are
/// used once, so they leave soon, and the main queue keeps what is worth keeping; it gives each entry one more round per
/// use. Keys that left the small queue are remembered without their pictures (ghosts): one that comes back goes to the main
/// queue at once.
///
/// One change: an entry used once while in the small queue gets another round there, one used twice goes to the main queue.
struct S3FIFO: Sendable {
    private enum Queue: UInt8, Sendable {
        case small, main
    }

    private struct Node: Sendable {
        var cost = 0
        var hash = 0
        var queue = Queue.small
        var older: Int32 = -1
        var newer: Int32 = -1
    }

    private struct List: Sendable {
        var oldest: Int32 = -1
        var newest: Int32 = -1
        var cost = 0
        var count = 0
    }

    /// The small queue's share of the room.
    private static let smallShare = 0.1

    private var nodes: [Node] = []
    private var small = List()
    private var main = List()
    private var ghosts = GhostList(share: 0.9)

    var cost: Int { small.cost + main.cost }
    var count: Int { small.count + main.count }

    /// Adds an entry as the newest.
    mutating func insert(_ entry: EvictionOrder.Entry) {
        add(entry, to: ghosts.take(entry.hash, residents: count) ? .main : .small)
    }

    /// Takes over entries in the order of their use, oldest first.
    mutating func insert(contentsOf entries: [EvictionOrder.Entry]) {
        var older = Int(Double(entries.reduce(0) { $0 + $1.cost }) * (1 - Self.smallShare))
        for entry in entries {
            add(entry, to: older > 0 ? .main : .small)
            older -= entry.cost
        }
    }

    mutating func remove(_ node: Int32) { unlink(node) }

    func hash(of node: Int32) -> Int { nodes[Int(node)].hash }

    /// All entries, in no order of use.
    var entries: [EvictionOrder.Entry] {
        [small, main].flatMap { list in
            sequence(first: list.oldest) { nodes[Int($0)].newer }.prefix { $0 >= 0 }.map { node in
                EvictionOrder.Entry(node: node, hash: nodes[Int(node)].hash, cost: nodes[Int(node)].cost, stamp: 0)
            }
        }
    }

    mutating func removeAll() { (small, main) = (List(), List()) }

    /// Takes the entry out that is worth the least, and returns its node; `nil` when there is none.
    ///
    /// - Parameter excluded: an entry that stays in any case: the newest.
    mutating func evict(except excluded: Int32, asking entries: inout some EvictionCandidates) -> Int32? {
        let target = Int(Double(cost) * Self.smallShare)
        // Every pass takes a use from an entry, moves one to the main queue or passes over the excluded one, so this ends.
        while true {
            let smallIsOut = small.count == 0 || (small.count == 1 && small.oldest == excluded)
            let mainIsOut = main.count == 0 || (main.count == 1 && main.oldest == excluded)
            if smallIsOut, mainIsOut { return nil }
            let fromSmall = mainIsOut || (!smallIsOut && small.cost >= target)
            let node = fromSmall ? small.oldest : main.oldest
            unlink(node)
            if node == excluded {
                link(node, to: nodes[Int(node)].queue)
                continue
            }
            let hash = nodes[Int(node)].hash
            let uses = entries.ask(node, hash: hash, fromSmall ? .takeUses : .takeUse)
            if uses == 0 {
                if fromSmall { ghosts.add(hash, residents: count) }
                return node
            }
            link(node, to: fromSmall && uses < 2 ? .small : .main)
        }
    }

    private mutating func add(_ entry: EvictionOrder.Entry, to queue: Queue) {
        while nodes.count <= entry.node { nodes.append(Node()) }
        (nodes[Int(entry.node)].cost, nodes[Int(entry.node)].hash) = (entry.cost, entry.hash)
        link(entry.node, to: queue)
    }

    private mutating func link(_ node: Int32, to queue: Queue) {
        nodes[Int(node)].queue = queue
        switch queue {
        case .small: Self.link(node, in: &nodes, to: &small)
        case .main: Self.link(node, in: &nodes, to: &main)
        }
    }

    private mutating func unlink(_ node: Int32) {
        switch nodes[Int(node)].queue {
        case .small: Self.unlink(node, in: &nodes, from: &small)
        case .main: Self.unlink(node, in: &nodes, from: &main)
        }
    }

    private static func link(_ node: Int32, in nodes: inout [Node], to list: inout List) {
        nodes[Int(node)].older = list.newest
        nodes[Int(node)].newer = -1
        if list.newest >= 0 { nodes[Int(list.newest)].newer = node } else { list.oldest = node }
        list.newest = node
        list.cost += nodes[Int(node)].cost
        list.count += 1
    }

    private static func unlink(_ node: Int32, in nodes: inout [Node], from list: inout List) {
        let (older, newer) = (nodes[Int(node)].older, nodes[Int(node)].newer)
        if older >= 0 { nodes[Int(older)].newer = newer } else { list.oldest = newer }
        if newer >= 0 { nodes[Int(newer)].older = older } else { list.newest = older }
        list.cost -= nodes[Int(node)].cost
        list.count -= 1
    }
}

/// The keys that left a queue last, by their hashes: a table in which a newer one may overwrite an older one, and in which
/// those that left too long ago do not count.
private struct GhostList: Sendable {
    /// How many are remembered, as a share of the entries held.
    let share: Double
    private var slots: [(hash: Int, number: Int)] = []
    private var added = 0

    init(share: Double) { self.share = share }

    mutating func add(_ hash: Int, residents: Int) {
        if slots.count < 2 * residents + 16 { grow(to: 4 * residents + 64) }
        added += 1
        slots[place(hash)] = (hash, added)
    }

    /// Whether the key left lately; forgets it.
    mutating func take(_ hash: Int, residents: Int) -> Bool {
        guard !slots.isEmpty else { return false }
        let slot = slots[place(hash)]
        guard slot.hash == hash, slot.number > 0, added - slot.number < limit(residents) else { return false }
        slots[place(hash)].number = 0
        return true
    }

    private func limit(_ residents: Int) -> Int { max(1, Int(Double(residents + 1) * share)) }

    private func place(_ hash: Int) -> Int { (hash ^ hash >> 32) & (slots.count - 1) }

    private mutating func grow(to count: Int) {
        var size = 64
        while size < count { size *= 2 }
        let old = slots
        slots = Array(repeating: (0, 0), count: size)
        for slot in old where slot.number > 0 { slots[place(slot.hash)] = slot }
    }
}
