public import ImageCore

/// Decoded images in memory, bounded by cost and count. See ``Limits`` for the bounds and ``Statistics`` for what it counts.
///
/// Every call is synchronous, takes no I/O and may come from any thread. The limits hold after every insert, and an image
/// that fits within them can be read right after it was stored. When room is short, entries of normal priority go before
/// any of high priority. Within a priority, the least recently used go first (LRU), or those that were
/// used only once (2Q), whichever has led to more hits lately: so images that are seen once do not push out those that are
/// seen again and again.
///
/// ```swift
/// let cache = MemoryCache(limits: .init(cost: 40_000_000, timeToLive: 600))
/// ```
// Two kinds of lock, always taken in this order: that of the eviction state, for every change; then that of a shard. A hit takes
// only the latter, except for the few that the choice of the policy samples.
public final class MemoryCache: Caching {
    private let evictionState: Lock<EvictionState>
    private let shards = (0..<MemoryCache.shardCount).map { _ in MemoryShard() }
    private let now: @Sendable () -> Double
    /// How much is kept when memory runs short.
    public let trimPolicy: TrimPolicy
    private let center: MemoryPressureCenter
    private let listener = Lock<Int?>(nil)

    /// Bytes that an entry counts besides its pixels: its place in the index and in the order of eviction, the texts of its
    /// key, and the objects that hold the bitmap. Measured with keys of usual length.
    public static let entryOverhead = 512

    /// A power of two.
    private static let shardCount = 16

    /// The most variants of a resource that a lookup returns.
    private static let maximumVariants = 16

    /// An empty cache.
    ///
    /// - Parameters:
    ///   - trimPolicy: how much is kept when memory runs short; `.none` for a cache that ignores memory pressure.
    ///   - now: seconds that only grow, for times to live; by default the system's clock.
    public convenience init(
        limits: Limits = Limits(), trimPolicy: TrimPolicy = TrimPolicy(),
        now: @escaping @Sendable () -> Double = SystemClock.uptime
    ) {
        self.init(limits: limits, trimPolicy: trimPolicy, now: now, center: .shared)
    }

    init(limits: Limits, trimPolicy: TrimPolicy, now: @escaping @Sendable () -> Double, center: MemoryPressureCenter) {
        evictionState = Lock(EvictionState(limits: limits))
        (self.trimPolicy, self.now, self.center) = (trimPolicy, now, center)
        guard trimPolicy != .none else { return }
        let number = center.add { [weak self] in self?.relieve($0) }
        listener.withLock { $0 = number }
    }

    deinit {
        if let number = listener.withLock({ $0 }) { center.remove(number) }
    }

    /// The bounds. Lowering them evicts at once.
    public var limits: Limits {
        get { evictionState.withLock { $0.limits } }
        set {
            change { state, released in
                state.limits = newValue
                evict(from: &state, toCost: newValue.cost, count: newValue.count ?? .max, because: .overLimit, into: &released)
            }
        }
    }

    public var statistics: Statistics {
        var result = evictionState.withLock { state in
            var result = state.statistics
            (result.cost, result.count) = (state.cost, state.count)
            return result
        }
        for shard in shards {
            let (hits, misses) = shard.withLock { ($0.hits, $0.misses) }
            result.hits += hits
            result.misses += misses
        }
        return result
    }

    /// Which policy evicts at present.
    var policy: EvictionOrder.Policy { evictionState.withLock { $0.policy } }

    public func image(for key: ImageKey) -> DecodedImage? {
        let shard = shards[shardIndex(of: key.resource)]
        guard let hit = shard.withLock({ $0.use(key) }) else { return nil }
        if hit.isSampled { evictionState.withLock { $0.recordSampledAccess(key.hash) } }
        guard isExpired(hit.expires) else { return hit.image }
        remove(key, because: .expired) { $0 <= hit.expires }
        shard.withLock { contents in
            contents.hits -= 1
            contents.misses += 1
        }
        return nil
    }

    public func peekImage(for key: ImageKey) -> DecodedImage? {
        let found = shards[shardIndex(of: key.resource)].withLock { contents in contents.slot(of: key).map { contents[$0] } }
        guard let found, !isExpired(found.expires) else { return nil }
        return found.image
    }

    /// The cached images of a resource with their keys, whatever was done to them; not counted as uses. Returns at most 16.
    public func variants(of resource: ResourceKey) -> [CachedVariant] {
        let shard = shards[shardIndex(of: resource)]
        let found = shard.withLock { $0.entries(of: resource, limit: Self.maximumVariants) }
        return found.compactMap { entry in
            guard let image = entry.image, !isExpired(entry.expires) else { return nil }
            return CachedVariant(key: entry.key, image: image)
        }
    }

