public import ImageCore

extension DiskCache {
    /// The directory of a disk cache, its limits, its clock and its handler of warnings.
    public struct Configuration: Sendable {
        /// The directory, created if it is missing. The cache uses only names that begin with `images-v1` in it. The cache is
        /// off if another user owns the directory or can write to it.
        public var directory: URL
        /// The limits on bytes, entries and age.
        public var limits: Limits
        /// The current time in seconds since 1970; by default the system's clock.
        public var now: @Sendable () -> Double
        /// Called once for each kind of warning, on the cache's own thread; does nothing by default.
        public var onWarning: @Sendable (Warning) -> Void

        /// Creates a configuration.
        ///
        /// - Parameters:
        ///   - directory: where the entries are stored; ``defaultDirectory`` by default.
        ///   - limits: the limits on bytes, entries and age.
        ///   - now: the current time in seconds since 1970; by default the system's clock.
        ///   - onWarning: called once for each kind of warning, on the cache's own thread; does nothing by default.
        public init(
            directory: URL = Configuration.defaultDirectory, limits: Limits = Limits(),
            now: @escaping @Sendable () -> Double = SystemClock.secondsSince1970,
            onWarning: @escaping @Sendable (Warning) -> Void = { _ in }
        ) {
            self.directory = directory
            self.limits = limits
            self.now = now
            self.onWarning = onWarning
        }

        /// `$XDG_CACHE_HOME/calotype`, or `~/.cache/calotype` (XDG Base Directory Specification); `Library/Caches/calotype` on
        /// Apple platforms.
        public static var defaultDirectory: URL {
            SystemDirectories.caches.appending(path: "calotype", directoryHint: .isDirectory)
        }
    }

    /// The limits of a disk cache, enforced after every write.
    public struct Limits: Hashable, Sendable {
        /// The size of all files that hold entries, in bytes; 400 MB by default. The index adds about 100 bytes per entry.
        public var bytes: Int
        /// The number of entries, at most 180,000, so that the index of a directory stays below 100 MB; `nil`, the default, for
        /// the maximum.
        public var count: Int?
        /// Seconds until an entry expires after it was stored; 30 days by default.
        public var age: Double
        /// The share of a limit that is freed when it is exceeded, 0 to 1; 0.2 by default.
        public var freedShare: Double

        /// Creates limits. Negative values count as 0.
        ///
        /// - Parameters:
        ///   - bytes: the size of all files that hold entries, in bytes.
        ///   - count: the number of entries; `nil` for 180,000.
        ///   - age: seconds until an entry expires.
        ///   - freedShare: the share of a limit that is freed when it is exceeded, 0 to 1.
        public init(bytes: Int = 400_000_000, count: Int? = nil, age: Double = 30 * 86_400, freedShare: Double = 0.2) {
            self.bytes = max(0, bytes)
            self.count = count.map { max(0, $0) }
            self.age = max(0, age)
            self.freedShare = min(max(0, freedShare), 1)
        }
    }

    /// The contents of a disk cache, and counters of its operations since it was created.
    public struct Statistics: Hashable, Sendable {
        /// Lookups that found an entry.
        public var hits = 0
        /// Lookups that found no entry.
        public var misses = 0
        /// Entries stored, without ``lostStores``.
        public var stores = 0
        /// Entries that were not stored because they were too large or could not be written.
        public var lostStores = 0
        /// Entries evicted to free space.
        public var evictions = 0
        /// Entries removed because they had expired.
        public var expirations = 0
        /// Entries removed because they were damaged.
        public var damages = 0
        /// The number of entries.
        public var count = 0
        /// Bytes of the entries, including their response headers.
        public var byteCount = 0
        /// Bytes of the files that hold the entries; at most ``DiskCache/Limits/bytes``.
        public var fileByteCount = 0

        /// Creates statistics of zeros.
        public init() {}
    }

    /// The reason why the cache is off or loses entries. Loads continue without it.
    public struct Warning: Hashable, Sendable, CustomStringConvertible {
        /// What happened to the cache.
        public enum Kind: String, Hashable, Sendable {
            /// The directory cannot be used; nothing is cached.
            case unavailable
            /// The directory was removed while the cache was in use; nothing is cached from now on.
            case directoryLost
            /// Another process holds the lock of the directory. The cache is not used until the lock is free.
            case locked
            /// Entries could not be written and are lost, for example because the disk is full.
            case writeFailed
            /// Files that this cache did not write, or cannot read, were renamed; the cache starts empty.
            case setAside
        }

        /// What happened to the cache.
        public var kind: Kind
        /// A sentence that says what happened and what to do.
        public var message: String

        /// The message.
        public var description: String { message }
    }
}
