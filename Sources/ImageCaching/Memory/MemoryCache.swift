public import ImageCore

/// Decoded images in memory, bounded by cost and count. See ``Limits`` for the bounds and ``Statistics`` for what it counts.
///
/// Every call is synchronous, takes no I/O and may come from any thread. The limits hold after every insert, and an image
/// that fits within them can be read right after it was stored. When room is short, entries of normal priority go before
/// any of high priority; within a priority, those that were used least go first (S3-FIFO: pictures that are shown once do
/// not push out those that are shown again and again, as they would from a cache that only looks at the last use).
///
/// ```swift
/// let cache = MemoryCache(limits: .init(cost: 40_000_000, timeToLive: 600))
/// ```
// Two kinds of lock, always taken in this order: the one of the queues, for what changes; then one of the parts of the
// table. A hit takes only the latter, and threads that read different keys seldom meet.
public final class MemoryCache: Caching {
    private let queues: Lock<Queues>
    private let parts: [Part]
    private let now: @Sendable () -> Double

    private final class Part: Sendable {
        let table = Lock(ImageTable())
    }

    /// A power of two, and more than there are threads at work.
    private static let partCount = 64

    /// An empty cache.
    ///
    /// - Parameter now: seconds that only grow, for times to live; by default the system's clock.
    public init(limits: Limits = Limits(), now: @escaping @Sendable () -> Double = SystemClock.uptime) {
        queues = Lock(Queues(limits: limits))
        parts = (0..<Self.partCount).map { _ in Part() }
        self.now = now
    }

    /// The bounds. Lowering them evicts at once.
    public var limits: Limits {
        get { queues.withLock { $0.limits } }
        set {
            let released = queues.withLock { queues in
                queues.limits = newValue
                return evict(from: &queues, toCost: newValue.cost, count: newValue.count ?? .max, because: .room)
            }
            released.release()
        }
    }

    public var statistics: Statistics {
        var result = queues.withLock { queues in
            var result = queues.statistics
            (result.cost, result.count) = (queues.cost, queues.count)
            return result
        }
        for part in parts {
            let (hits, misses) = part.table.withLock { ($0.hits, $0.misses) }
            result.hits += hits
            result.misses += misses
        }
        return result
    }

    public func image(for key: ImageKey) -> DecodedImage? {
        let hash = key.hashValue
        let (image, expires) = part(of: hash).table.withLock { table -> (DecodedImage?, Double) in
            guard let place = table.find(key, hash: hash) else {
                table.misses += 1
                return (nil, .infinity)
            }
            table.hits += 1
            return (table.use(place), table.expiry(place))
        }
        guard expires < .infinity, expires <= now() else { return image }
        remove(key, hash: hash, because: .expired) { $0.expires <= expires }
        part(of: hash).table.withLock { ($0.hits, $0.misses) = ($0.hits - 1, $0.misses + 1) }
        return nil
    }

    public func store(_ image: DecodedImage, for key: ImageKey, priority: CachePriority = .normal) {
        store(image, for: key, priority: priority, timeToLive: nil)
    }

    /// Keeps an image for at most `timeToLive` seconds; `nil` for the limits' own time.
    public func store(_ image: DecodedImage, for key: ImageKey, priority: CachePriority = .normal, timeToLive: Double?) {
        let hash = key.hashValue
        let released = queues.withLock { queues -> Released in
            var released = take(key, hash: hash, from: &queues, because: .removed)
            let limits = queues.limits
            guard image.cost <= min(limits.cost, limits.entryCost ?? .max), limits.count != 0 else {
                queues.statistics.refusals += 1
                return released
            }
            let expires = (timeToLive ?? limits.timeToLive).map { now() + $0 } ?? .infinity
            let node = queues.insert(key, hash: hash, cost: image.cost, priority: priority)
            let slot = ImageTable.Slot(key: key, hash: hash, image: image, node: node, uses: 0, expires: expires)
            part(of: hash).table.withLock { $0.insert(slot) }
            released.add(
                evict(from: &queues, toCost: limits.cost, count: limits.count ?? .max, because: .room, except: node, of: priority)
            )
            return released
        }
        released.release()
    }

    public func removeImage(for key: ImageKey) {
        remove(key, hash: key.hashValue, because: .removed) { _ in true }
    }

    public func removeAll() {
        let released = queues.withLock { evict(from: &$0, toCost: -1, count: -1, because: .removed) }
        released.release()
    }

    /// Evicts until the entries cost at most `cost` bytes together.
    public func trim(toCost cost: Int) {
        let released = queues.withLock { evict(from: &$0, toCost: max(0, cost), count: .max, because: .trim) }
        released.release()
    }

    private func part(of hash: Int) -> Part { parts[hash & (Self.partCount - 1)] }
}

// Removing. What leaves is returned, so that its memory is given back after the locks are.
extension MemoryCache {
    /// Images that left the cache.
    private struct Released: Sendable {
        private var first: DecodedImage?
        private var others: [DecodedImage] = []

        mutating func add(_ image: DecodedImage) {
            if first == nil { first = image } else { others.append(image) }
        }

        mutating func add(_ other: Released) {
            if let image = other.first { add(image) }
            others += other.others
        }

        /// The last reference goes where this is called.
        consuming func release() {}
    }

    private func remove(_ key: ImageKey, hash: Int, because cause: EvictionCause, if condition: (ImageTable.Slot) -> Bool) {
        let released = queues.withLock { take(key, hash: hash, from: &$0, because: cause, if: condition) }
        released.release()
    }

    private func take(
        _ key: ImageKey, hash: Int, from queues: inout Queues, because cause: EvictionCause,
        if condition: (ImageTable.Slot) -> Bool = { _ in true }
    ) -> Released {
        var released = Released()
        let slot = part(of: hash).table.withLock { table -> ImageTable.Slot? in
            guard let place = table.find(key, hash: hash), let slot = table[place], condition(slot) else { return nil }
            table.remove(place)
            return slot
        }
        guard let slot else { return released }
        released.add(slot.image)
        queues.remove(slot.node, because: cause)
        return released
    }

    /// Evicts until cost and count are within the given bounds; normal priority first.
    private func evict(
        from queues: inout Queues, toCost cost: Int, count: Int, because cause: EvictionCause, except excluded: Int32 = -1,
        of priority: CachePriority = .normal
    ) -> Released {
        var released = Released()
        while queues.cost > cost || queues.count > count {
            guard let victim = queues.victim(except: excluded, of: priority, uses: takeUses) else { break }
            let image = part(of: victim.hash).table.withLock { table -> DecodedImage? in
                guard let place = table.find(victim.key, hash: victim.hash) else { return nil }
                defer { table.remove(place) }
                return table[place]?.image
            }
            if let image { released.add(image) }
            queues.forget(victim, because: cause)
        }
        return released
    }

    private func takeUses(of entry: Queues.Entry, _ aging: EvictionQueues.Aging) -> UInt8 {
        part(of: entry.hash).table.withLock { table in
            guard let place = table.find(entry.key, hash: entry.hash) else { return 0 }
            return table.takeUses(place, aging)
        }
    }
}
