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

    struct Contents: Sendable {
        var hits = 0
        var misses = 0
        /// The sample mask of ``AdaptivePolicy``; samples none at first.
        var sampleMask = UInt.max
        /// The slots by the hashes of their keys. Two keys with one hash share a slot: the later replaces the earlier.
        private var slots: [Int: Int] = [:]
        private var entries: [Entry] = []
        private var freeSlots: [Int] = []

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

    /// The keys of all entries.
    var keys: [ImageKey] { entries.lazy.filter { $0.image != nil }.map(\.key) }

    /// Up to `limit` of a resource's entries.
    func entries(of resource: ResourceKey, limit: Int) -> [MemoryShard.Entry] {
        Array(entries.lazy.filter { $0.key.resource == resource && $0.image != nil }.prefix(limit))
    }

    /// Stores an entry in a free slot.
    ///
    /// - Returns: the slot, and the entry that had the key, or another key with the same hash, until now.
    mutating func store(_ entry: consuming MemoryShard.Entry) -> (slot: Int, old: MemoryShard.Replaced?) {
        let slot = freeSlots.popLast() ?? entries.count
        let old = slots.updateValue(slot, forKey: entry.key.hash)
        if slot < entries.count { entries[slot] = entry } else { entries.append(entry) }
        return (slot, old.map { MemoryShard.Replaced(slot: $0, priority: entries[$0].priority, image: free($0)) })
    }

    /// Removes an entry, unless it was used later than `lastUse`.
    mutating func remove(_ slot: Int, unlessUsedSince lastUse: Int64) -> (image: DecodedImage?, lastUse: Int64?) {
        let used = entries[slot].lastUse
        return used > lastUse ? (nil, used) : (remove(slot), nil)
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
