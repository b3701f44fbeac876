internal import CCalotypeCaching
internal import ImageCore

extension MemoryCache {
    /// What only a change of the cache needs: who goes first, and the sums.
    struct Queues: Sendable {
        var limits: Limits
        var statistics = Statistics()
        private var nodeCount: Int32 = 0
        private var free: [Int32] = []
        private var normal = EvictionOrder()
        private var high = EvictionOrder()
        private var duel = PolicyDuel()
        /// How many samples of each stripe the duel has seen.
        private var seen = [UInt64](repeating: 0, count: Int(CALOTYPE_STRIPES))
        private var insertsUntilAdaption = 0

        init(limits: Limits) { self.limits = limits }

        var cost: Int { normal.cost + high.cost }
        var count: Int { normal.count + high.count }
        var policy: EvictionOrder.Policy { normal.policy }

        /// A number for an entry that is about to be inserted.
        mutating func newNode() -> Int32 {
            if let node = free.popLast() { return node }
            nodeCount += 1
            return nodeCount - 1
        }

        mutating func insert(_ node: Int32, hash: Int, cost: Int, stamp: UInt64, priority: CachePriority) {
            let entry = EvictionOrder.Entry(node: node, hash: hash, cost: cost, stamp: stamp)
            switch priority {
            case .normal: normal.insert(entry)
            case .high: high.insert(entry)
            }
            statistics.insertions += 1
        }

        mutating func remove(_ node: Int32, of priority: CachePriority, because cause: EvictionCause) {
            switch priority {
            case .normal: normal.remove(node)
            case .high: high.remove(node)
            }
            forget(node, because: cause)
        }

        /// Evicts until cost and count are within the given bounds, those of normal priority as long as there are some. The
        /// excluded one, which was just stored, goes only where all others matter more.
        mutating func evict(
            toCost cost: Int, count: Int, because cause: EvictionCause, except excluded: Int32 = -1,
            of priority: CachePriority = .normal, asking entries: inout TableEntries
        ) {
            while self.cost > cost || self.count > count {
                if let node = normal.evict(except: excluded, asking: &entries) {
                    forget(node, because: cause)
                } else if excluded >= 0, priority == .normal {
                    _ = entries.ask(excluded, hash: normal.hash(of: excluded), .remove)
                    remove(excluded, of: .normal, because: cause)
                } else if let node = high.evict(except: excluded, asking: &entries) {
                    forget(node, because: cause)
                } else {
                    return
                }
            }
        }

        private mutating func forget(_ node: Int32, because cause: EvictionCause) {
            free.append(node)
            statistics.evictions[cause] += 1
        }
    }
}

// Choosing the policy.
extension MemoryCache.Queues {
    /// Inserts from one look at all samples, and at the number of entries, to the next.
    private static let adaptionInterval = 32

    /// Takes note of the uses that were sampled since the last time, and of the insert that is about to happen.
    mutating func observe(_ hash: Int, asking entries: inout TableEntries) {
        // Before the first entry had to go there is nothing to choose.
        guard statistics.evictions.room > 0 else { return }
        insertsUntilAdaption -= 1
        if insertsUntilAdaption < 0 {
            insertsUntilAdaption = Self.adaptionInterval
            if duel.adapt(to: count) { entries.tables.sample(duel.mask) }
            for stripe in seen.indices { see(stripe, of: entries.tables) }
        } else {
            see(Int(calotype_stripe_number()), of: entries.tables)
        }
        if duel.isSampled(hash) { duel.access(hash) }
        if duel.choice != normal.policy {
            normal.follow(duel.choice, asking: &entries)
            high.follow(duel.choice, asking: &entries)
        }
    }

    private mutating func see(_ stripe: Int, of tables: ImageTables) {
        seen[stripe] = tables.samples(ofStripe: UInt32(stripe), from: seen[stripe]) { duel.access($0) }
    }
}
