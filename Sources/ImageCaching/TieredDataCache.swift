public import ImageCore

/// A near cache in front of a shared one: a local directory before a remote store, say.
///
/// Reads ask the local cache first. What only the shared one has is copied to the local one, unless the policy says
/// otherwise. A failing shared cache costs hits, never an answer that the local one has.
///
/// ```swift
/// func tiers(over companyStore: any DataCaching) -> TieredDataCache {
///     TieredDataCache(local: DiskCache(), shared: companyStore, policy: .init(writesShared: false))
/// }
/// ```
public struct TieredDataCache: DataCaching {
    /// What goes where.
    public struct Policy: Hashable, Sendable {
        /// Whether stores go to the shared cache too; `true`.
        public var writesShared: Bool
        /// Whether a hit of the shared cache is stored in the local one; `true`.
        public var promotes: Bool
        /// Whether removals reach the shared cache; `false`, since others use it too.
        public var removesShared: Bool
        /// Bytes of the largest body that is stored in the shared cache; `nil`, the default, for any.
        public var largestShared: Int?

        public init(
            writesShared: Bool = true, promotes: Bool = true, removesShared: Bool = false, largestShared: Int? = nil
        ) {
            self.writesShared = writesShared
            self.largestShared = largestShared
            self.promotes = promotes
            self.removesShared = removesShared
        }
    }

    private let local: any DataCaching
    private let shared: any DataCaching
    private let policy: Policy

    public init(local: any DataCaching, shared: any DataCaching, policy: Policy = Policy()) {
        self.local = local
        self.shared = shared
        self.policy = policy
    }

    /// The local entry, or the shared one. Throws where neither has it and one of them failed.
    public func entry(for key: DataKey) async throws -> DataEntry? {
        let near: Result<DataEntry?, any Error>
        do { near = .success(try await local.entry(for: key)) } catch { near = .failure(error) }
        if case .success(let entry?) = near { return entry }
        if case .failure(let error as CancellationError) = near { throw error }
        guard let entry = try await shared.entry(for: key) else { return try near.get() }
        // A promotion that fails is tried again with the next hit.
        if policy.promotes { try? await local.store(entry, for: key) }
        return entry
    }

    /// The local cache's, then the shared one's.
    public var cacheStatistics: [CacheStatistics] { local.cacheStatistics + shared.cacheStatistics }

    /// The local entry as the local cache streams it, or the shared one.
    public func stream(for key: DataKey) async throws -> DataEntryStream? {
        do {
            if let near = try await local.stream(for: key) { return near }
        } catch let error as CancellationError {
            throw error
        } catch {
            // The shared one may have it; if not, asking again tells what is wrong.
        }
        return try await entry(for: key).map { DataEntryStream(body: ByteStream($0.data), head: $0.head, storedAt: $0.storedAt) }
    }

    /// Stores in both; throws the first failure after both were tried. A body that is too large for the shared cache is
    /// stored in the local one, and what the shared one had is removed.
    public func store(_ entry: DataEntry, for key: DataKey) async throws {
        let fits = entry.data.count <= policy.largestShared ?? .max
        try await inBoth(reachesShared: policy.writesShared && fits) { try await $0.store(entry, for: key) }
        if policy.writesShared, !fits { try await shared.removeEntry(for: key) }
    }

    public func removeEntry(for key: DataKey) async throws {
        try await inBoth(reachesShared: policy.removesShared) { try await $0.removeEntry(for: key) }
    }

    public func removeAll() async throws {
        try await inBoth(reachesShared: policy.removesShared) { try await $0.removeAll() }
    }

    public func flush() async throws {
        try await inBoth(reachesShared: policy.writesShared) { try await $0.flush() }
    }

    private func inBoth(reachesShared: Bool, _ body: (any DataCaching) async throws -> Void) async throws {
        var failure: (any Error)?
        do { try await body(local) } catch { failure = error }
        if reachesShared { try await body(shared) }
        if let failure { throw failure }
    }
}
