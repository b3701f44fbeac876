/// What a cache contains, and what it did since it was created.
public struct CacheStatistics: Hashable, Sendable {
    /// The number of entries that left a cache, by cause.
    public struct Evictions: Hashable, Sendable {
        /// Evicted because the cache was over a limit.
        public var overLimit = 0
        /// Removed because they were older than the maximum age.
        public var expired = 0
        /// Removed by a trim, or because memory ran low.
        public var trimmed = 0
        /// Removed or replaced by key, or removed with all others.
        public var removed = 0
        /// Removed because they were damaged.
        public var damaged = 0

        /// Creates counts of zero.
        public init() {}

        /// The number of entries that left, for any cause.
        public var total: Int { overLimit + expired + trimmed + removed + damaged }
    }

    /// The kind of cache: `memory`, `disk`, or a name that a plug-in chose.
    public var name: String
    /// Lookups that found an entry.
    public var hits = 0
    /// Lookups that found no entry.
    public var misses = 0
    /// Entries that were stored.
    public var stores = 0
    /// Entries that were not stored because they were too large or could not be written.
    public var refusals = 0
    /// Operations that failed, such as commands that a remote store did not answer.
    public var failures = 0
    /// Entries that left the cache.
    public var evictions = Evictions()
    /// The number of entries in the cache.
    public var count = 0
    /// The size of the entries in bytes, as the cache counts them against its limit.
    public var byteCount = 0
    /// The size of the files that hold the entries, in bytes; 0 for a cache without files.
    public var fileByteCount = 0

    /// Creates statistics of zero for a cache.
    public init(name: String) { self.name = name }

    /// The share of lookups that were hits, from 0 to 1; `nil` before the first lookup.
    public var hitRatio: Double? { hits + misses == 0 ? nil : Double(hits) / Double(hits + misses) }
}
