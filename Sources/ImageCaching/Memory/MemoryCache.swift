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
@safe public final class MemoryCache: Caching {
    private let queues: Lock<Queues>
    /// Owned here; unmanaged so that a hit counts no references to them.
    private let tables: [Unmanaged<ImageTable>]
    private let now: @Sendable () -> Double

    /// A power of two, and more than there are threads at work.
    private static let tableCount = 64

    /// An empty cache.
    ///
    /// - Parameter now: seconds that only grow, for times to live; by default the system's clock.
    public init(limits: Limits = Limits(), now: @escaping @Sendable () -> Double = SystemClock.uptime) {
        queues = Lock(Queues(limits: limits))
        unsafe tables = (0..<Self.tableCount).map { _ in unsafe Unmanaged.passRetained(ImageTable()) }
        self.now = now
    }

    deinit {
        for i in 0..<Self.tableCount { unsafe tables[i].release() }
    }

    /// The bounds. Lowering them evicts at once.
    public var limits: Limits {
        get { queues.withLock { $0.limits } }
        set {
            let released = queues.withLock { queues in
                queues.limits = newValue
                return evicted(from: &queues, toCost: newValue.cost, count: newValue.count ?? .max, because: .room)
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
        for hash in 0..<Self.tableCount {
            let (hits, misses) = withTable(of: hash) { ($0.hits, $0.misses) }
            result.hits += hits
            result.misses += misses
        }
        return result
    }

    public func image(for key: ImageKey) -> DecodedImage? {
        let hash = ImageTable.hash(of: key)
        let found = withTable(of: hash) { table -> (DecodedImage, expires: Double)? in
            guard let place = table.find(key, hash: hash) else {
                table.misses += 1
                return nil
            }
            table.hits += 1
            return table.use(place)
        }
        guard let (image, expires) = found else { return nil }
        guard expires < .infinity, expires <= now() else { return image }
        remove(key, hash: hash, because: .expired) { $0 <= expires }
        withTable(of: hash) { ($0.hits, $0.misses) = ($0.hits - 1, $0.misses + 1) }
        return nil
    }

    public func store(_ image: DecodedImage, for key: ImageKey, priority: CachePriority = .normal) {
        store(image, for: key, priority: priority, timeToLive: nil)
    }

    /// Keeps an image for at most `timeToLive` seconds; `nil` for the limits' own time.
    public func store(_ image: DecodedImage, for key: ImageKey, priority: CachePriority = .normal, timeToLive: Double?) {
        let hash = ImageTable.hash(of: key)
        let cost = image.cost
        let released = queues.withLock { queues -> Released in
            var released = take(key, hash: hash, from: &queues, because: .removed)
            let limits = queues.limits
            guard cost <= min(limits.cost, limits.entryCost ?? .max), limits.count != 0 else {
                queues.statistics.refusals += 1
                return released
            }
            let expires = (timeToLive ?? limits.timeToLive).map { now() + $0 } ?? .infinity
            let node = queues.insert(hash: hash, cost: cost, priority: priority)
            withTable(of: hash) {
                let slot = ImageTable.Slot(key: key, image: image, node: node, uses: 0, priority: priority, expires: expires)
                $0.insert(slot, hash: hash)
            }
            evict(
                from: &queues, toCost: limits.cost, count: limits.count ?? .max, because: .room, except: node, of: priority,
                into: &released)
            return released
        }
        released.release()
    }

    public func removeImage(for key: ImageKey) {
        remove(key, hash: ImageTable.hash(of: key), because: .removed) { _ in true }
    }

    public func removeAll() {
        let released = queues.withLock { evicted(from: &$0, toCost: -1, count: -1, because: .removed) }
        released.release()
    }

    /// Evicts until the entries cost at most `cost` bytes together.
    public func trim(toCost cost: Int) {
        let released = queues.withLock { evicted(from: &$0, toCost: max(0, cost), count: .max, because: .trim) }
        released.release()
    }

    @inline(__always)
    private func withTable<R: Sendable>(of hash: Int, _ body: (ImageTable) -> R) -> R {
        unsafe tables[hash & (Self.tableCount - 1)]._withUnsafeGuaranteedRef { $0.withLock(body) }
    }
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

        /// The last reference goes where this is called.
        consuming func release() {}
    }

    private func remove(_ key: ImageKey, hash: Int, because cause: EvictionCause, if condition: (_ expires: Double) -> Bool) {
        let released = queues.withLock { take(key, hash: hash, from: &$0, because: cause, if: condition) }
        released.release()
    }

    private func take(
        _ key: ImageKey, hash: Int, from queues: inout Queues, because cause: EvictionCause,
        if condition: (_ expires: Double) -> Bool = { _ in true }
    ) -> Released {
        var released = Released()
        let removed = withTable(of: hash) { table -> (image: DecodedImage, node: Int32, priority: CachePriority)? in
            guard let place = table.find(key, hash: hash), condition(table.expiry(place)) else { return nil }
            let slot = table.remove(place)
            return (slot.image, slot.node, slot.priority)
        }
        guard let removed else { return released }
        released.add(removed.image)
        queues.remove(removed.node, of: removed.priority, because: cause)
        return released
    }

    /// Evicts until cost and count are within the given bounds; normal priority first.
    private func evict(
        from queues: inout Queues, toCost cost: Int, count: Int, because cause: EvictionCause, except excluded: Int32 = -1,
        of priority: CachePriority = .normal, into released: inout Released
    ) {
        while queues.cost > cost || queues.count > count {
            let isDone = !queues.evict(except: excluded, of: priority, because: cause) { node, hash, aging in
                let (uses, image) = withTable(of: hash) { $0.age(node: node, hash: hash, aging) }
                if let image { released.add(image) }
                return uses
            }
            if isDone { return }
        }
    }

    private func evicted(from queues: inout Queues, toCost cost: Int, count: Int, because cause: EvictionCause) -> Released {
        var released = Released()
        evict(from: &queues, toCost: cost, count: count, because: cause, into: &released)
        return released
    }
}
