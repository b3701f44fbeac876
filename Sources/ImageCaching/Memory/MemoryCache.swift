public import ImageCore

/// A cache of decoded images in memory, limited by cost and count. See ``Limits`` for the limits.
///
/// Every call is synchronous, does no I/O and may come from any thread. The limits hold after every insert, and an
/// image within them can be read right after it was stored. Entries of normal priority are evicted before those of high
/// priority. Within a priority, the cache evicts the least recently used entries first (LRU), or those that were used
/// only once (2Q), whichever has led to more hits lately: so images that are seen once do not push out images that are
/// seen repeatedly.
///
/// An evicted image that is still in use, for example because a view shows it, is found as long as that lasts, and
/// stored again. It takes no memory of the cache meanwhile.
///
/// ```swift
/// let cache = MemoryCache(limits: .init(maximumBytes: 40_000_000, timeToLive: .seconds(600)))
/// ```
// Lock order: first the eviction state, for every change, then a shard. A hit takes only the lock of a shard, except
// for the few uses that the choice of the policy samples.
public final class MemoryCache: Caching {
    private let evictionState: Lock<EvictionState>
    private let shards = (0..<MemoryCache.shardCount).map { _ in MemoryShard() }
    private let uses = UseCounter()
    private let now: @Sendable () -> Double
    private let pressure = Lock<MemoryPressureObserver?>(nil)

    /// The bytes that an entry counts in addition to its pixels: its slots in the index and in the eviction order, the
    /// text of its key, and the objects of the bitmap. Measured with keys of usual length.
    public static let entryOverhead = 512

    /// A power of two.
    private static let shardCount = 16

    /// The most variants of a resource that a lookup returns.
    private static let maximumVariants = 16

    /// Creates an empty cache.
    ///
    /// - Parameters:
    ///   - limits: the limits on cost, count and age.
    ///   - respondsToPressure: whether reports of memory pressure evict entries; `true` by default. See
    ///     ``respond(to:)``.
    ///   - now: a monotonic clock in seconds, for times to live; by default the system's clock.
    public convenience init(
        limits: Limits = Limits(), respondsToPressure: Bool = true,
        now: @escaping @Sendable () -> Double = SystemClock.uptime
    ) {
        self.init(limits: limits, respondsToPressure: respondsToPressure, now: now, center: .shared)
    }

    init(limits: Limits, respondsToPressure: Bool, now: @escaping @Sendable () -> Double, center: MemoryPressureCenter) {
        evictionState = Lock(EvictionState(limits: limits))
        self.now = now
        guard respondsToPressure else { return }
        let observer = MemoryPressureObserver(of: center) { [weak self] in self?.respond(to: $0) }
        pressure.withLock { $0 = observer }
    }

    /// The limits. Lowering them evicts entries at once.
    public var limits: Limits {
        get { evictionState.withLock { $0.limits } }
        set {
            change { state, released in
                state.limits = newValue
                evict(
                    from: &state, toCost: newValue.maximumBytes, count: newValue.maximumCount ?? .max, because: .overLimit,
                    into: &released)
            }
        }
    }

    /// The contents and counters.
    ///
    /// `byteCount` is the cost of all entries, ``entryOverhead`` included.
    public var statistics: CacheStatistics {
        var result = evictionState.withLock { state in
            var result = state.statistics
            (result.byteCount, result.count) = (state.cost, state.count)
            return result
        }
        for shard in shards {
            let (hits, misses) = shard.withLock { ($0.hits, $0.misses) }
            result.hits += hits
            result.misses += misses
        }
        return result
    }

    public var cacheStatistics: [CacheStatistics] { [statistics] }

    public func image(for key: ImageKey) -> DecodedImage? {
        let shard = shards[shardIndex(of: key.resource)]
        guard let hit = shard.withLock({ $0.use(key, uses) }) else { return restoreImage(for: key) }
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
        let found = shards[shardIndex(of: key.resource)].withLock { contents in
            contents.slot(of: key).map { (image: contents[$0].image, expires: contents[$0].expires) }
                ?? contents.evictedImage(for: key).map { (image: $0.image.image, expires: $0.expires) }
        }
        guard let found, !isExpired(found.expires) else { return nil }
        return found.image
    }

    /// The cached images of a resource with their keys, for any processing; at most 16. Does not count as a use.
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

    /// Stores an image, replacing that of the key.
    ///
    /// - Parameters:
    ///   - image: the image.
    ///   - key: the key of the image.
    ///   - priority: entries of normal priority are evicted first.
    ///   - timeToLive: the time until the entry expires; `nil` for that of the limits.
    public func store(_ image: DecodedImage, for key: ImageKey, priority: CachePriority = .normal, timeToLive: Duration?) {
        let expires = (timeToLive ?? limits.timeToLive).map { now() + $0 / .seconds(1) } ?? .infinity
        change { state, released in
            insert(
                MemoryShard.Entry(lastUse: uses.next(), key: key, image: image, expires: expires, priority: priority),
                cost: image.cost + Self.entryOverhead, into: &state, &released)
        }
    }

