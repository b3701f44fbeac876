import ImageCore
import Testing

@testable import ImageCaching

/// FEATURES 1.14: everything that came from a source is removed at once.
@Suite(.timeLimit(.minutes(1))) struct RemovingASource {
    private let own = ResourceKey("https://example.org/a.jpg")

    /// The original, a response, a response for one user, a processed image, and a partial body.
    private var keys: [DataKey] {
        [
            DataKey(resource: own), DataKey(resource: own, variant: "http"),
            DataKey(resource: own.varied(by: ["authorization: x"]), variant: "http 12"),
            DataKey(resource: own, variant: "40x40,fit"),
            DataKey(resource: ResourceKey(own.text + "\naccept:image/png"), variant: "partial"),
        ]
    }

    private let others = [dataKey("b"), dataKey("a", variant: "x")].map {
        DataKey(resource: ResourceKey($0.resource.text + "?v=2"))
    }

    private func expectOnlyOthers(in cache: any DataCaching) async throws {
        for key in keys { #expect(try await cache.entry(for: key) == nil, "\(key)") }
        for key in others { #expect(try await cache.entry(for: key) != nil, "\(key)") }
    }

    @Test(arguments: [false, true])
    func aDiskCacheRemovesEveryVariantOfASource(isFlushed: Bool) async throws {
        let folder = try Folder()
        let cache = folder.cache()
        for key in keys + others { try await cache.store(entry(1), for: key) }
        if isFlushed { try await cache.flush() }
        try await cache.removeEntries(of: own)
        try await expectOnlyOthers(in: cache)
        try await cache.flush()
        try await expectOnlyOthers(in: folder.cache())
    }

    @Test func aDiskCacheRemovesWhatAnotherCacheOfTheDirectoryStored() async throws {
        let folder = try Folder()
        let (cache, other) = (folder.cache(), folder.cache())
        #expect(try await cache.entry(for: keys[0]) == nil)
        for key in keys + others { try await other.store(entry(1), for: key) }
        try await other.flush()
        try await cache.removeEntries(of: own.varied(by: ["authorization: y"]))
        try await cache.flush()
        try await expectOnlyOthers(in: other)
    }

    @Test func aMemoryCacheRemovesEveryVariantOfASource() throws {
        let cache = MemoryCache(respondsToPressure: false)
        let own = [
            ImageKey(resource: own), ImageKey(resource: own, variant: ImageVariant("9x9,fit")),
            ImageKey(resource: own.varied(by: ["authorization: x"]), variant: ImageVariant("9x9,fit")),
        ]
        let other = ImageKey(resource: ResourceKey(self.own.text + "?v=2"))
        for key in own + [other] { cache.store(try testImage(), for: key) }
        cache.removeImages(of: self.own)
        for key in own { #expect(cache.peekImage(for: key) == nil) }
        #expect(cache.peekImage(for: other) != nil)
        #expect(cache.statistics.evictions.removed == 3)
    }

    @Test func bothTiersRemoveASourceUnlessThePolicyKeepsTheSharedOne() async throws {
        for removesShared in [true, false] {
            let (local, shared) = (Pocket(), Pocket())
            let tiers = TieredDataCache(local: local, shared: shared, policy: .init(removesShared: removesShared))
            for key in keys + others { try await tiers.store(entry(1), for: key) }
            try await tiers.removeEntries(of: own)
            try await expectOnlyOthers(in: local)
            #expect(try await (shared.entry(for: keys[0]) == nil) == removesShared)
        }
    }

    /// A cache that cannot find the entries keeps the promise all the same.
    @Test func aCacheWithoutItsOwnRemovalIsEmptied() async throws {
        actor Simple: DataCaching {
            private var entries: [DataKey: DataEntry] = [:]
            func entry(for key: DataKey) -> DataEntry? { entries[key] }
            func store(_ entry: DataEntry, for key: DataKey) { entries[key] = entry }
            func removeEntry(for key: DataKey) { entries[key] = nil }
            func removeAll() { entries = [:] }
        }
        let cache = Simple()
        for key in keys + others { await cache.store(entry(1), for: key) }
        try await cache.removeEntries(of: own)
        for key in keys { #expect(await cache.entry(for: key) == nil) }
    }
}

/// FEATURES 1.10: clearing leaves nothing that a user would not expect.
@Suite(.timeLimit(.minutes(1))) struct ClearingADirectory {
    @Test func theSharedTierIsClearedTooByDefault() async throws {
        let (local, shared) = (Pocket(), Pocket())
        let tiers = TieredDataCache(local: local, shared: shared)
        try await tiers.store(entry(1), for: dataKey("a"))
        try await tiers.removeAll()
        #expect(try await shared.entry(for: dataKey("a")) == nil)
    }
}
