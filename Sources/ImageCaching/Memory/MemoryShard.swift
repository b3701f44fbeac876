internal import ImageCore

/// A part of a memory cache's entries with a lock of its own, so that threads that read different keys seldom wait.
final class MemoryShard: Sendable {
    struct Entry: Sendable {
        /// `nil` in a free slot, as is the image.
        var key: ImageKey?
        var image: DecodedImage?
        /// Seconds of the system's clock.
        var lastUse = 0.0
        /// Seconds of the cache's clock; infinity for an entry that does not expire.
        var expires = Double.infinity
        var priority = CachePriority.normal
    }

    /// What a lookup found.
    struct Hit: Sendable {
        var image: DecodedImage
        var expires: Double
        /// Whether the use is to be told to ``AdaptivePolicy``.
        var isSampled: Bool
    }

    struct Contents: Sendable {
        var hits = 0
        var misses = 0
        /// Which uses are sampled; none at first.
        var sampleMask = UInt64.max
        private var slots: [ImageKey: Int] = [:]
        private var entries: [Entry] = []
        private var freeSlots: [Int] = []
    }

    private let contents = Lock(Contents())

    func withLock<Result: Sendable>(_ body: (inout Contents) -> Result) -> Result {
        contents.withLock { body(&$0) }
    }
}

extension MemoryShard.Contents {
    /// The image of a key. Counts a hit or a miss.
    mutating func use(_ key: ImageKey) -> MemoryShard.Hit? {
        guard let slot = slots[key], let image = entries[slot].image else {
            misses += 1
            return nil
        }
        hits += 1
        entries[slot].lastUse = SystemClock.uptime()
        let isSampled = AdaptivePolicy.isSampled(key.hash, mask: sampleMask)
        return MemoryShard.Hit(image: image, expires: entries[slot].expires, isSampled: isSampled)
    }

    func slot(of key: ImageKey) -> Int? { slots[key] }

    subscript(slot: Int) -> MemoryShard.Entry { entries[slot] }

    /// Up to `limit` of a resource's entries.
    func entries(of resource: ResourceKey, limit: Int) -> [MemoryShard.Entry] {
        Array(entries.lazy.filter { $0.key?.resource == resource }.prefix(limit))
    }

    /// Keeps an entry in the slot of its key or in a free one.
    ///
    /// - Returns: the slot, and the image that was replaced.
    mutating func store(_ entry: MemoryShard.Entry, for key: ImageKey) -> (slot: Int, replaced: DecodedImage?) {
        if let slot = slots[key] {
            let replaced = entries[slot].image
            entries[slot] = entry
            return (slot, replaced)
        }
        let slot = freeSlots.popLast() ?? entries.count
        if slot == entries.count { entries.append(entry) } else { entries[slot] = entry }
        slots[key] = slot
        return (slot, nil)
    }

    mutating func remove(_ slot: Int) -> MemoryShard.Entry {
        let entry = entries[slot]
        if let key = entry.key { slots[key] = nil }
        entries[slot] = MemoryShard.Entry()
        freeSlots.append(slot)
        return entry
    }
}
