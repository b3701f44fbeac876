import CalotypeTesting
import FrequencyCache
import ImageCaching
import ImageCore
import ImageLoading
import Testing

// One after the other, because a report of memory pressure reaches all caches of the process.
@Suite(.serialized, .timeLimit(.minutes(1))) struct FrequencyCacheTests {
    @Test func aSecondLoadIsServedFromMemoryUntilTheImageIsRemoved() async throws {
        let network = ScriptedLoader { _ in .body(Data([7])) }
        let loader = ImageLoader(
            ImageLoader.Configuration(
                dataLoader: network, decoder: ScriptedDecoder(), memoryCache: FrequencyCache(maximumBytes: 1_000_000)))
        let url = try #require(URL(string: "https://example.org/cat.jpg"))
        #expect(try await loader.response(for: ImageRequest(url: url)).tier == .network)
        let second = try await loader.response(for: ImageRequest(url: url))
        #expect(second.tier == .memory)
        #expect(TestImages.color(of: second.image)[0] == 7)
        #expect(network.requests.count == 1)
        try await loader.cache.removeAllVariants(of: url)
        #expect(try await loader.response(for: ImageRequest(url: url)).tier == .network)
    }

    @Test func reportsOfMemoryPressureFreeMemory() throws {
        let cache = FrequencyCache(maximumBytes: 1_000_000)
        let image = try TestImages.solid(width: 1, height: 1)
        for key in keys(0..<40) { cache.store(image, for: key, priority: .normal) }
        MemoryPressure.post(.warning)
        #expect(cache.cacheStatistics[0].count == 20)
        MemoryPressure.post(.background)
        #expect(cache.cacheStatistics[0].count == 5)
        MemoryPressure.post(.critical)
        #expect(cache.cacheStatistics[0].count == 0)
        #expect(cache.cacheStatistics[0].evictions.trimmed == 40)
    }

    @Test func aCacheThatIsReleasedNoLongerObservesMemoryPressure() {
        weak var released: FrequencyCache?
        do {
            let cache = FrequencyCache(maximumBytes: 1_000)
            released = cache
        }
        #expect(released == nil)
    }

    @Test func aLongKeyCountsAsBytes() throws {
        let cache = FrequencyCache(maximumBytes: 100_000)
        let key = ImageKey(resource: ResourceKey("data:" + String(repeating: "A", count: 90_000)))
        cache.store(try TestImages.solid(width: 1, height: 1), for: key, priority: .normal)
        #expect(cache.image(for: key) != nil)
        #expect(cache.cacheStatistics[0].byteCount > 90_000)
        let longer = ImageKey(resource: ResourceKey("data:" + String(repeating: "A", count: 100_000)))
        cache.store(try TestImages.solid(width: 1, height: 1), for: longer, priority: .normal)
        #expect(cache.image(for: longer) == nil)
        #expect(cache.cacheStatistics[0].refusals == 1)
    }

    /// Ten times: an album of 60 images is opened three times, then 300 others are seen once.
    @Test func aScanEvictsNothingThatIsUsedRepeatedly() throws {
        let album = keys(0..<60)
        var accesses: [ImageKey] = []
        for round in 1...10 { accesses += album + album + album + keys(round * 1_000..<round * 1_000 + 300) }
        let textBytes = album[0].resource.text.utf8.count
        let cost = try TestImages.solid(width: 1, height: 1).cost
        // Both have room for 100 images.
        let frequency = FrequencyCache(maximumBytes: 100 * (cost + FrequencyCache.entryOverhead + textBytes))
        let builtIn = MemoryCache(
            limits: .init(maximumBytes: 100 * (cost + MemoryCache.entryOverhead)), respondsToPressure: false)
        for cache in [frequency, builtIn] as [any Caching] {
            // Not one image for all, which the built-in cache would find as long as the test has it.
            for key in accesses where cache.image(for: key) == nil {
                cache.store(try TestImages.solid(width: 1, height: 1), for: key, priority: .normal)
            }
        }
        // The album is missed only when it is opened for the first time.
        #expect(frequency.cacheStatistics[0].hits == 10 * 3 * 60 - 60)
        #expect(builtIn.statistics.hits < frequency.cacheStatistics[0].hits)
    }

    /// Keys whose texts have the same length.
    private func keys(_ numbers: Range<Int>) -> [ImageKey] {
        numbers.map { ImageKey(resource: ResourceKey("https://example.org/\(10_000 + $0)")) }
    }
}
