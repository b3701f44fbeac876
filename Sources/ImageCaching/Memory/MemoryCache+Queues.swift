internal import CCalotypeDiskIO
internal import ImageCore

extension MemoryCache {
    /// What only a change of the cache needs: who goes first, and the sums.
    struct Queues: Sendable {
        var limits: Limits
        var statistics = Statistics()
        /// Of the entries, by their numbers.
        private(set) var keys: [ImageKey?] = []
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

        var nodeCount: Int32 { Int32(keys.count) }

        /// A number for an entry that is about to be inserted.
        mutating func newNode(for key: ImageKey) -> Int32 {
            guard let node = free.popLast() else {
                keys.append(key)
                return nodeCount - 1
            }
            keys[Int(node)] = key
            return node
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
            leave(node, of: priority, because: cause)
            recycle(node)
        }

        /// Takes an entry out, whose number is for its successor.
        mutating func leave(_ node: Int32, of priority: CachePriority, because cause: EvictionCause) {
            switch priority {
            case .normal: normal.remove(node)
            case .high: high.remove(node)
            }
            statistics.evictions[cause] += 1
        }

        /// Evicts until cost and count are within the given bounds, those of normal priority as long as there are some. The
        /// excluded one, which was just stored, goes only where all others matter more.
        mutating func evict(
            toCost cost: Int, count: Int, because cause: EvictionCause, except excluded: Int32 = -1,
            of priority: CachePriority = .normal, asking entries: inout IndexEntries
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
            recycle(node)
            statistics.evictions[cause] += 1
        }

        private mutating func recycle(_ node: Int32) {
            keys[Int(node)] = nil
            free.append(node)
        }
    }
}

// Choosing the policy.
extension MemoryCache.Queues {
    /// Inserts from one look at all samples, and at the number of entries, to the next.
    private static let adaptionInterval = 32

    /// Takes note of the uses that were sampled since the last time, and of the insert that is about to happen.
    mutating func observe(_ hash: Int, asking entries: inout IndexEntries) {
        // Before the first entry had to go there is nothing to choose.
        guard statistics.evictions.room > 0 else { return }
        insertsUntilAdaption -= 1
        if insertsUntilAdaption < 0 {
            insertsUntilAdaption = Self.adaptionInterval
            if duel.adapt(to: count) { entries.index.sample(duel.mask) }
            for stripe in seen.indices { see(stripe, of: entries.index) }
        } else {
            see(Int(calotype_stripe_number()), of: entries.index)
        }
        if duel.isSampled(hash) { duel.access(hash) }
        if duel.choice != normal.policy {
            normal.follow(duel.choice, asking: &entries)
            high.follow(duel.choice, asking: &entries)
        }
    }

    private mutating func see(_ stripe: Int, of index: ImageIndex) {
        seen[stripe] = index.samples(ofStripe: UInt32(stripe), from: seen[stripe]) { duel.access($0) }
    }
}

/// The index as an eviction sees it. Collects the images that leave, so that their memory is given back after the locks.
struct IndexEntries: EvictionCandidates {
    let index: ImageIndex
    private var released = ReleasedImages()

    init(_ index: ImageIndex) { self.index = index }

    mutating func ask(_ node: Int32, hash: Int, _ question: EvictionQuestion) -> UInt64 {
        index.ask(node, question, releasing: &released)
    }

    /// Keeps an image as the newest entry, and returns its stamp.
    mutating func keep(
        _ image: DecodedImage, at node: Int32, key: ImageKey, expires: Double, priority: CachePriority
    ) -> UInt64 {
        let (stamp, replaced) = index.keep(image, at: node, key: key, expires: expires, priority: priority)
        if let replaced { released.add(replaced) }
        return stamp
    }

    mutating func remove(_ node: Int32, from queues: inout MemoryCache.Queues, because cause: MemoryCache.EvictionCause) {
        _ = index.ask(node, .remove, releasing: &released)
        queues.remove(node, of: index.priority(of: node), because: cause)
    }

    /// What left so far.
    mutating func takeReleased() -> ReleasedImages {
        var taken = ReleasedImages()
        swap(&taken, &released)
        return taken
    }
}
