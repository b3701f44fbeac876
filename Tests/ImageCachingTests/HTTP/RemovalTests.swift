import CalotypeTesting
import ImageCore
import Testing

@testable import ImageCaching

/// What an HTTP cache removes from its own store (FEATURES 1.10 and 1.14).
@Suite("HTTPCache removal", .timeLimit(.minutes(1))) struct HTTPCacheRemovalTests {
    private static let other = URL(string: "https://example.org/other")!
    private static let varying = ["Cache-Control: max-age=60", "Vary: Foo", "ETag: \"a\""]

    /// Stores responses to two variants and a user of one URL, and the response of another URL.
    private func filled() async throws -> (CacheBench, CachedLoader) {
        let bench = CacheBench(
            .init(200, Self.varying), .init(200, Self.varying), .init(200, Self.varying), .init(200, Self.varying))
        let loader = bench.makeLoader()
        for lines in [["Foo: 1"], ["Foo: 2"], ["Authorization: ann"]] { _ = try await loader.see(lines) }
        _ = try await loader.see(to: Self.other)
        return (bench, loader)
    }

    @Test func removingAURLRemovesEveryVariantAndUserAndNoOtherURL() async throws {
        let (bench, loader) = try await filled()
        try await loader.cache.removeResponses(of: ImageRequest(url: Wire.url).resource)
        let other = ImageRequest(url: Self.other).resource
        #expect(!bench.store.keys.isEmpty && bench.store.keys.allSatisfy { $0.resource.hasSameSource(as: other) })
        #expect(try await loader.see(to: Self.other).tier == .disk)
    }

    @Test func removingEverythingLeavesNoEntry() async throws {
        let (bench, loader) = try await filled()
        try await loader.cache.removeAll()
        #expect(bench.store.keys.isEmpty)
    }

    @Test func removingEverythingWaitsForAStoreThatRunsAndRemovesItsEntry() async throws {
        let store = LoggedDataCache(storeGate: Gate())
        let bench = CacheBench(.init(200, ["Cache-Control: max-age=60"]), store: store)
        let loader = bench.makeLoader()
        async let seen = loader.see()
        await store.storeGate.waitForArrivals(1)
        let epoch = loader.cache.stores.epoch
        async let removed: Void = loader.cache.removeAll()
        while loader.cache.stores.epoch == epoch { await Task.yield() }
        store.storeGate.open()
        try await removed
        #expect(try await seen == Seen(.network))
        #expect(store.keys.isEmpty)
    }
}
