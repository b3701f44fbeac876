internal import ImageCore

/// What a memory cache must know to evict: its limits, the order of its entries, and what it counts when they come and go.
struct EvictionState: Sendable {
    var limits: MemoryCache.Limits
    var statistics = MemoryCache.Statistics()
    private var normal = EvictionOrder()
    private var high = EvictionOrder()
    private var adaptive = AdaptivePolicy()
    private var insertsUntilResize = 0

    /// Inserts from one adaption of the sample to the number of entries to the next.
    private static let resizeInterval = 32

    init(limits: MemoryCache.Limits) { self.limits = limits }

    var cost: Int { normal.cost + high.cost }
    var count: Int { normal.count + high.count }
    var policy: EvictionOrder.Policy { normal.policy }

    /// Whether an entry may be kept, once others have been evicted. Entries of normal priority evict none of high priority.
    func hasRoom(forCost cost: Int, priority: CachePriority) -> Bool {
        guard cost <= limits.entryCost ?? .max else { return false }
        let (keptCost, keptCount) = priority == .normal ? (high.cost, high.count) : (0, 0)
        return keptCost + cost <= limits.cost && keptCount < limits.count ?? .max
    }

    mutating func insert(_ id: Int, hash: Int, cost: Int, priority: CachePriority, at time: Int64) {
        switch priority {
        case .normal: normal.insert(id, hash: hash, cost: cost, at: time)
        case .high: high.insert(id, hash: hash, cost: cost, at: time)
        }
        statistics.insertions += 1
    }

    mutating func remove(_ id: Int, priority: CachePriority, because cause: MemoryCache.EvictionCause) {
        switch priority {
        case .normal: normal.remove(id)
        case .high: high.remove(id)
        }
        statistics.evictions[cause] += 1
    }

    /// Removes the next entry to evict, one of normal priority if there is one, while cost or count are above the bounds.
    ///
    /// - Parameter lastUse: returns the time of an entry's last use.
    mutating func evict(
        toCost cost: Int, count: Int, because cause: MemoryCache.EvictionCause, lastUse: (_ id: Int) -> Int64
    ) -> Int? {
        guard self.cost > cost || self.count > count else { return nil }
        guard let id = normal.evict(lastUse: lastUse) ?? high.evict(lastUse: lastUse) else { return nil }
        statistics.evictions[cause] += 1
        return id
    }
}

// Choosing the policy.
extension EvictionState {
    /// Lets the choice of the policy take note of a key that is about to be inserted.
    ///
    /// - Returns: which keys to sample from now on (``AdaptivePolicy/sampleMask``); `nil` if that has not changed.
    mutating func recordInsert(_ hash: Int) -> UInt? {
        // Before the first entry had to leave there is nothing to choose.
        guard statistics.evictions.overLimit > 0 else { return nil }
        insertsUntilResize -= 1
        var newMask: UInt?
        if insertsUntilResize < 0 {
            insertsUntilResize = Self.resizeInterval
            if adaptive.resize(to: count) { newMask = adaptive.sampleMask }
        }
        if AdaptivePolicy.isSampled(hash, mask: adaptive.sampleMask) { recordSampledAccess(hash) }
        return newMask
    }

    mutating func recordSampledAccess(_ hash: Int) {
        adaptive.recordAccess(hash)
        normal.policy = adaptive.choice
        high.policy = adaptive.choice
    }
}
