public import ImageCore

/// A local cache in front of a shared one, for example a directory before a remote store.
///
/// Lookups read the local cache first. An entry that only the shared cache has is copied to the local one, unless the
/// policy forbids it. A failing shared cache costs hits, and never an entry that the local one has.
///
/// ```swift
/// func tiers(over companyStore: any DataCaching) -> TieredDataCache {
///     TieredDataCache(local: DiskCache(), shared: companyStore, policy: .init(writesShared: false))
/// }
/// ```
public struct TieredDataCache: DataCaching {
    /// Which operations reach the shared cache.
    public struct Policy: Hashable, Sendable {
        /// Whether entries are stored in the shared cache, too; `true` by default.
        public var writesShared: Bool
        /// Whether a hit of the shared cache is stored in the local one; `true` by default.
        public var promotes: Bool
        /// Whether entries are removed from the shared cache, too; `true` by default. With `false`, clearing leaves
        /// entries that later loads find again: set it only if other programs must keep theirs.
        public var removesShared: Bool
        /// The maximum size of a body in the shared cache, in bytes; `nil`, the default, for no limit.
        public var maximumSharedBytes: Int?

        /// Creates a policy.
        ///
        /// - Parameters:
        ///   - writesShared: whether entries are stored in the shared cache, too.
        ///   - promotes: whether a hit of the shared cache is stored in the local one.
        ///   - removesShared: whether entries are removed from the shared cache, too.
        ///   - maximumSharedBytes: the maximum size of a body in the shared cache, in bytes; `nil` for no limit.
        public init(
            writesShared: Bool = true, promotes: Bool = true, removesShared: Bool = true, maximumSharedBytes: Int? = nil
        ) {
            self.writesShared = writesShared
            (self.maximumSharedBytes, self.promotes, self.removesShared) = (maximumSharedBytes, promotes, removesShared)
        }
    }

    private let local: any DataCaching
    private let shared: any DataCaching
    private let policy: Policy

    /// Creates a cache of two tiers.
    ///
    /// - Parameters:
    ///   - local: the cache that is read first.
    ///   - shared: the cache that is read if the local one has no entry.
    ///   - policy: which operations reach the shared cache.
    public init(local: any DataCaching, shared: any DataCaching, policy: Policy = Policy()) {
        (self.local, self.shared, self.policy) = (local, shared, policy)
    }

    /// The local entry, or else the shared one. Throws if neither cache has the entry and one of them failed.
    public func entry(for key: DataKey) async throws -> DataEntry? {
        let near: Result<DataEntry?, any Error>
        do { near = .success(try await local.entry(for: key)) } catch { near = .failure(error) }
        if case .success(let entry?) = near { return entry }
        if case .failure(let error) = near, Task.isCancelled { throw error }
        guard let entry = try await shared.entry(for: key) else { return try near.get() }
        // The next hit repeats a failed promotion.
        if policy.promotes { try? await local.store(entry, for: key) }
        return entry
    }

    /// The statistics of the local cache, then those of the shared one.
    public var cacheStatistics: [CacheStatistics] { local.cacheStatistics + shared.cacheStatistics }

    /// Stores in both caches; throws the first failure after both stores. A body that is too large for the shared cache
    /// is stored in the local one, and the outdated entry of the shared one is removed.
    public func store(_ entry: DataEntry, for key: DataKey) async throws {
        try await write(entry, for: key) { cache in try await cache.store(entry, for: key) }
    }

    /// Updates in both caches; see ``store(_:for:)``.
    public func updateEntry(_ entry: DataEntry, for key: DataKey) async throws {
        try await write(entry, for: key) { cache in try await cache.updateEntry(entry, for: key) }
    }

    private func write(_ entry: DataEntry, for key: DataKey, _ body: (any DataCaching) async throws -> Void) async throws {
        let fits = entry.data.count <= policy.maximumSharedBytes ?? .max
        try await inBoth(reachesShared: policy.writesShared) { cache, isShared in
            if isShared, !fits { try await cache.removeEntry(for: key) } else { try await body(cache) }
        }
    }

    public func removeEntry(for key: DataKey) async throws {
        try await inBoth(reachesShared: policy.removesShared) { cache, _ in try await cache.removeEntry(for: key) }
    }

    public func removeEntries(of resource: ResourceKey) async throws {
        try await inBoth(reachesShared: policy.removesShared) { cache, _ in try await cache.removeEntries(of: resource) }
    }

    public func removeAll() async throws {
        try await inBoth(reachesShared: policy.removesShared) { cache, _ in try await cache.removeAll() }
    }

    public func flush() async throws {
        try await inBoth(reachesShared: policy.writesShared) { cache, _ in try await cache.flush() }
    }

    private func inBoth(
        reachesShared: Bool, _ body: (_ cache: any DataCaching, _ isShared: Bool) async throws -> Void
    ) async throws {
        var failure: (any Error)?
        do { try await body(local, false) } catch { failure = error }
        if reachesShared { try await body(shared, true) }
        if let failure { throw failure }
    }
}
