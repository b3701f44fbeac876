internal import ImageCore

extension MemoryCache {
    /// What only a change of the cache needs: who goes first, and the sums.
    struct Queues: Sendable {
        /// What the eviction queues know only by number.
        struct Entry: Sendable {
            var key: ImageKey
            var hash: Int
            var priority: CachePriority
        }

        /// An entry that has to go.
        struct Victim: Sendable {
            var node: Int32
            var key: ImageKey
            var hash: Int
        }

        var limits: Limits
        var statistics = Statistics()
        private var entries: [Entry?] = []
        private var free: [Int32] = []
        private var normal = EvictionQueues()
        private var high = EvictionQueues()

        init(limits: Limits) { self.limits = limits }

        var cost: Int { normal.cost + high.cost }
        var count: Int { normal.count + high.count }

        mutating func insert(_ key: ImageKey, hash: Int, cost: Int, priority: CachePriority) -> Int32 {
            let entry = Entry(key: key, hash: hash, priority: priority)
            let node = free.popLast() ?? Int32(entries.count)
            if node < entries.count { entries[Int(node)] = entry } else { entries.append(entry) }
            switch priority {
            case .normal: normal.insert(node, hash: hash, cost: cost, limit: limits.cost)
            case .high: high.insert(node, hash: hash, cost: cost, limit: limits.cost)
            }
            statistics.insertions += 1
            return node
        }

        mutating func remove(_ node: Int32, because cause: EvictionCause) {
            switch entries[Int(node)]?.priority {
            case .normal: normal.remove(node)
            case .high: high.remove(node)
            case nil: return
            }
            forget(node, because: cause)
        }

        /// An entry that ``victim(except:of:uses:)`` took from its queue is gone.
        mutating func forget(_ victim: Victim, because cause: EvictionCause) { forget(victim.node, because: cause) }

        /// Takes the entry that goes next from its queue: of normal priority as long as there is one. The excluded one,
        /// which was just stored, goes only where all others matter more.
        mutating func victim(
            except excluded: Int32, of priority: CachePriority, uses: (Entry, EvictionQueues.Aging) -> UInt8
        ) -> Victim? {
            let entries = entries
            func take(_ node: Int32, _ aging: EvictionQueues.Aging) -> UInt8 { entries[Int(node)].map { uses($0, aging) } ?? 0 }
            if let node = normal.evict(except: excluded, takeUses: take) { return victim(node) }
            if excluded >= 0, priority == .normal {
                normal.remove(excluded)
                return victim(excluded)
            }
            return high.evict(except: excluded, takeUses: take).flatMap { victim($0) }
        }

        private func victim(_ node: Int32) -> Victim? {
            entries[Int(node)].map { Victim(node: node, key: $0.key, hash: $0.hash) }
        }

        private mutating func forget(_ node: Int32, because cause: EvictionCause) {
            entries[Int(node)] = nil
            free.append(node)
            statistics.evictions[cause] += 1
        }
    }
}