    private func insert(
        _ entry: MemoryShard.Entry, cost: Int, into state: inout EvictionState, _ released: inout ReleasedImages
    ) {
        let (key, priority, time) = (entry.key, entry.priority, entry.lastUse)
        let index = shardIndex(of: key.resource)
        let (slot, old) = shards[index].withLock { $0.store(entry) }
        if let old {
            state.remove(old.slot * Self.shardCount + index, priority: old.priority, because: .removed)
            released.add(old.image)
        }
        let id = slot * Self.shardCount + index
        guard state.hasRoom(forCost: cost, priority: priority) else {
            released.add(take(id))
            state.statistics.refusals += 1
            return
        }
        if let mask = state.recordInsert(key.hash) { shards.forEach { $0.withLock { $0.sampleMask = mask } } }
        let limits = state.limits
        evict(
            from: &state, toCost: limits.maximumBytes - cost, count: limits.maximumCount.map { $0 - 1 } ?? .max,
            because: .overLimit, into: &released)
        state.insert(id, hash: key.hash, cost: cost, priority: priority, at: time)
    }

    /// Stores an evicted image again that is still in use, and returns it. The lookup was counted as a miss before.
    private func restoreImage(for key: ImageKey) -> DecodedImage? {
        let shard = shards[shardIndex(of: key.resource)]
        guard shard.withLock({ $0.evictedImage(for: key) }) != nil else { return nil }
        var restored: DecodedImage?
        // Under the lock of the eviction state, so that an image that is removed meanwhile stays removed.
        change { state, released in
            guard let evicted = shard.withLock({ $0.evictedImage(for: key) }), !isExpired(evicted.expires),
                let image = evicted.image.image
            else { return shard.withLock { $0.removeEvicted(key) } }
            restored = image
            insert(
                MemoryShard.Entry(
                    lastUse: uses.next(), key: key, image: image, expires: evicted.expires, priority: evicted.priority),
                cost: image.cost + Self.entryOverhead, into: &state, &released)
            shard.withLock { contents in
                contents.hits += 1
                contents.misses -= 1
            }
        }
        return restored
    }

    public func removeImage(for key: ImageKey) {
        remove(key, because: .removed) { _ in true }
    }

    public func removeImages(of resource: ResourceKey) {
        let source = resource.source
        for shard in shards {
            for key in shard.withLock({ $0.keys }) where key.resource.text.hasPrefix(source) && key.resource.source == source {
                removeImage(for: key)
            }
        }
    }

    public func removeAll() { evict(toCost: -1, because: .removed) }

    /// Evicts entries until all of them take at most `bytes` bytes, ``entryOverhead`` included.
    public func trim(toBytes bytes: Int) { evict(toCost: max(0, bytes), because: .trim) }
}

// Removing. Removed images are collected and released outside of the locks.
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
        state.evict(toCost: cost, count: count, because: cause) { id, known in
            let (image, lastUse) = shards[id & (Self.shardCount - 1)].withLock {
                $0.evict(id / Self.shardCount, unlessUsedSince: known, keepsUsed: cause != .removed)
            }
            released.add(image)
            return lastUse
        }
        if cause == .removed { for shard in shards { shard.withLock { $0.removeAllEvicted() } } }
    }

    private func remove(_ key: ImageKey, because cause: EvictionCause, if condition: (_ expires: Double) -> Bool) {
        change { state, released in
            if cause == .removed { shards[shardIndex(of: key.resource)].withLock { $0.removeEvicted(key) } }
            guard let entry = entry(of: key, if: condition) else { return }
            state.remove(entry.id, priority: entry.priority, because: cause)
            released.add(take(entry.id))
        }
    }
}

// Entries by number: the lower bits are the shard, the others the slot in it. Valid only under the lock of the eviction
// state.
extension MemoryCache {
    private func shardIndex(of resource: ResourceKey) -> Int { resource.hash & (Self.shardCount - 1) }

    /// The entry of the key, if its expiry meets the condition.
    private func entry(of key: ImageKey, if condition: (_ expires: Double) -> Bool) -> (id: Int, priority: CachePriority)? {
        let index = shardIndex(of: key.resource)
        return shards[index].withLock { contents in
            guard let slot = contents.slot(of: key), condition(contents[slot].expires) else { return nil }
            return (id: slot * Self.shardCount + index, priority: contents[slot].priority)
        }
    }

    /// Removes an entry from its shard, and returns its image.
    private func take(_ id: Int) -> DecodedImage? {
        shards[id & (Self.shardCount - 1)].withLock { $0.remove(id / Self.shardCount) }
    }

    private func isExpired(_ expires: Double) -> Bool { expires < .infinity && expires <= now() }
}

/// Removed images. The first needs no array, since an insert usually evicts one.
private struct ReleasedImages {
    private var first: DecodedImage?
    private var others: [DecodedImage] = []

    mutating func add(_ image: consuming DecodedImage?) {
        guard let image else { return }
        if first == nil { first = image } else { others.append(image) }
    }
}
