/// Eviction of the least recently used, exactly, though a use moves nothing. A pure value over node numbers.
///
/// Each use leaves a stamp with its entry, and the order is put right when room is short: the entries that were not asked
/// about yet stand in a list, in the order of their inserts; those that turned out to have been used since are in a heap by
/// their stamps. The oldest of both is the victim, unless it was used again: then it is put where its stamp belongs. So
/// however often an entry is used, it moves at most once per round, and one that is never used costs no more than in FIFO.
struct LazyLRU: Sendable {
    private struct Node: Sendable {
        var cost = 0
        var hash = 0
        var stamp: UInt64 = 0
        /// In the heap; -1 for those in the list.
        var place: Int32 = -1
        var older: Int32 = -1
        var newer: Int32 = -1
    }

    private struct Item: Sendable {
        var stamp: UInt64
        var node: Int32
    }

    private var nodes: [Node] = []
    private var oldest: Int32 = -1
    private var newest: Int32 = -1
    /// A heap with four branches: the parent of place p is (p - 1) / 4.
    private var heap: [Item] = []
    private(set) var cost = 0
    private(set) var count = 0

    /// Adds an entry as the most recently used: its stamp is greater than all others'.
    mutating func insert(_ entry: EvictionOrder.Entry) {
        while nodes.count <= entry.node { nodes.append(Node()) }
        nodes[Int(entry.node)] = Node(cost: entry.cost, hash: entry.hash, stamp: entry.stamp, older: newest)
        if newest >= 0 { nodes[Int(newest)].newer = entry.node } else { oldest = entry.node }
        newest = entry.node
        cost += entry.cost
        count += 1
    }

    mutating func remove(_ node: Int32) {
        cost -= nodes[Int(node)].cost
        count -= 1
        if nodes[Int(node)].place < 0 { unlink(node) } else { removeFromHeap(at: Int(nodes[Int(node)].place)) }
    }

    func hash(of node: Int32) -> Int { nodes[Int(node)].hash }

    /// All entries, in no order of use.
    var entries: [EvictionOrder.Entry] {
        let listed = sequence(first: oldest) { nodes[Int($0)].newer }.prefix { $0 >= 0 }
        return (Array(listed) + heap.map(\.node)).map { node in
            EvictionOrder.Entry(
                node: node, hash: nodes[Int(node)].hash, cost: nodes[Int(node)].cost, stamp: nodes[Int(node)].stamp)
        }
    }

    mutating func removeAll() {
        (oldest, newest, cost, count) = (-1, -1, 0, 0)
        heap.removeAll(keepingCapacity: true)
    }

    /// Takes the entry out that was not used for longest, and returns its node; `nil` when there is none.
    ///
    /// - Parameter excluded: an entry that stays in any case: the newest.
    mutating func evict(except excluded: Int32, asking entries: inout some EvictionCandidates) -> Int32? {
        guard count > 1 || (count == 1 && (excluded < 0 || !holds(excluded))) else { return nil }
        // Every pass but the last raises the stamp of an entry to that of its last use.
        while true {
            let isListed = heap.isEmpty || (oldest >= 0 && nodes[Int(oldest)].stamp < heap[0].stamp)
            let node = isListed ? oldest : heap[0].node
            var stamp = nodes[Int(node)].stamp
            if node == excluded {
                // All others were used after it was stored, by other threads: it goes behind the next of them.
                stamp = max(stamp, heap.prefix(5).map(\.stamp).max() ?? 0) + 1
            } else {
                stamp = entries.ask(node, hash: nodes[Int(node)].hash, .lastUse(since: stamp))
                if stamp == nodes[Int(node)].stamp {
                    remove(node)
                    return node
                }
            }
            nodes[Int(node)].stamp = stamp
            if isListed {
                unlink(node)
                heap.append(Item(stamp: stamp, node: node))
                rise(from: heap.count - 1)
            } else {
                heap[0].stamp = stamp
                sink(from: 0)
            }
        }
    }

    /// Whether the only entry is that one.
    private func holds(_ node: Int32) -> Bool { oldest == node || heap.first?.node == node }

    private mutating func unlink(_ node: Int32) {
        let (older, newer) = (nodes[Int(node)].older, nodes[Int(node)].newer)
        if older >= 0 { nodes[Int(older)].newer = newer } else { oldest = newer }
        if newer >= 0 { nodes[Int(newer)].older = older } else { newest = older }
    }

    private mutating func removeFromHeap(at place: Int) {
        let last = heap.removeLast()
        guard place < heap.count else { return }
        heap[place] = last
        rise(from: place)
        sink(from: Int(nodes[Int(last.node)].place))
    }

    private mutating func rise(from start: Int) {
        let item = heap[start]
        var place = start
        while place > 0, heap[(place - 1) / 4].stamp > item.stamp {
            put(heap[(place - 1) / 4], at: place)
            place = (place - 1) / 4
        }
        put(item, at: place)
    }

    private mutating func sink(from start: Int) {
        let item = heap[start]
        var place = start
        while true {
            let first = 4 * place + 1
            guard first < heap.count else { break }
            var least = first
            for child in first + 1..<max(first + 1, min(first + 4, heap.count)) where heap[child].stamp < heap[least].stamp {
                least = child
            }
            guard heap[least].stamp < item.stamp else { break }
            put(heap[least], at: place)
            place = least
        }
        put(item, at: place)
    }

    private mutating func put(_ item: Item, at place: Int) {
        heap[place] = item
        nodes[Int(item.node)].place = Int32(place)
    }
}
