import CalotypeTesting
import Foundation
import ImageCaching
import ImageCore

/// The built-in memory cache with changes.
private protocol Altered: Caching {
    var base: MemoryCache { get }
}

extension Altered {
    func image(for key: ImageKey) -> DecodedImage? { base.image(for: key) }
    func peekImage(for key: ImageKey) -> DecodedImage? { base.peekImage(for: key) }
    func variants(of resource: ResourceKey) -> [CachedVariant] { base.variants(of: resource) }
    func store(_ image: DecodedImage, for key: ImageKey, priority: CachePriority) {
        base.store(image, for: key, priority: priority)
    }
    func removeImage(for key: ImageKey) { base.removeImage(for: key) }
    func removeImages(of resource: ResourceKey) { base.removeImages(of: resource) }
    func removeAll() { base.removeAll() }
    var cacheStatistics: [CacheStatistics] { base.cacheStatistics }
}

private func makeCache() -> MemoryCache {
    MemoryCache(limits: .init(maximumBytes: 200 * (64 + MemoryCache.entryOverhead)), respondsToPressure: false)
}

private func proof(_ rule: String, _ what: String, _ make: @escaping @Sendable () -> any Caching) -> Proof {
    Proof("Caching.\(rule)", what) { try await checkCachingConformance(limit: .seconds(5), make) }
}

private final class Forgetful: Altered {
    let base = makeCache()
    func store(_ image: DecodedImage, for key: ImageKey, priority: CachePriority) {}
}
private final class Blurred: Altered {
    let base = makeCache()
    private func plain(_ key: ImageKey) -> ImageKey { ImageKey(resource: key.resource) }
    func image(for key: ImageKey) -> DecodedImage? { base.image(for: plain(key)) }
    func store(_ image: DecodedImage, for key: ImageKey, priority: CachePriority) {
        base.store(image, for: plain(key), priority: priority)
    }
}
private final class EqualKeysOnly: Altered {
    let base = makeCache()
    func removeImages(of resource: ResourceKey) { base.removeImage(for: ImageKey(resource: resource)) }
}
private final class KeepingStale: Altered {
    let base = makeCache()
    func store(_ image: DecodedImage, for key: ImageKey, priority: CachePriority) {
        if image.cost < 10_000 { base.store(image, for: key, priority: priority) }
    }
}
private final class BlindPeeks: Altered {
    let base = makeCache()
    func peekImage(for key: ImageKey) -> DecodedImage? { nil }
}
private final class CountingPeeks: Altered {
    let base = makeCache()
    func peekImage(for key: ImageKey) -> DecodedImage? { base.image(for: key) }
}
/// Peeks count as uses, and there are no statistics that show it.
private final class UsingPeeks: Altered {
    let base = makeCache()
    func peekImage(for key: ImageKey) -> DecodedImage? { base.image(for: key) }
    var cacheStatistics: [CacheStatistics] { [] }
}
private final class AllVariants: Altered {
    let base = makeCache()
    private let keys = Lock<Set<ImageKey>>([])
    func store(_ image: DecodedImage, for key: ImageKey, priority: CachePriority) {
        keys.withLock { _ = $0.insert(key) }
        base.store(image, for: key, priority: priority)
    }
    func variants(of resource: ResourceKey) -> [CachedVariant] {
        keys.withLock { $0 }.compactMap { key in base.peekImage(for: key).map { CachedVariant(key: key, image: $0) } }
    }
}
private final class Slow: Altered {
    let base = makeCache()
    func image(for key: ImageKey) -> DecodedImage? {
        let end = ContinuousClock.now + .microseconds(300)
        while ContinuousClock.now < end {}
        return base.image(for: key)
    }
}
private final class SamePriority: Altered {
    let base = makeCache()
    func store(_ image: DecodedImage, for key: ImageKey, priority: CachePriority) {
        base.store(image, for: key, priority: .normal)
    }
}
private final class Drifting: Altered {
    let base = makeCache()
    private let removals = Lock(0)
    func removeImage(for key: ImageKey) {
        removals.withLock { $0 += 1 }
        base.removeImage(for: key)
    }
    var cacheStatistics: [CacheStatistics] {
        base.cacheStatistics.map {
            var copy = $0; copy.count += removals.withLock { $0 } / 8; return copy
        }
    }
}
/// Returns the image of another key when several tasks use it.
private final class Racing: Altered {
    let base = makeCache()
    private let last = Lock<ImageKey?>(nil)
    func image(for key: ImageKey) -> DecodedImage? {
        last.withLock { $0 = key }
        // Asleep, so that other threads get the processor.
        Thread.sleep(forTimeInterval: 0.000_02)
        return base.image(for: last.withLock { $0 } ?? key)
    }
}
/// After a source was removed, its next image is not stored.
private final class Sulking: Altered {
    let base = makeCache()
    private let removed = Lock<ResourceKey?>(nil)
    func removeImages(of resource: ResourceKey) {
        removed.withLock { $0 = resource }
        base.removeImages(of: resource)
    }
    func store(_ image: DecodedImage, for key: ImageKey, priority: CachePriority) {
        if removed.withLock({ $0 == key.resource ? $0.take() != nil : false }) { return }
        base.store(image, for: key, priority: priority)
    }
}

