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
// Two kinds of lock, always taken in this order: the one of the queues, for what changes; then one of the parts of the
// table. A hit takes only the latter, and threads that read different keys seldom meet.
public final class MemoryCache: Caching {
    private let queues: Lock<Queues>
    private let tables = ImageTables()
    private let now: @Sendable () -> Double
    /// How much is kept when memory runs short.
    public let trimPolicy: TrimPolicy
    private let center: MemoryPressureCenter
    private let listener = Lock<Int?>(nil)

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
        tables.destroy()
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
        (result.hits, result.misses) = tables.counts
        return result
    }

    /// Which policy evicts at present.
    var policy: EvictionOrder.Policy { queues.withLock { $0.policy } }

    public func image(for key: ImageKey) -> DecodedImage? {
        let hash = ImageTable.hash(of: key)
        let (found, expires) = tables.withTable(of: hash) { [tables] table -> (DecodedImage?, Double) in
            guard let place = table.find(key, hash: hash) else {
                table.misses += 1
                return (nil, .infinity)
            }
            table.hits += 1
            table.countUse(at: place, stamp: tables.stampOfUse(hash))
            return (table.image(at: place), table.expiry(at: place))
        }
        guard expires < .infinity, expires <= now() else { return found }
        remove(key, hash: hash, because: .expired) { $0 <= expires }
        tables.withTable(of: hash) { ($0.hits, $0.misses) = ($0.hits - 1, $0.misses + 1) }
        return nil
    }

    public func peekImage(for key: ImageKey) -> DecodedImage? {
        let hash = ImageTable.hash(of: key)
        let found = tables.withTable(of: hash) { table in
            table.find(key, hash: hash).map { (image: table.image(at: $0), expires: table.expiry(at: $0)) }
        }
        guard let found, found.expires == .infinity || found.expires > now() else { return nil }
        return found.image
    }

    /// The images of a resource that are cached, whatever was done to them, with their keys; not counted as uses. Looks at a
    /// sixty-fourth of the entries, and returns at most 16.
    public func variants(of resource: ResourceKey) -> [CachedVariant] {
        let found = tables.withTable(of: resource.hash) { $0.entries(of: resource, limit: 16) }
        let time = found.contains { $0.expires < .infinity } ? now() : 0
        return found.filter { $0.expires > time }.map { CachedVariant(key: $0.key, image: $0.image) }
    }

    public func store(_ image: DecodedImage, for key: ImageKey, priority: CachePriority = .normal) {
        store(image, for: key, priority: priority, timeToLive: nil)
    }

    /// Keeps an image for at most `timeToLive` seconds; `nil` for the limits' own time.
    public func store(_ image: DecodedImage, for key: ImageKey, priority: CachePriority = .normal, timeToLive: Double?) {
        let hash = ImageTable.hash(of: key)
        let cost = image.cost
        evict { [tables, now] queues, entries in
            let limits = queues.limits
            guard cost <= min(limits.cost, limits.entryCost ?? .max), limits.count != 0 else {
                Self.take(key, hash: hash, from: &queues, because: .removed, entries: &entries)
                queues.statistics.refusals += 1
                return
            }
            queues.observe(hash, asking: &entries)
            let expires = (timeToLive ?? limits.timeToLive).map { now() + $0 } ?? .infinity
            let (stamp, node) = (tables.stampOfInsert(), queues.newNode())
            let slot = ImageTable.Slot(
                key: key, stamp: stamp, expires: expires, seat: .init(node: node, priority: priority))
            if let seat = entries.keep(slot, image, hash: hash) {
                queues.remove(seat.node, of: seat.priority, because: .removed)
            }
            queues.insert(node, hash: hash, cost: cost, stamp: stamp, priority: priority)
            queues.evict(
                toCost: limits.cost, count: limits.count ?? .max, because: .room, except: node, of: priority, asking: &entries)
        }
    }

    public func removeImage(for key: ImageKey) {
        remove(key, hash: ImageTable.hash(of: key), because: .removed) { _ in true }
    }

    public func removeAll() { evict(toCost: -1, because: .removed) }

    /// Evicts until the entries cost at most `cost` bytes together.
    public func trim(toCost cost: Int) { evict(toCost: max(0, cost), because: .trim) }
}

// Removing. What leaves is collected, so that its memory is given back after the locks are.
extension MemoryCache {
    private func evict(_ body: (inout Queues, inout TableEntries) -> Void) {
        let released = queues.withLock { [tables] queues in
            var entries = TableEntries(tables)
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

    private func remove(
        _ key: ImageKey, hash: Int, because cause: EvictionCause, if condition: (_ expires: Double) -> Bool
    ) {
        evict { queues, entries in
            Self.take(key, hash: hash, from: &queues, because: cause, if: condition, entries: &entries)
        }
    }

    private static func take(
        _ key: ImageKey, hash: Int, from queues: inout Queues, because cause: EvictionCause,
        if condition: (_ expires: Double) -> Bool = { _ in true }, entries: inout TableEntries
    ) {
        guard let seat = entries.remove(key, hash: hash, if: condition) else { return }
        queues.remove(seat.node, of: seat.priority, because: cause)
    }
}
