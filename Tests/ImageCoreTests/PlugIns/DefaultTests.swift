import CalotypeTesting
import HTTPTypes
import ImageCore
import Testing

/// What the engine may call although a plug-in does not implement it.
@Suite struct PlugInDefaults {
    private final class SmallDataCache: DataCaching {
        let entries = Lock<[DataKey: DataEntry]>([:])

        func entry(for key: DataKey) -> DataEntry? { entries.withLock { $0[key] } }
        func store(_ entry: DataEntry, for key: DataKey) { entries.withLock { $0[key] = entry } }
        func removeEntry(for key: DataKey) { entries.withLock { $0[key] = nil } }
        func removeAll() { entries.withLock { $0 = [:] } }
    }

    private final class SmallMemoryCache: Caching {
        let images = Lock<[ImageKey: DecodedImage]>([:])

        func image(for key: ImageKey) -> DecodedImage? { images.withLock { $0[key] } }
        func store(_ image: DecodedImage, for key: ImageKey, priority: CachePriority) { images.withLock { $0[key] = image } }
        func removeImage(for key: ImageKey) { images.withLock { $0[key] = nil } }
        func removeAll() { images.withLock { $0 = [:] } }
    }

    private final class SmallStore: ClearableStore {
        let isEmpty = Lock(false)

        func removeAll() { isEmpty.withLock { $0 = true } }
    }

    private let resource = ResourceKey("https://example.org/a")

    @Test func anUpdateOfADataCacheStoresTheEntry() async throws {
        let cache: any DataCaching = SmallDataCache()
        let key = DataKey(resource: resource)
        try await cache.store(DataEntry(data: Data([1]), storedAt: 1), for: key)
        let head = HTTPResponse(status: .ok, headerFields: [.eTag: "\"b\""])
        try await cache.updateEntry(DataEntry(data: Data([1]), head: head, storedAt: 2), for: key)
        let entry = try #require(try await cache.entry(for: key))
        #expect(entry.head == head && entry.storedAt == 2 && entry.data == Data([1]))
    }

    @Test func removingOneSourceFromACacheThatCannotFindItRemovesAll() async throws {
        let (data, memory, store) = (SmallDataCache(), SmallMemoryCache(), SmallStore())
        data.store(DataEntry(data: Data(), storedAt: 1), for: DataKey(resource: resource))
        memory.store(try TestImages.solid(), for: ImageKey(resource: resource), priority: .normal)
        try await data.removeEntries(of: resource)
        memory.removeImages(of: resource)
        await store.removeEntries(of: resource)
        #expect(data.entries.withLock { $0.isEmpty } && memory.images.withLock { $0.isEmpty } && store.isEmpty.withLock { $0 })
    }

    @Test func aMemoryCacheIsPeekedByALookup() throws {
        let memory = SmallMemoryCache()
        let key = ImageKey(resource: resource)
        #expect(memory.peekImage(for: key) == nil)
        memory.store(try TestImages.solid(red: 3), for: key, priority: .normal)
        #expect(memory.peekImage(for: key).map { TestImages.pixel(of: $0, x: 0, y: 0)[0] } == 3)
        #expect(memory.variants(of: resource).isEmpty && memory.cacheStatistics.isEmpty)
    }
}
