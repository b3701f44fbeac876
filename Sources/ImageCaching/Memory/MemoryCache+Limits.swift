internal import ImageCore

extension MemoryCache {
    /// The bounds of a memory cache. All of them hold after every insert.
    public struct Limits: Hashable, Sendable {
        /// Bytes of all entries together, ``MemoryCache/entryOverhead`` included. By default a fifth of the memory that the process
        /// may use (``availableMemory``), at least 10 MB and at most 512 MB.
        public var cost: Int
        /// Entries; `nil`, the default, for any number.
        public var count: Int?
        /// Bytes of one entry, ``MemoryCache/entryOverhead`` included; a larger image is not kept. `nil`, the default, for up to
        /// ``cost``.
        public var entryCost: Int?
        /// Seconds that an entry is kept at most, unless it was stored with a time of its own; `nil`, the default, for no end.
        public var timeToLive: Double?

        public init(
            cost: Int = Limits.defaultCost(available: MemoryCache.availableMemory), count: Int? = nil, entryCost: Int? = nil,
            timeToLive: Double? = nil
        ) {
            self.cost = max(0, cost)
            self.count = count.map { max(0, $0) }
            self.timeToLive = timeToLive
            self.entryCost = entryCost.map { max(0, $0) }
        }

        /// The default of ``cost`` on a machine that leaves `available` bytes to the process.
        public static func defaultCost(available: Int) -> Int {
            min(max(available / 5, 10_000_000), 512_000_000)
        }
    }

    /// The memory that the process may use, in bytes: the machine's, or less where its limits say so (on Linux those of
    /// its control groups and of `setrlimit`). Looked up once.
    public static let availableMemory = AvailableMemory.current()
}
