extension MemoryCache {
    /// The contents of a memory cache, and counters of its operations since it was created.
    public struct Statistics: Hashable, Sendable {
        /// Lookups that found an image.
        public var hits = 0
        /// Lookups that found no image.
        public var misses = 0
        /// Images that were stored.
        public var insertions = 0
        /// Images that were not stored: they exceed the limit for one entry, or entries of high priority take all the space.
        public var refusals = 0
        /// Entries that were removed, by cause.
        public var evictions = Evictions()
        /// The bytes of all entries, ``MemoryCache/entryOverhead`` included.
        public var cost = 0
        /// The number of entries.
        public var count = 0

        public init() {}

        /// The share of lookups that were hits, 0 to 1; `nil` before the first lookup.
        public var hitRatio: Double? {
            hits + misses == 0 ? nil : Double(hits) / Double(hits + misses)
        }
    }

    /// The numbers of entries that were removed from a memory cache, by cause.
    public struct Evictions: Hashable, Sendable {
        /// Evicted to free space for other entries.
        public var room = 0
        /// Expired.
        public var expired = 0
        /// Trimmed by a call or by memory pressure.
        public var trimmed = 0
        /// Removed by a call, or replaced.
        public var removed = 0

        public init() {}

        subscript(cause: EvictionCause) -> Int {
            get {
                switch cause {
                case .room: room
                case .expired: expired
                case .trim: trimmed
                case .removed: removed
                }
            }
            set {
                switch cause {
                case .room: room = newValue
                case .expired: expired = newValue
                case .trim: trimmed = newValue
                case .removed: removed = newValue
                }
            }
        }
    }

    enum EvictionCause: Sendable {
        case room, expired, trim, removed
    }
}
