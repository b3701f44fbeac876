import CalotypeTesting
import FrequencyCache
import Testing

extension FrequencyCacheTests {
    @Test func theCacheKeepsTheContractOfMemoryCaches() async throws {
        try await checkCachingConformance { FrequencyCache(maximumBytes: 200_000) }
    }
}
