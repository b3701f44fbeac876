public import ImageCore

extension MemoryCache {
    public var cacheStatistics: [CacheStatistics] {
        let own = statistics
        var result = CacheStatistics(name: "memory")
        (result.hits, result.misses) = (own.hits, own.misses)
        (result.stores, result.refusals) = (own.insertions, own.refusals)
        result.evictions.overLimit = own.evictions.overLimit
        result.evictions.expired = own.evictions.expired
        result.evictions.trimmed = own.evictions.trimmed
        result.evictions.removed = own.evictions.removed
        (result.count, result.byteCount) = (own.count, own.cost)
        return [result]
    }
}

extension DiskCache {
    /// As this process knows it: what others have stored meanwhile may be missing.
    public var cacheStatistics: [CacheStatistics] {
        let own = knownStatistics
        var result = CacheStatistics(name: "disk")
        (result.hits, result.misses) = (own.hits, own.misses)
        (result.stores, result.refusals) = (own.stores, own.lostStores)
        result.evictions.overLimit = own.evictions
        result.evictions.expired = own.expirations
        result.evictions.damaged = own.damages
        (result.count, result.byteCount) = (own.count, own.byteCount)
        return [result]
    }
}
