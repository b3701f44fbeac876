/// A cache of encoded bytes and the head of the response that they came with: a directory or a remote store.
///
/// The engine calls it from its tasks, at the same time, on no actor. A call must not block its thread for long; what
/// blocks runs in a ``ThreadPool``. Each load looks up once, and each fetched original is stored once, after it was
/// decoded. When a store has returned, every later read returns the new entry; ``flush()`` waits until the entry is
/// durable.
///
/// **Cancelling**: a read may throw `CancellationError`; a store is completed.
///
/// **Errors**: an error counts as a miss or as a lost write, is reported to observers, and does not fail the load.
///
/// **Must not**: return bytes that differ from those that were stored. A damaged entry is a miss.
///
/// ```swift
/// actor Pocket: DataCaching {
///     private var entries: [DataKey: DataEntry] = [:]
///     func entry(for key: DataKey) -> DataEntry? { entries[key] }
///     func store(_ entry: DataEntry, for key: DataKey) { entries[key] = entry }
///     func removeEntry(for key: DataKey) { entries[key] = nil }
///     func removeEntries(of resource: ResourceKey) { entries = entries.filter { !$0.key.resource.hasSameSource(as: resource) } }
///     func removeAll() { entries = [:] }
/// }
/// ```
public protocol DataCaching: Sendable {
    /// Returns the entry of a key; `nil` for a miss. Counts as a use of the entry.
    func entry(for key: DataKey) async throws -> DataEntry?
    /// Stores an entry and replaces the previous one of the key.
    func store(_ entry: DataEntry, for key: DataKey) async throws
    /// Replaces the head and time of a stored entry whose body is unchanged. Calls ``store(_:for:)`` by default; a
    /// cache that can does not write the body.
    func updateEntry(_ entry: DataEntry, for key: DataKey) async throws
    /// Removes the entry of a key.
    func removeEntry(for key: DataKey) async throws
    /// Removes all entries with the source of a resource (``ResourceKey/hasSameSource(as:)``): originals, responses and
    /// processed images, for all users. Calls ``removeAll()`` by default, which keeps the promise in a cache that
    /// cannot find them.
    func removeEntries(of resource: ResourceKey) async throws
    /// Removes all entries.
    func removeAll() async throws
    /// Waits until everything that was stored is durable. Does nothing by default.
    func flush() async throws
    /// The statistics of each cache that this one consists of; none by default. Not used during loads.
    var cacheStatistics: [CacheStatistics] { get }
}

extension DataCaching {
    public var cacheStatistics: [CacheStatistics] { [] }

    public func updateEntry(_ entry: DataEntry, for key: DataKey) async throws { try await store(entry, for: key) }

    public func removeEntries(of resource: ResourceKey) async throws { try await removeAll() }

    public func flush() async throws {}
}
