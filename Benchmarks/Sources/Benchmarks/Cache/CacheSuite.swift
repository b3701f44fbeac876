extension Suite {
    /// Measure the memory cache and the disk cache.
    static let caches = [
        Suite(name: "cache-memory", summary: "hits, misses and inserts of the memory cache") { effort in
            try await MemoryCacheBench(effort: effort).rows()
        },
        Suite(name: "cache-hits", summary: "hit ratios of the memory cache beside LRU and CLOCK") { effort in
            try HitRatioBench(effort: effort).rows()
        },
        Suite(name: "cache-disk", summary: "reads, writes and misses of the disk cache beside plain files") { effort in
            try await DiskCacheBench(effort: effort).rows()
        },
    ]
}
