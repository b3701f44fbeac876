public import ImageCore

extension DiskCache {
    /// The counters of this process, without entries that other processes have stored since the last access.
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
