extension Suite {
    /// Measure the memory cache and the disk cache.
    static let caches = [
        Suite(name: "cache-memory", summary: "hits, misses and inserts of the memory cache") { effort, seed in
            try await MemoryCacheBench(effort: effort, seed: seed).rows()
        },
        Suite(name: "cache-hits", summary: "hit ratios of the memory cache beside LRU and CLOCK") { effort, seed in
            try HitRatioBench(effort: effort, seed: seed).rows()
        },
        Suite(name: "cache-disk", summary: "reads, writes and misses of the disk cache beside plain files") { effort, seed in
            try await DiskCacheBench(effort: effort, seed: seed).rows()
        },
    ]
}
