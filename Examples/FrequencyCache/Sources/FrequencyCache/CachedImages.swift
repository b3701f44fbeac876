import ImageCore

/// The images of a cache, and the order in which it evicts them. A value.
///
/// What removes images returns them, so that the cache releases them outside of its lock: to give back the memory of
/// a large image takes longer than many lookups.
struct CachedImages: Sendable {
    typealias Cause = WritableKeyPath<CacheStatistics.Evictions, Int>
    private typealias Entry = (image: DecodedImage, cost: Int, priority: CachePriority)

    private(set) var statistics = CacheStatistics(name: "memory")
    /// By resource, so that all variants of one are found at once.
    private var entries: [ResourceKey: [ImageVariant: Entry]] = [:]
    /// The order of eviction in each priority, the lowest first.
    private var orders = CachePriority.allCases.map { _ in S3FIFO<ImageKey>() }

    var resources: [ResourceKey] { Array(entries.keys) }

    func variants(of resource: ResourceKey) -> [CachedVariant] {
        (entries[resource] ?? [:]).map { variant, entry in
            CachedVariant(key: ImageKey(resource: resource, variant: variant), image: entry.image)
        }
    }

    /// The image of a key; does not count as a use.
    subscript(key: ImageKey) -> DecodedImage? { entries[key.resource]?[key.variant]?.image }

    /// The image of a key; counts as a use.
    mutating func use(_ key: ImageKey) -> DecodedImage? {
        guard let entry = entries[key.resource]?[key.variant] else {
            statistics.misses += 1
            return nil
        }
        statistics.hits += 1
        orders[entry.priority.rawValue].use(key)
        return entry.image
    }

    /// Stores an image, unless images of a higher priority would have to make room for it.
    mutating func store(
        _ image: DecodedImage, for key: ImageKey, _ priority: CachePriority, cost: Int, limit: Int
    ) -> [DecodedImage] {
        // Also where the new image is refused, since the old one is outdated.
        let old = remove([key], counting: \.removed)
        let kept = orders[(priority.rawValue + 1)...].reduce(0) { $0 + $1.cost }
        guard cost <= limit - kept else {
            statistics.refusals += 1
            return old
        }
        let evicted = evict(toBytes: limit - cost, counting: \.overLimit)
        entries[key.resource, default: [:]][key.variant] = (image, cost, priority)
        orders[priority.rawValue].insert(key, cost: cost)
        statistics.stores += 1
        statistics.count += 1
        statistics.byteCount += cost
        return old + evicted
    }

    mutating func remove(_ keys: [ImageKey], counting cause: Cause) -> [DecodedImage] {
        keys.compactMap { key in
            guard let entry = entries[key.resource]?.removeValue(forKey: key.variant) else { return nil }
            if entries[key.resource]?.isEmpty == true { entries[key.resource] = nil }
            orders[entry.priority.rawValue].remove(key)
            statistics.count -= 1
            statistics.byteCount -= entry.cost
            statistics.evictions[keyPath: cause] += 1
            return entry.image
        }
    }

    /// Removes images until all take at most `limit` bytes.
    mutating func evict(toBytes limit: Int, counting cause: Cause) -> [DecodedImage] {
        var evicted: [DecodedImage] = []
        for order in orders.indices {
            while statistics.byteCount > limit, let key = orders[order].evict() { evicted += remove([key], counting: cause) }
        }
        return evicted
    }
}
