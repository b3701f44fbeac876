internal import ImageCore

/// A part of a memory cache's entries with a separate lock, so that threads that read different keys seldom wait.
final class MemoryShard: Sendable {
    struct Entry: Sendable {
        /// The number of the last use (``UseCounter``).
        var lastUse: Int64
        var key: ImageKey
        /// `nil` in a free slot.
        var image: DecodedImage?
        /// Seconds of the cache's clock; infinity for an entry that does not expire.
        var expires: Double
        var priority: CachePriority
    }

    /// The result of a lookup.
    struct Hit: Sendable {
        var image: DecodedImage
        var expires: Double
        /// Whether ``AdaptivePolicy`` samples this use.
        var isSampled: Bool
    }

    /// An entry whose slot in the index another entry took.
    struct Replaced: Sendable {
        var slot: Int
        var priority: CachePriority
        var image: DecodedImage?
    }

    /// An image that was evicted while it was in use elsewhere.
    struct Evicted: Sendable {
        let image: WeakImage
        let expires: Double
        let priority: CachePriority
    }

    struct Contents: Sendable {
        var hits = 0
        var misses = 0
        /// The sample mask of ``AdaptivePolicy``; samples none at first.
        var sampleMask = UInt.max
        /// The slots by the hashes of their keys. Two keys with one hash share a slot: the later replaces the earlier.
        private var slots: [Int: Int] = [:]
        private var entries: [Entry] = []
        private var freeSlots: [Int] = []
        /// The evicted images that are still in use, and some that no longer are.
        private var evicted: [ImageKey: Evicted] = [:]
        /// The number of evicted images at which those that are no longer in use are dropped.
        private var maximumEvicted = 16

        /// The key of free slots, so that they do not retain a key.
        private static let noKey = ImageKey(resource: ResourceKey(""))
    }

    private let contents = Lock(Contents())

    func withLock<Result: Sendable>(_ body: (inout Contents) -> Result) -> Result {
        contents.withLock { body(&$0) }
    }
}

extension MemoryShard.Contents {
    /// The image of a key. Counts a hit or a miss.
    mutating func use(_ key: ImageKey, _ uses: borrowing UseCounter) -> MemoryShard.Hit? {
        guard let slot = slot(of: key), let image = entries[slot].image else {
            misses += 1
            return nil
        }
        hits += 1
        entries[slot].lastUse = uses.next()
        let isSampled = AdaptivePolicy.isSampled(key.hash, mask: sampleMask)
        return MemoryShard.Hit(image: image, expires: entries[slot].expires, isSampled: isSampled)
    }

    func slot(of key: ImageKey) -> Int? {
        guard let slot = slots[key.hash], entries[slot].key == key else { return nil }
        return slot
    }

    subscript(slot: Int) -> MemoryShard.Entry { _read { yield entries[slot] } }

    /// The keys of all entries and of all evicted images.
    var keys: [ImageKey] { entries.lazy.filter { $0.image != nil }.map(\.key) + evicted.keys }

    /// An evicted image that is still in use.
    func evictedImage(for key: ImageKey) -> MemoryShard.Evicted? { evicted.isEmpty ? nil : evicted[key] }

    mutating func removeEvicted(_ key: ImageKey) { if !evicted.isEmpty { evicted[key] = nil } }

    mutating func removeAllEvicted() { evicted = [:] }

    /// Up to `limit` of a resource's entries.
    func entries(of resource: ResourceKey, limit: Int) -> [MemoryShard.Entry] {
        Array(entries.lazy.filter { $0.key.resource == resource && $0.image != nil }.prefix(limit))
    }

    /// Stores an entry in a free slot.
    ///
    /// - Returns: the slot, and the entry that had the key, or another key with the same hash, until now.
    mutating func store(_ entry: consuming MemoryShard.Entry) -> (slot: Int, old: MemoryShard.Replaced?) {
        removeEvicted(entry.key)
        let slot = freeSlots.popLast() ?? entries.count
        let old = slots.updateValue(slot, forKey: entry.key.hash)
        if slot < entries.count { entries[slot] = entry } else { entries.append(entry) }
        return (slot, old.map { MemoryShard.Replaced(slot: $0, priority: entries[$0].priority, image: free($0)) })
    }

    /// Evicts an entry, unless it was used later than `lastUse`.
    ///
    /// - Parameter keepsUsed: whether the image can still be found as long as it is in use elsewhere.
    mutating func evict(
        _ slot: Int, unlessUsedSince lastUse: Int64, keepsUsed: Bool
    ) -> (image: DecodedImage?, lastUse: Int64?) {
        let used = entries[slot].lastUse
        guard used <= lastUse else { return (nil, used) }
        let (key, expires, priority) = (entries[slot].key, entries[slot].expires, entries[slot].priority)
        guard var image = remove(slot) else { return (nil, nil) }
        if keepsUsed, let weak = WeakImage(&image) {
            evicted[key] = MemoryShard.Evicted(image: weak, expires: expires, priority: priority)
            if evicted.count > maximumEvicted {
                evicted = evicted.filter { $0.value.image.image != nil }
                maximumEvicted = 2 * evicted.count + 16
            }
        }
        return (image, nil)
    }

    mutating func remove(_ slot: Int) -> DecodedImage? {
        slots[entries[slot].key.hash] = nil
        return free(slot)
    }

    private mutating func free(_ slot: Int) -> DecodedImage? {
        entries[slot].key = Self.noKey
        freeSlots.append(slot)
        return entries[slot].image.take()
    }
}
