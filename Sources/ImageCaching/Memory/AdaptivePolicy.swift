/// Chooses between LRU and two queues by simulating both on a sample of the accesses. A value.
///
/// No policy is best for every access pattern: LRU is better when users scroll back and forth; two queues are better
/// for loops, and for a few popular images among many that are seen once. So two small caches of hashes, one with each
/// policy, see the accesses to a sample of the keys, with a capacity in proportion (Waldspurger, Saemundsson, Ahmad,
/// Park, "Cache modeling and optimization using miniature simulations", USENIX ATC 2017). The policy with more recent
/// hits decides for the whole cache, as in set dueling (Qureshi, Jaleel, Patt, Steely, Emer, "Adaptive insertion
/// policies for high performance caching", ISCA 2007). The cache starts with LRU.
struct AdaptivePolicy: Sendable {
    private(set) var choice = EvictionOrder.Policy.lru
    private var lru = SampledCache(.lru)
    private var twoQueues = SampledCache(.twoQueues)
    /// One in 2^shift keys is sampled; `nil` before ``resize(to:)``.
    private var shift: Int?
    /// Entries of each small cache.
    private var capacity = 0
    /// How many more hits two queues had than LRU; older hits count less.
    private var score = 0.0
    private var decay = 1.0

    private static let capacities = 32...256
    private static let usualCapacity = 64

    /// A key is sampled if none of these bits is set in the upper part of its hash.
    var sampleMask: UInt { shift.map { 1 << UInt($0) - 1 } ?? .max }

    static func isSampled(_ hash: Int, mask: UInt) -> Bool { UInt(bitPattern: hash) >> (UInt.bitWidth - 24) & mask == 0 }

    /// Adapts the sample to the number of entries in the whole cache.
    ///
    /// - Returns: whether ``sampleMask`` changed.
    mutating func resize(to count: Int) -> Bool {
        let usualShift = max(1, Int.bitWidth - 1 - max(1, count / Self.usualCapacity).leadingZeroBitCount)
        let isUsable = shift.map { Self.capacities.contains(count >> $0) || $0 == usualShift } ?? false
        if !isUsable {
            shift = usualShift
            (lru, twoQueues) = (SampledCache(.lru), SampledCache(.twoQueues))
            score = 0
        }
        capacity = max(1, count >> (shift ?? usualShift))
        decay = 1 - 1 / Double(64 * capacity)
        return !isUsable
    }

    /// Records an access to a sampled key.
    mutating func recordAccess(_ hash: Int) {
        guard capacity > 0 else { return }
        let isRecent = lru.access(hash, capacity: capacity)
        let isFrequent = twoQueues.access(hash, capacity: capacity)
        score = score * decay + (isFrequent ? 1 : 0) - (isRecent ? 1 : 0)
        // Thresholds chosen on seeded traces: leaving LRU takes a lead that chance does not explain, returning to it a
        // small deficit. For the same reason the lead is bounded and the deficit is not.
        let (up, down) = (8 + Double(capacity) / 2, 4 + Double(capacity) / 32)
        score = min(score, 1.2 * up)
        if score > up { choice = .twoQueues } else if score < -down { choice = .lru }
    }
}

/// A cache of hashes without images; each entry costs 1.
private struct SampledCache: Sendable {
    private struct Entry: Sendable {
        var hash: Int
        var lastUse: Int64
    }

    private var order: EvictionOrder
    private var ids: [Int: Int] = [:]
    private var entries: [Entry] = []
    private var free: [Int] = []
    private var time: Int64 = 0

    init(_ policy: EvictionOrder.Policy) { order = EvictionOrder(policy) }

    /// Looks up a hash and stores it. Returns whether it was there.
    mutating func access(_ hash: Int, capacity: Int) -> Bool {
        time += 1
        if let id = ids[hash] {
            entries[id].lastUse = time
            return true
        }
        while order.count >= capacity,
            let victim = order.evict(laterUse: { entries[$0].lastUse > $1 ? entries[$0].lastUse : nil })
        {
            ids[entries[victim].hash] = nil
            free.append(victim)
        }
        let entry = Entry(hash: hash, lastUse: time)
        let id = free.popLast() ?? entries.count
        if id == entries.count { entries.append(entry) } else { entries[id] = entry }
        ids[hash] = id
        order.insert(id, hash: hash, cost: 1, at: time)
        return false
    }
}
