internal import ImageCore

extension MemoryCache {
    /// The limits of a memory cache. All of them hold after every insert.
    public struct Limits: Hashable, Sendable {
        /// The bytes of all entries, ``MemoryCache/entryOverhead`` included. By default a fifth of the memory that the process may use
        /// (``availableMemory``), at least 10 MB and at most 512 MB.
        public var cost: Int
        /// The number of entries; `nil`, the default, for no limit.
        public var count: Int?
        /// The bytes of one entry, ``MemoryCache/entryOverhead`` included; larger images are not stored. `nil`, the default, for no
        /// limit but ``cost``.
        public var entryCost: Int?
        /// Seconds until an entry expires, unless it is stored with its own time to live; `nil`, the default, for never.
        public var timeToLive: Double?

        /// Creates limits. Negative costs and counts are treated as 0.
        ///
        /// - Parameters:
        ///   - cost: the bytes of all entries.
        ///   - count: the number of entries; `nil` for no limit.
        ///   - entryCost: the bytes of one entry; `nil` for no limit but `cost`.
        ///   - timeToLive: seconds until an entry expires; `nil` for never.
        public init(
            cost: Int = Limits.defaultCost(available: MemoryCache.availableMemory), count: Int? = nil, entryCost: Int? = nil,
            timeToLive: Double? = nil
        ) {
            self.cost = max(0, cost)
            self.count = count.map { max(0, $0) }
            self.timeToLive = timeToLive
            self.entryCost = entryCost.map { max(0, $0) }
        }

        /// The default of ``cost`` for a process that may use `available` bytes of memory.
        public static func defaultCost(available: Int) -> Int {
            min(max(available / 5, 10_000_000), 512_000_000)
        }
    }

    /// The memory that the process may use, in bytes: the physical memory, or less if limits are set (on Linux by control groups
    /// or `setrlimit`). Determined once.
    public static let availableMemory = AvailableMemory.current()
}
