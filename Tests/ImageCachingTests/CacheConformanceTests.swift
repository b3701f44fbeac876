import CalotypeTesting
import ImageCaching
import ImageCore
import Testing

@Suite(.timeLimit(.minutes(3))) struct CacheConformanceTests {
    @Test func theMemoryCacheConforms() async throws {
        try await checkCachingConformance {
            MemoryCache(limits: .init(maximumBytes: 100 * testImageCost), respondsToPressure: false)
        }
    }

    @Test func theDiskCacheConforms() async throws {
        let folders = Lock<[Folder]>([])
        try await checkDataCachingConformance {
            let folder = try Folder()
            folders.withLock { $0.append(folder) }
            return folder.cache()
        }
    }

    @Test func tieredCachesConform() async throws {
        try await checkDataCachingConformance {
            TieredDataCache(local: Pocket(), shared: Pocket())
        }
    }
}

/// The data cache of the protocol's documentation.
actor Pocket: DataCaching {
    private var entries: [DataKey: DataEntry] = [:]
    var isDown = false

    func fail() { isDown = true }
    private func check() throws { if isDown { throw ImageError(.connectionFailed, message: "The store is down.") } }

    func entry(for key: DataKey) throws -> DataEntry? {
        try check()
        // The caller may pass a slice; the copy starts at index 0.
        return entries[key].map { DataEntry(data: Data(Array($0.data)), head: $0.head, storedAt: $0.storedAt) }
    }
    func store(_ entry: DataEntry, for key: DataKey) throws {
        try check()
        entries[key] = entry
    }
    func removeEntry(for key: DataKey) { entries[key] = nil }
    func removeEntries(of resource: ResourceKey) { entries = entries.filter { !$0.key.resource.hasSameSource(as: resource) } }
    func removeAll() { entries = [:] }
}

@Suite(.timeLimit(.minutes(3))) struct TieredDataCacheTests {
    @Test func aHitOfTheSharedCacheIsPromoted() async throws {
        let (local, shared) = (Pocket(), Pocket())
        try await shared.store(entry(1), for: dataKey("a"))
        let tiers = TieredDataCache(local: local, shared: shared)
        #expect(try await tiers.entry(for: dataKey("a"))?.data == content(1))
        #expect(try await local.entry(for: dataKey("a"))?.data == content(1))
    }

    @Test func thePolicyControlsWritesPromotionsAndRemovals() async throws {
        let (local, shared) = (Pocket(), Pocket())
        try await shared.store(entry(1), for: dataKey("a"))
        let tiers = TieredDataCache(
            local: local, shared: shared, policy: .init(writesShared: false, promotes: false, removesShared: false))
        #expect(try await tiers.entry(for: dataKey("a")) != nil)
        #expect(try await local.entry(for: dataKey("a")) == nil)
        try await tiers.store(entry(2), for: dataKey("b"))
        #expect(try await shared.entry(for: dataKey("b")) == nil)
        try await tiers.removeAll()
        #expect(try await local.entry(for: dataKey("b")) == nil)
        #expect(try await shared.entry(for: dataKey("a")) != nil)
    }

    @Test func aBodyThatIsTooLargeForTheSharedCacheIsStoredLocallyAndRemovesTheSharedOne() async throws {
        let (local, shared) = (Pocket(), Pocket())
        let tiers = TieredDataCache(local: local, shared: shared, policy: .init(maximumSharedBytes: 1_000))
        try await tiers.store(entry(1, count: 1_000), for: dataKey("a"))
        #expect(try await shared.entry(for: dataKey("a"))?.data == content(1, count: 1_000))
        try await tiers.store(entry(2, count: 1_001), for: dataKey("a"))
        #expect(try await local.entry(for: dataKey("a"))?.data == content(2, count: 1_001))
        #expect(try await shared.entry(for: dataKey("a")) == nil)
    }

    @Test func anOutdatedSharedEntryIsRemovedAlsoIfTheLocalCacheFails() async throws {
        let (local, shared) = (Pocket(), Pocket())
        let tiers = TieredDataCache(local: local, shared: shared, policy: .init(maximumSharedBytes: 1_000))
        try await tiers.store(entry(1, count: 1_000), for: dataKey("a"))
        await local.fail()
        await #expect(throws: ImageError.self) { try await tiers.store(entry(2, count: 1_001), for: dataKey("a")) }
        #expect(try await shared.entry(for: dataKey("a")) == nil)
    }

    @Test func anEntryOfOneTierIsServedWhileTheOtherFails() async throws {
        for isLocalDown in [false, true] {
            let (local, shared) = (Pocket(), Pocket())
            let tiers = TieredDataCache(local: local, shared: shared)
            try await tiers.store(entry(1), for: dataKey("a"))
            await (isLocalDown ? local : shared).fail()
            #expect(try await tiers.entry(for: dataKey("a"))?.data == content(1))
            await #expect(throws: ImageError.self) { try await tiers.store(entry(2), for: dataKey("b")) }
            let other = isLocalDown ? shared : local
            #expect(try await other.entry(for: dataKey("b"))?.data == content(2))
        }
    }
}
