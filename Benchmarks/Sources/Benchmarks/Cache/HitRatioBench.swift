internal import Calotype
internal import InstantPlugIns

/// Measures the hit ratios of the memory cache on seeded traces, beside exact LRU and CLOCK on the same traces.
struct HitRatioBench {
    let effort: Effort
    let seed: UInt64

    func rows() throws -> [Row] {
        let traces = AccessTraces(items: effort.scaled(100_000), accesses: effort.scaled(1_000_000), seed: seed)
        let keys = (0..<2 * traces.items).map { ImageKey(resource: ResourceKey("https://example.org/\($0).jpg")) }
        return try traces.all.flatMap { trace -> [Row] in
            Progress.show("  hit ratio: \(trace.name)")
            let cache = MemoryCache(limits: .init(maximumCount: trace.capacity), respondsToPressure: false)
            // Each image is new: one that something else holds is found again after its eviction.
            for key in trace.keys.map({ keys[Int($0)] }) where cache.image(for: key) == nil {
                cache.store(try .onePixel(), for: key)
            }
            let own = cache.statistics.hitRatio ?? 0
            let lru = trace.hitRatioOfLRU
            func row(_ peer: String, _ value: Double, _ budget: Row.Budget?) -> Row {
                Row(
                    suite: "cache", name: "hits: \(trace.name)", median: own, unit: "of all",
                    peer: Row.Peer(name: peer, value: value), budget: budget)
            }
            return [
                row("LRU", lru, .atLeast(max(lru - 0.01, trace.requiredHitRatio ?? 0))),
                row("CLOCK", trace.hitRatioOfCLOCK, nil),
            ]
        }
    }
}
