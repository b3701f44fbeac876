public import ImageCore

/// Decoded images in memory, bounded by cost and count. See ``Limits`` for the bounds and ``Statistics`` for what it counts.
///
/// Every call is synchronous, takes no I/O and may come from any thread. The limits hold after every insert, and an image
/// that fits within them can be read right after it was stored. When room is short, entries of normal priority go before
/// any of high priority. Within a priority, those go first that were not used for longest (LRU), or those that were used
/// least (S3-FIFO), whichever has kept more of what was asked for lately: so pictures that are seen once do not push out
/// those that are seen again and again.
///
/// ```swift
/// let cache = MemoryCache(limits: .init(cost: 40_000_000, timeToLive: 600))
/// ```
// Two kinds of lock, always taken in this order: the one of the queues, for what changes; then that of an entry. A hit takes
// only the latter, so threads that read different keys never meet.
public final class MemoryCache: Caching {
    private let queues: Lock<Queues>
    private let index = ImageIndex()
    private let now: @Sendable () -> Double
    /// How much is kept when memory runs short.
    public let trimPolicy: TrimPolicy
    private let center: MemoryPressureCenter
    private let listener = Lock<Int?>(nil)

    /// Bytes that an entry counts besides its pixels: its place in the index and in the order of eviction, the texts of its
    /// key, and the objects that hold the bitmap. What they take by measurement, for keys of usual length.
    public static let entryOverhead = 512

    /// An empty cache.
    ///
    /// - Parameters:
    ///   - trimPolicy: how much is kept when memory runs short; `.none` for a cache that takes no notice.
    ///   - now: seconds that only grow, for times to live; by default the system's clock.
    public convenience init(
        limits: Limits = Limits(), trimPolicy: TrimPolicy = TrimPolicy(),
        now: @escaping @Sendable () -> Double = SystemClock.uptime
    ) {
        self.init(limits: limits, trimPolicy: trimPolicy, now: now, center: .shared)
    }

    init(limits: Limits, trimPolicy: TrimPolicy, now: @escaping @Sendable () -> Double, center: MemoryPressureCenter) {
        queues = Lock(Queues(limits: limits))
        (self.trimPolicy, self.now, self.center) = (trimPolicy, now, center)
        guard trimPolicy != .none else { return }
        let number = center.add { [weak self] in self?.relieve($0) }
        listener.withLock { $0 = number }
    }

    deinit {
        if let number = listener.withLock({ $0 }) { center.remove(number) }
        index.destroy(count: queues.withLock { $0.nodeCount })
    }

    /// The bounds. Lowering them evicts at once.
    public var limits: Limits {
        get { queues.withLock { $0.limits } }
        set {
            evict { queues, entries in
                queues.limits = newValue
                queues.evict(toCost: newValue.cost, count: newValue.count ?? .max, because: .room, asking: &entries)
            }
        }
    }

    public var statistics: Statistics {
        var result = queues.withLock { queues in
            var result = queues.statistics
            (result.cost, result.count) = (queues.cost, queues.count)
            return result
        }
        (result.hits, result.misses) = index.counts
        return result
    }

    /// Which policy evicts at present.
    var policy: EvictionOrder.Policy { queues.withLock { $0.policy } }

    public func image(for key: ImageKey) -> DecodedImage? {
        let found: ImageIndex.Found
        switch index.use(key) {
        case .found(let answer): found = answer
        case .missing: return nil
        case .unknown:
            guard let answer = queues.withLock({ [index] _ in index.useAlone(key) }) else { return nil }
            found = answer
        }
        guard found.expires < .infinity, found.expires <= now() else { return found.image }
        remove(key, because: .expired) { $0 <= found.expires }
        index.takeHitBack()
        return nil
    }

    public func peekImage(for key: ImageKey) -> DecodedImage? {
        let found: ImageIndex.Found
        switch index.peek(key) {
        case .found(let answer): found = answer
        case .missing: return nil
        case .unknown:
            guard let answer = queues.withLock({ [index] _ in index.node(of: key).map { index.read($0) } }) else { return nil }
            found = answer
        }
        return found.expires == .infinity || found.expires > now() ? found.image : nil
    }

    /// The images of a resource that are cached, whatever was done to them, with their keys; not counted as uses. Returns at
    /// most 16.
    public func variants(of resource: ResourceKey) -> [CachedVariant] {
        let found = queues.withLock { [index] queues in
            index.nodes(of: resource, limit: 16).compactMap { node -> (key: ImageKey, found: ImageIndex.Found)? in
                guard let key = queues.keys[Int(node)], key.resource == resource else { return nil }
                return (key: key, found: index.read(node))
            }
        }
        let time = found.contains { $0.found.expires < .infinity } ? now() : 0
        return found.filter { $0.found.expires > time }.map { CachedVariant(key: $0.key, image: $0.found.image) }
    }

    public func store(_ image: DecodedImage, for key: ImageKey, priority: CachePriority = .normal) {
        store(image, for: key, priority: priority, timeToLive: nil)
    }

    /// Keeps an image for at most `timeToLive` seconds; `nil` for the limits' own time.
    public func store(_ image: DecodedImage, for key: ImageKey, priority: CachePriority = .normal, timeToLive: Double?) {
        let cost = image.cost + Self.entryOverhead
        evict { [index, now] queues, entries in
            let limits = queues.limits
            let old = index.node(of: key)
            guard cost <= min(limits.cost, limits.entryCost ?? .max), limits.count != 0 else {
                if let old { entries.remove(old, from: &queues, because: .removed) }
                queues.statistics.refusals += 1
                return
            }
            queues.observe(key.hash, asking: &entries)
            let expires = (timeToLive ?? limits.timeToLive).map { now() + $0 } ?? .infinity
            if let old { queues.leave(old, of: index.priority(of: old), because: .removed) }
            let node = old ?? queues.newNode(for: key)
            let stamp = entries.keep(image, at: node, key: key, expires: expires, priority: priority)
            queues.insert(node, hash: key.hash, cost: cost, stamp: stamp, priority: priority)
            queues.evict(
                toCost: limits.cost, count: limits.count ?? .max, because: .room, except: node, of: priority, asking: &entries)
        }
    }

    public func removeImage(for key: ImageKey) {
        remove(key, because: .removed) { _ in true }
    }

    public func removeAll() { evict(toCost: -1, because: .removed) }

    /// Evicts until the entries cost at most `cost` bytes together.
    public func trim(toCost cost: Int) { evict(toCost: max(0, cost), because: .trim) }
}

// Removing. What leaves is collected, so that its memory is given back after the locks are.
extension MemoryCache {
    private func evict(_ body: (inout Queues, inout IndexEntries) -> Void) {
        let released = queues.withLock { [index] queues in
            var entries = IndexEntries(index)
            body(&queues, &entries)
            return entries.takeReleased()
        }
        released.release()
    }

    private func evict(toCost cost: Int, because cause: EvictionCause) {
        evict { queues, entries in
            queues.evict(toCost: cost, count: cost < 0 ? -1 : .max, because: cause, asking: &entries)
        }
    }

    private func remove(_ key: ImageKey, because cause: EvictionCause, if condition: (_ expires: Double) -> Bool) {
        evict { [index] queues, entries in
            guard let node = index.node(of: key), condition(index.read(node).expires) else { return }
            entries.remove(node, from: &queues, because: cause)
        }
    }
}
