extension Suite {
    /// Measures the memory cache and the disk cache.
    static let cache = Suite(name: "cache", summary: "hits, misses, inserts, hit ratios; files on disk") { effort in
        let memory = try await MemoryCacheBench(effort: effort).rows()
        return try memory + HitRatioBench(effort: effort).rows() + (try await DiskCacheBench(effort: effort).rows())
    }
}
