import CalotypeTesting
import Foundation
import ImageCaching
import ImageCore
import Testing

@Suite(.timeLimit(.minutes(1))) struct CacheStatisticsTests {
    @Test func theMemoryCacheReportsItsOperations() throws {
        let cache = MemoryCache(respondsToPressure: false)
        let key = ImageKey(resource: ResourceKey("a"))
        _ = cache.image(for: key)
        cache.store(try TestImages.solid(), for: key, priority: .normal)
        _ = cache.image(for: key)
        cache.removeAll()
        let statistics = try #require(cache.cacheStatistics.first)
        #expect(statistics.name == "memory")
        #expect((statistics.hits, statistics.misses, statistics.stores) == (1, 1, 1))
        #expect(statistics.evictions.removed == 1 && statistics.evictions.total == 1)
        #expect(statistics.count == 0 && statistics.byteCount == 0)
    }

    @Test func tiersReportTheLocalCacheBeforeTheSharedOne() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "statistics-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let near = DiskCache(.init(directory: folder.appending(path: "near")))
        let far = DiskCache(.init(directory: folder.appending(path: "far")))
        let tiers = TieredDataCache(local: near, shared: far)
        let key = DataKey(resource: ResourceKey("a"))
        try await far.store(DataEntry(data: Data([1, 2]), storedAt: 0), for: key)
        _ = try await tiers.entry(for: key)
        _ = try await tiers.entry(for: key)
        #expect(tiers.cacheStatistics.map(\.name) == ["disk", "disk"])
        #expect(tiers.cacheStatistics.map(\.hits) == [1, 1])
        #expect(tiers.cacheStatistics.map(\.misses) == [1, 0])
    }
}
