public import ImageCore

extension MemoryCache {
    public var cacheStatistics: [CacheStatistics] {
        let own = statistics
        var result = CacheStatistics(name: "memory")
        (result.hits, result.misses) = (own.hits, own.misses)
        (result.stores, result.refusals) = (own.insertions, own.refusals)
        result.evictions.room = own.evictions.room
        result.evictions.expired = own.evictions.expired
        result.evictions.trimmed = own.evictions.trimmed
        result.evictions.removed = own.evictions.removed
        (result.count, result.byteCount) = (own.count, own.cost)
        return [result]
    }
}

extension DiskCache {
    /// The counters of this process, without entries that other processes have stored since the last access.
    public var cacheStatistics: [CacheStatistics] {
        let own = knownStatistics
        var result = CacheStatistics(name: "disk")
        (result.hits, result.misses) = (own.hits, own.misses)
        (result.stores, result.refusals) = (own.stores, own.lostStores)
        result.evictions.room = own.evictions
        result.evictions.expired = own.expirations
        result.evictions.damaged = own.damages
        (result.count, result.byteCount) = (own.count, own.byteCount)
        return [result]
    }
}
