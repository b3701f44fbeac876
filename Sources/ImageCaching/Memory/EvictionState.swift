internal import ImageCore

/// The state that a memory cache needs to evict: its limits, the order of its entries, and its counters.
struct EvictionState: Sendable {
    var limits: MemoryCache.Limits
    var statistics = CacheStatistics(name: "memory")
    private var normal = EvictionOrder()
    private var high = EvictionOrder()
    private var adaptive = AdaptivePolicy()
    private var insertsUntilResize = 0

    /// The number of inserts after which the sample is adapted to the number of entries.
    private static let resizeInterval = 32

    init(limits: MemoryCache.Limits) { self.limits = limits }

    var cost: Int { normal.cost + high.cost }
    var count: Int { normal.count + high.count }

    /// Whether an entry fits after evictions. Entries of normal priority evict none of high priority.
    func hasRoom(forCost cost: Int, priority: CachePriority) -> Bool {
        guard cost <= limits.maximumEntryBytes ?? .max else { return false }
        let (keptCost, keptCount) = priority == .normal ? (high.cost, high.count) : (0, 0)
        return keptCost + cost <= limits.maximumBytes && keptCount < limits.maximumCount ?? .max
    }

    mutating func insert(_ id: Int, hash: Int, cost: Int, priority: CachePriority, at time: Int64) {
        switch priority {
        case .normal: normal.insert(id, hash: hash, cost: cost, at: time)
        case .high: high.insert(id, hash: hash, cost: cost, at: time)
        }
        statistics.stores += 1
    }

    mutating func remove(_ id: Int, priority: CachePriority, because cause: EvictionCause) {
        switch priority {
        case .normal: normal.remove(id)
        case .high: high.remove(id)
        }
        statistics.evictions.count(cause)
    }

    /// Evicts entries while cost or count exceed the limits; entries of normal priority come first.
    ///
    /// - Parameter laterUse: see ``EvictionOrder/evict(laterUse:)``.
    mutating func evict(
        toCost cost: Int, count: Int, because cause: EvictionCause, laterUse: (_ id: Int, _ known: Int64) -> Int64?
    ) {
        while self.cost > cost || self.count > count {
            guard normal.evict(laterUse: laterUse) ?? high.evict(laterUse: laterUse) != nil else { return }
            statistics.evictions.count(cause)
        }
    }
}

// Choosing the policy.
extension EvictionState {
    /// Records the key of an insert for the choice of the policy.
    ///
    /// - Returns: the new sample mask (``AdaptivePolicy/sampleMask``); `nil` if it has not changed.
    mutating func recordInsert(_ hash: Int) -> UInt? {
        // Before the first eviction all policies are equal.
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
