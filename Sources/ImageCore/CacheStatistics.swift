/// What one cache holds, and what it did since it was made.
public struct CacheStatistics: Hashable, Sendable {
    /// Entries that left a cache, by cause.
    public struct Evictions: Hashable, Sendable {
        /// Evicted because the cache was over a limit.
        public var overLimit = 0
        /// Because they were past their age.
        public var expired = 0
        /// Trimmed on demand, or because memory ran short.
        public var trimmed = 0
        /// Removed or replaced by name, or all at once.
        public var removed = 0
        /// Found damaged.
        public var damaged = 0

        public init() {}

        public var total: Int { overLimit + expired + trimmed + removed + damaged }
    }

    /// Which cache: `memory`, `disk`, or a plug-in's own word.
    public var name: String
    public var hits = 0
    public var misses = 0
    /// Entries that were kept.
    public var stores = 0
    /// Entries that were not kept: too large, or they could not be written.
    public var refusals = 0
    public var evictions = Evictions()
    /// Entries held.
    public var count = 0
    /// Bytes held, as the cache counts them against its limit.
    public var byteCount = 0

    public init(name: String) { self.name = name }

    /// Hits among all lookups, 0 to 1; `nil` before the first.
    public var hitRatio: Double? { hits + misses == 0 ? nil : Double(hits) / Double(hits + misses) }
}