    public func store(_ image: DecodedImage, for key: ImageKey, priority: CachePriority = .normal) {
        store(image, for: key, priority: priority, timeToLive: nil)
    }

    /// Keeps an image for at most `timeToLive` seconds; `nil` for the limits' own time.
    public func store(_ image: DecodedImage, for key: ImageKey, priority: CachePriority = .normal, timeToLive: Double?) {
        let cost = image.cost + Self.entryOverhead
        let expires = (timeToLive ?? limits.timeToLive).map { now() + $0 } ?? .infinity
        change { state, released in
            let old = entry(of: key, orSameHash: true)
            if let old { state.remove(old.id, priority: old.priority, because: .removed) }
            guard state.hasRoom(forCost: cost, priority: priority) else {
                if let old { released.add(take(old.id)) }
                state.statistics.refusals += 1
                return
            }
            if let mask = state.recordInsert(key.hash) { shards.forEach { $0.withLock { $0.sampleMask = mask } } }
            let limits = state.limits
            evict(
                from: &state, toCost: limits.cost - cost, count: limits.count.map { $0 - 1 } ?? .max, because: .overLimit,
                into: &released)
            let time = MemoryShard.clock()
            let entry = MemoryShard.Entry(lastUse: time, key: key, image: image, expires: expires, priority: priority)
            let index = shardIndex(of: key.resource)
            if let old {
                released.add(shards[index].withLock { $0.replace(old.id / Self.shardCount, with: entry) })
            }
            let id = old?.id ?? shards[index].withLock { $0.insert(entry, hash: key.hash) } * Self.shardCount + index
            state.insert(id, hash: key.hash, cost: cost, priority: priority, at: time)
        }
    }

    public func removeImage(for key: ImageKey) {
        remove(key, because: .removed) { _ in true }
    }

    public func removeAll() { evict(toCost: -1, because: .removed) }

    /// Evicts until the entries cost at most `cost` bytes together.
    public func trim(toCost cost: Int) { evict(toCost: max(0, cost), because: .trim) }
}

// Removing. Images that leave are collected and released outside of the locks.
extension MemoryCache {
    private func change(_ body: (_ state: inout EvictionState, _ released: inout ReleasedImages) -> Void) {
        var released = ReleasedImages()
        evictionState.withLock { body(&$0, &released) }
    }

    private func evict(toCost cost: Int, because cause: EvictionCause) {
        change { state, released in
            evict(from: &state, toCost: cost, count: cost < 0 ? -1 : .max, because: cause, into: &released)
        }
    }

    private func evict(
        from state: inout EvictionState, toCost cost: Int, count: Int, because cause: EvictionCause,
        into released: inout ReleasedImages
    ) {
        while let id = state.evict(toCost: cost, count: count, because: cause, lastUse: lastUse) { released.add(take(id)) }
    }

    private func remove(_ key: ImageKey, because cause: EvictionCause, if condition: (_ expires: Double) -> Bool) {
        change { state, released in
            guard let entry = entry(of: key), condition(entry.expires) else { return }
            state.remove(entry.id, priority: entry.priority, because: cause)
            released.add(take(entry.id))
        }
    }
}

// Entries by number: the lower bits are the shard, the others the slot in it. Only valid under the lock of the eviction state.
extension MemoryCache {
    private func shardIndex(of resource: ResourceKey) -> Int { resource.hash & (Self.shardCount - 1) }

    /// - Parameter orSameHash: whether to return the entry of another key with the same hash, whose slot a new entry takes.
    private func entry(of key: ImageKey, orSameHash: Bool = false) -> (id: Int, expires: Double, priority: CachePriority)? {
        let index = shardIndex(of: key.resource)
        return shards[index].withLock { contents in
            (orSameHash ? contents.slot(ofHash: key.hash) : contents.slot(of: key)).map { slot in
                (id: slot * Self.shardCount + index, expires: contents[slot].expires, priority: contents[slot].priority)
            }
        }
    }

    private func lastUse(of id: Int) -> Int64 {
        shards[id & (Self.shardCount - 1)].withLock { $0[id / Self.shardCount].lastUse }
    }

    /// Removes an entry from its shard, and returns its image.
    private func take(_ id: Int) -> DecodedImage? {
        shards[id & (Self.shardCount - 1)].withLock { $0.remove(id / Self.shardCount) }
    }

    private func isExpired(_ expires: Double) -> Bool { expires < .infinity && expires <= now() }
}

/// Images that left the cache. The first needs no memory of its own, since an insert mostly evicts one.
private struct ReleasedImages {
    private var first: DecodedImage?
    private var others: [DecodedImage] = []

    mutating func add(_ image: consuming DecodedImage?) {
        guard let image else { return }
        if first == nil { first = image } else { others.append(image) }
    }
}
