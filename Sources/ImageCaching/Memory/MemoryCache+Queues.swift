internal import ImageCore

extension MemoryCache {
    /// What only a change of the cache needs: who goes first, and the sums.
    struct Queues: Sendable {
        var limits: Limits
        var statistics = Statistics()
        private var nodeCount: Int32 = 0
        private var free: [Int32] = []
        private var normal = EvictionQueues()
        private var high = EvictionQueues()

        init(limits: Limits) { self.limits = limits }

        var cost: Int { normal.cost + high.cost }
        var count: Int { normal.count + high.count }

        mutating func insert(hash: Int, cost: Int, priority: CachePriority) -> Int32 {
            let node = free.popLast() ?? nodeCount
            if node == nodeCount { nodeCount += 1 }
            switch priority {
            case .normal: normal.insert(node, hash: hash, cost: cost, limit: limits.cost)
            case .high: high.insert(node, hash: hash, cost: cost, limit: limits.cost)
            }
            statistics.insertions += 1
            return node
        }

        mutating func remove(_ node: Int32, of priority: CachePriority, because cause: EvictionCause) {
            switch priority {
            case .normal: normal.remove(node)
            case .high: high.remove(node)
            }
            forget(node, because: cause)
        }

        /// Takes out the entry that goes next, of normal priority as long as there is one; `false` when there is none. The
        /// excluded one, which was just stored, goes only where all others matter more.
        ///
        /// - Parameter uses: lowers the uses of an entry and returns them, or removes one without uses for good.
        mutating func evict(
            except excluded: Int32, of priority: CachePriority, because cause: EvictionCause,
            uses: (_ node: Int32, _ hash: Int, EvictionQueues.Aging) -> UInt8
        ) -> Bool {
            if let node = normal.evict(except: excluded, takeUses: uses) {
                forget(node, because: cause)
            } else if excluded >= 0, priority == .normal {
                _ = uses(excluded, normal.nodes[Int(excluded)].hash, .nothing)
                normal.remove(excluded)
                forget(excluded, because: cause)
            } else if let node = high.evict(except: excluded, takeUses: uses) {
                forget(node, because: cause)
            } else {
                return false
            }
            return true
        }

        private mutating func forget(_ node: Int32, because cause: EvictionCause) {
            free.append(node)
            statistics.evictions[cause] += 1
        }
    }
}
