/// Which entry goes when room is short: S3-FIFO with an adaptive small queue. A pure value over node numbers.
///
/// S3-FIFO (Yang, Zhang, Qiu, Yue, Rashmi, "FIFO queues are all you need for cache eviction", SOSP 2023): a new entry goes
/// to a small queue, from which it goes to the main queue if it was used meanwhile, or out. Most entries are used once, so
/// they leave soon, and the main queue keeps what is worth keeping; it gives each entry one more round per use. Keys that
/// left are remembered without their pictures (ghosts): one that comes back goes to the main queue at once. A hit only
/// raises a counter, so readers never touch the queues.
///
/// Two changes, chosen on seeded traces (hit ratio at 5 % of 100,000 items, Zipf 0.9: LRU .514, CLOCK .525, SIEVE .588,
/// W-TinyLFU .597, S3-FIFO .596, this .594; two touches further apart than the paper's small queue: LRU .500, SIEVE,
/// W-TinyLFU and S3-FIFO promoting at one use at most .05, this .470):
/// - the small queue's share adapts as ARC's does (Megiddo and Modha, "ARC: a self-tuning, low overhead replacement
///   cache", FAST 2003): a ghost of the small queue that comes back makes it larger, one of the main queue smaller. Scrolling
///   back and forth at random then hits .54 (LRU .65, a fixed tenth .46). The price is paid on loops a fifth larger than
///   the cache: .09, where a fixed tenth hits .70 and LRU nothing;
/// - an entry used once while in the small queue gets another round there, one used twice goes to the main queue.
struct EvictionQueues: Sendable {
    enum Queue: UInt8, Sendable {
        case small, main
    }

    /// How far asking for the uses of an entry lowers them.
    enum Aging: Sendable {
        case toZero, byOne
        /// The entry goes whatever its uses are.
        case nothing
    }

    struct Node: Sendable {
        var cost = 0
        var hash = 0
        var queue = Queue.small
        fileprivate var older: Int32 = -1
        fileprivate var newer: Int32 = -1
    }

    private struct List: Sendable {
        var oldest: Int32 = -1
        var newest: Int32 = -1
        var cost = 0
        var count = 0
    }

    private(set) var nodes: [Node] = []
    private var small = List()
    private var main = List()
    private var smallGhosts = GhostList(share: 0.9)
    private var mainGhosts = GhostList(share: 0.5)
    /// What the small queue may cost before entries leave it.
    private var smallTarget = 0.0

    var cost: Int { small.cost + main.cost }
    var count: Int { small.count + main.count }

    /// Adds an entry as the newest.
    ///
    /// - Parameters:
    ///   - limit: what all entries may cost, for the bounds of the small queue's share.
    mutating func insert(_ node: Int32, hash: Int, cost: Int, limit: Int) {
        while nodes.count <= node { nodes.append(Node()) }
        (nodes[Int(node)].cost, nodes[Int(node)].hash) = (cost, hash)
        let (ofSmall, ofMain) = (smallGhosts.take(hash, residents: count), mainGhosts.take(hash, residents: count))
        let (smallCount, mainCount) = (Double(max(1, smallGhosts.count)), Double(max(1, mainGhosts.count)))
        if ofSmall { smallTarget += Double(cost) * min(8, max(1, mainCount / smallCount)) }
        if ofMain { smallTarget -= Double(cost) * min(8, max(1, smallCount / mainCount)) }
        smallTarget = min(max(smallTarget, Double(limit) * 0.1), Double(limit) * 0.95)
        link(node, to: ofSmall || ofMain ? .main : .small)
    }

    mutating func remove(_ node: Int32) { unlink(node) }

    /// Takes the entry out that is worth the least, and returns its node; `nil` when there is none.
    ///
    /// - Parameters:
    ///   - excluded: an entry that stays in any case: the newest.
    ///   - uses: the uses of an entry since it was last asked for, up to 3; asking lowers them. One without any
    ///     is the victim.
    mutating func evict(
        except excluded: Int32, takeUses: (_ node: Int32, _ hash: Int, Aging) -> UInt8
    ) -> Int32? {
        // Every pass takes a use from an entry, moves one to the main queue or passes over the excluded one, so this ends.
        while true {
            let smallIsOut = small.count == 0 || (small.count == 1 && small.oldest == excluded)
            let mainIsOut = main.count == 0 || (main.count == 1 && main.oldest == excluded)
            if smallIsOut, mainIsOut { return nil }
            let fromSmall = mainIsOut || (!smallIsOut && Double(small.cost) >= smallTarget)
            let node = fromSmall ? small.oldest : main.oldest
            if node == excluded {
                unlink(node)
                link(node, to: nodes[Int(node)].queue)
                continue
            }
            if fromSmall {
                let uses = takeUses(node, nodes[Int(node)].hash, .toZero)
                if uses == 0 {
                    unlink(node)
                    smallGhosts.add(nodes[Int(node)].hash, residents: count)
                    return node
                }
                unlink(node)
                link(node, to: uses >= 2 ? .main : .small)
            } else {
                let uses = takeUses(node, nodes[Int(node)].hash, .byOne)
                unlink(node)
                if uses == 0 {
                    mainGhosts.add(nodes[Int(node)].hash, residents: count)
                    return node
                }
                link(node, to: .main)
            }
        }
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
    private(set) var count = 0

    init(share: Double) { self.share = share }

    mutating func add(_ hash: Int, residents: Int) {
        if slots.count < 2 * residents + 16 { grow(to: 4 * residents + 64) }
        added += 1
        slots[place(hash)] = (hash, added)
        count = min(count + 1, limit(residents))
    }

    /// Whether the key left lately; forgets it.
    mutating func take(_ hash: Int, residents: Int) -> Bool {
        guard !slots.isEmpty else { return false }
        let slot = slots[place(hash)]
        guard slot.hash == hash, slot.number > 0, added - slot.number < limit(residents) else { return false }
        slots[place(hash)].number = 0
        count = max(0, count - 1)
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
