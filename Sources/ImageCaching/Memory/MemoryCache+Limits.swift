internal import CalotypeSystem
internal import ImageCore

extension MemoryCache {
    /// The limits of a memory cache. All of them hold after every insert.
    public struct Limits: Hashable, Sendable {
        /// The bytes of all entries, ``MemoryCache/entryOverhead`` included. By default a fifth of the memory that the
        /// process may use (``availableMemory``), at least 10 MB and at most 512 MB.
        public var maximumBytes: Int
        /// The number of entries; `nil`, the default, for no limit.
        public var maximumCount: Int?
        /// The bytes of one entry, ``MemoryCache/entryOverhead`` included; larger images are not stored. `nil`, the
        /// default, for no limit but ``maximumBytes``.
        public var maximumEntryBytes: Int?
        /// The time until an entry expires, unless it is stored with its own time to live; `nil`, the default, for
        /// never.
        public var timeToLive: Duration?

        /// Creates limits. Negative sizes and counts are treated as 0.
        ///
        /// - Parameters:
        ///   - maximumBytes: the bytes of all entries.
        ///   - maximumCount: the number of entries; `nil` for no limit.
        ///   - maximumEntryBytes: the bytes of one entry; `nil` for no limit but `maximumBytes`.
        ///   - timeToLive: the time until an entry expires; `nil` for never.
        public init(
            maximumBytes: Int = Limits.defaultBytes(available: MemoryCache.availableMemory), maximumCount: Int? = nil,
            maximumEntryBytes: Int? = nil, timeToLive: Duration? = nil
        ) {
            self.maximumBytes = max(0, maximumBytes)
            self.maximumCount = maximumCount.map { max(0, $0) }
            self.timeToLive = timeToLive
            self.maximumEntryBytes = maximumEntryBytes.map { max(0, $0) }
        }

        /// The default of ``maximumBytes`` for a process that may use `available` bytes of memory.
        public static func defaultBytes(available: Int) -> Int {
            min(max(available / 5, 10_000_000), 512_000_000)
        }
    }

    /// The memory that the process may use, in bytes: the physical memory, or less if limits are set (on Linux by
    /// control groups or `setrlimit`). Determined once.
    public static let availableMemory = AvailableMemory.current()
}
