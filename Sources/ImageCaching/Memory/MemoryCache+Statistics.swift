extension MemoryCache {
    /// What a memory cache holds, and what it did since it was made.
    public struct Statistics: Hashable, Sendable {
        public var hits = 0
        public var misses = 0
        /// Images that were kept.
        public var insertions = 0
        /// Images that were not kept: they cost more than one entry may, or entries of high priority take all the room.
        public var refusals = 0
        /// Entries that left, by cause.
        public var evictions = Evictions()
        /// Bytes of the entries held, ``MemoryCache/entryOverhead`` included.
        public var cost = 0
        /// Entries held.
        public var count = 0

        public init() {}

        /// Hits among all lookups, 0 to 1; `nil` before the first.
        public var hitRatio: Double? {
            hits + misses == 0 ? nil : Double(hits) / Double(hits + misses)
        }
    }

    /// Numbers of entries that left a memory cache, by cause.
    public struct Evictions: Hashable, Sendable {
        /// Evicted because the cache was over a limit.
        public var overLimit = 0
        /// Because their time to live was over.
        public var expired = 0
        /// Trimmed on demand, or because memory ran short.
        public var trimmed = 0
        /// Removed or replaced by name, or all at once.
        public var removed = 0

        public init() {}

        subscript(cause: EvictionCause) -> Int {
            get {
                switch cause {
                case .overLimit: overLimit
                case .expired: expired
                case .trim: trimmed
                case .removed: removed
                }
            }
            set {
                switch cause {
                case .overLimit: overLimit = newValue
                case .expired: expired = newValue
                case .trim: trimmed = newValue
                case .removed: removed = newValue
                }
            }
        }
    }

    enum EvictionCause: Sendable {
        case overLimit, expired, trim, removed
    }
}
