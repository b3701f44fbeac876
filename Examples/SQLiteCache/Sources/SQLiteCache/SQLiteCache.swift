import ImageCore

/// A data cache in one file of SQLite, `images.sqlite`, which several processes may share.
///
/// When it is full, it evicts the entries that were not used for the longest time. A file that is damaged, or is no
/// database of this cache, is emptied; a damaged entry is a miss.
///
/// ```swift
/// let cache = SQLiteCache(.init(directory: URL(filePath: "/var/cache/thumbnails", directoryHint: .isDirectory)))
/// ```
public final class SQLiteCache: DataCaching {
    /// Where the file of a cache is, and how much it keeps for how long.
    public struct Configuration: Sendable {
        /// The directory of the file; created if it is missing, for this user alone. No other user should write to it.
        public var directory: URL
        /// The limit for all entries, in bytes of bodies and response headers; 400 MB by default. An entry that takes
        /// more than half is not stored.
        public var maximumBytes = 400_000_000
        /// The time until an entry expires after it was stored; 30 days by default.
        public var timeToLive = Duration.seconds(30 * 86_400)
        /// The current time in seconds since 1970; by default the system's clock.
        public var now: @Sendable () -> Double = { Date().timeIntervalSince1970 }

        /// Creates a configuration with the defaults.
        public init(directory: URL) { self.directory = directory.absoluteURL }
    }

    /// SQLite blocks, and its connection serves one thread at a time.
    private let threads = ThreadPool(size: 1)
    private let table: EntryTable

    /// Creates a cache, which opens its file when it is used first.
    public init(_ configuration: Configuration) { table = EntryTable(configuration) }

    public func entry(for key: DataKey) async throws -> DataEntry? {
        try await threads.run { [table] in try table.entry(named: key.digest) }
    }

    public func store(_ entry: DataEntry, for key: DataKey) async throws {
        try await complete { try $0.store(entry, named: key.digest, body: "REPLACE") }
    }

    public func updateEntry(_ entry: DataEntry, for key: DataKey) async throws {
        try await complete { try $0.store(entry, named: key.digest, body: "IGNORE") }
    }

    public func removeEntry(for key: DataKey) async throws {
        try await complete { try $0.remove(from: key.digest, to: key.digest) }
    }

    public func removeEntries(of resource: ResourceKey) async throws {
        // Behind the prefix, names have hexadecimal digits.
        try await complete { [prefix = DataKey.digestPrefix(of: resource)] in try $0.remove(from: prefix, to: prefix + "g") }
    }

    public func removeAll() async throws { try await complete { try $0.removeAll() } }

    /// Waits until everything that was stored survives a power failure.
    public func flush() async throws { try await complete { try $0.flush() } }

    /// The counters of this instance, and the contents after its last change.
    public var cacheStatistics: [CacheStatistics] { [table.statistics.withLock { $0 }] }

    /// Completes a change although its task is cancelled: a new task is not.
    private func complete(_ change: @escaping @Sendable (EntryTable) throws -> Void) async throws {
        try await Task { [threads, table] in try await threads.run { try change(table) } }.value
    }
}