let cachingProofs = [
    proof("storesImages", "nothing is stored") { Forgetful() },
    proof("separatesKeys", "the processing is ignored") { Blurred() },
    proof("removesImages", "removeImages(of:) removes the equal key only") { EqualKeysOnly() },
    proof("forgetsReplacedImages", "a stale image stays after a refused store") { KeepingStale() },
    proof("peeks", "peekImage finds nothing") { BlindPeeks() },
    proof("peeks", "peekImage counts a hit") { CountingPeeks() },
    proof("peeks", "peekImage counts as a use") { UsingPeeks() },
    proof("listsVariants", "variants of all resources") { AllVariants() },
    proof("looksUpQuickly", "a lookup waits") { Slow() },
    proof("respectsPriority", "the priority is ignored") { SamePriority() },
    proof("respectsLimits", "no limit") { LoggedMemoryCache() },
    proof("countsEntries", "the count drifts") { Drifting() },
    proof("worksForSeveralTasks", "tasks share a key") { Racing() },
    proof("followsPrograms", "an image after a removed source is lost") { Sulking() },
]

// MARK: Data caches

/// The data cache of the protocol's documentation, with changes.
private actor AlteredData: DataCaching {
    enum Fault {
        case none, ignoresVariants, forgets, keepsVariants, mergesFields, losesTime, losesEmptyBodies, keepsOldHead
        case stopsWhenCancelled, returnsDamage, miscounts, mixesUp, forgetsAfterRemoval
    }
    private var entries: [DataKey: DataEntry] = [:]
    private var removed: ResourceKey?
    private var lastKey: DataKey?
    private let fault: Fault
    private let counter = Lock(0)

    init(_ fault: Fault) { self.fault = fault }

    private func changed(_ key: DataKey) -> DataKey { fault == .ignoresVariants ? DataKey(resource: key.resource) : key }

    func damage() {
        for (key, entry) in entries {
            entries[key] = fault == .returnsDamage ? DataEntry(data: Data(entry.data.map { ~$0 }), storedAt: entry.storedAt) : nil
        }
    }

    func entry(for key: DataKey) async throws -> DataEntry? {
        if fault == .mixesUp {
            lastKey = key
            await Task.yield()
        }
        guard let entry = entries[changed(lastKey ?? key)] else { return nil }
        if fault == .losesEmptyBodies, entry.data.isEmpty { return nil }
        return entry
    }
    func store(_ entry: DataEntry, for key: DataKey) throws {
        if fault == .stopsWhenCancelled { try Task.checkCancellation() }
        if fault == .forgets { return }
        if fault == .forgetsAfterRemoval, removed?.hasSameSource(as: key.resource) == true {
            removed = nil
            return
        }
        var entry = entry
        if fault == .losesTime { entry.storedAt.round() }
        if fault == .mergesFields {
            var merged = HTTPFields()
            for field in entry.head.headerFields { merged[field.name] = entry.head.headerFields[field.name] }
            entry.head.headerFields = merged
        }
        entries[changed(key)] = entry
        counter.withLock { [count = entries.count] in $0 = count }
    }
    func updateEntry(_ entry: DataEntry, for key: DataKey) throws { if fault != .keepsOldHead { entries[key] = entry } }
    func removeEntry(for key: DataKey) {
        entries[changed(key)] = nil
        if fault != .miscounts { counter.withLock { [count = entries.count] in $0 = count } }
    }
    func removeEntries(of resource: ResourceKey) {
        removed = resource
        entries = entries.filter {
            fault == .keepsVariants ? $0.key != DataKey(resource: resource) : !$0.key.resource.hasSameSource(as: resource)
        }
        counter.withLock { [count = entries.count] in $0 = count }
    }
    func removeAll() {
        entries = [:]
        counter.withLock { $0 = 0 }
    }
    nonisolated var cacheStatistics: [CacheStatistics] {
        var statistics = CacheStatistics(name: "altered")
        statistics.count = counter.withLock { $0 }
        return [statistics]
    }
}

private func data(_ rule: String, _ what: String, _ fault: AlteredData.Fault) -> Proof {
    Proof("DataCaching.\(rule)", what) {
        try await checkDataCachingConformance(
            maximumBytes: 1_000_000, damage: { await ($0 as? AlteredData)?.damage() }, limit: .seconds(10)
        ) { AlteredData(fault) }
    }
}

let dataCachingProofs = [
    data("storesEntries", "nothing is stored", .forgets),
    data("separatesKeys", "the processing is ignored", .ignoresVariants),
    data("removesEntries", "variants of a source stay", .keepsVariants),
    data("keepsHeads", "two fields of one name are merged", .mergesFields),
    data("keepsHeads", "the time is rounded", .losesTime),
    data("keepsBodies", "an empty body is a miss", .losesEmptyBodies),
    data("updatesHeads", "the old head stays", .keepsOldHead),
    data("completesStores", "a store stops when its task is cancelled", .stopsWhenCancelled),
    data("dropsDamagedEntries", "damaged bytes are returned", .returnsDamage),
    data("respectsLimits", "no limit", .none),
    data("countsEntries", "removals are not counted", .miscounts),
    data("worksForSeveralTasks", "tasks share a key", .mixesUp),
    data("followsPrograms", "an entry after a removed source is lost", .forgetsAfterRemoval),
]
