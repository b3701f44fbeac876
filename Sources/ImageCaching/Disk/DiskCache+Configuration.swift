public import ImageCore

extension DiskCache {
    /// Where a disk cache lies, its bounds, and what it takes from its surroundings.
    public struct Configuration: Sendable {
        /// The directory, made when it is missing. The cache keeps to two names in it and leaves all others alone.
        /// The cache is off where another user owns it or can write to it.
        public var directory: URL
        public var limits: Limits
        /// Seconds since 1970; by default the system's clock.
        public var now: @Sendable () -> Double
        /// Told, once for each kind, that the cache is off, or that writes are being lost. Called on the cache's own thread.
        public var onWarning: @Sendable (Warning) -> Void

        /// - Parameters:
        ///   - directory: by default ``defaultDirectory``.
        ///   - onWarning: by default the warning is not told to anyone.
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

        /// `$XDG_CACHE_HOME/calotype`, or `~/.cache/calotype` (XDG Base Directory Specification); `Caches/calotype` of the
        /// user's library on Apple platforms.
        public static var defaultDirectory: URL {
            SystemDirectories.caches.appending(path: "calotype", directoryHint: .isDirectory)
        }
    }

    /// The bounds of a disk cache, kept on every write.
    public struct Limits: Hashable, Sendable {
        /// Bytes of all files that hold entries; 400 MB by default. Their index comes on top, about 100 bytes an entry.
        public var bytes: Int
        /// Entries; `nil`, the default, and larger numbers mean 180,000, so that the index of any directory stays below 100 MB.
        public var count: Int?
        /// Seconds after which an entry is gone, counted from when it was stored; 30 days by default.
        public var age: Double
        /// The share of the room that is freed when a limit is passed, 0 to 1; 0.2 by default.
        public var freedShare: Double

        public init(bytes: Int = 400_000_000, count: Int? = nil, age: Double = 30 * 86_400, freedShare: Double = 0.2) {
            self.bytes = max(0, bytes)
            self.count = count.map { max(0, $0) }
            self.age = max(0, age)
            self.freedShare = min(max(0, freedShare), 1)
        }
    }

    /// What a disk cache holds, and what it did since it was made.
    public struct Statistics: Hashable, Sendable {
        public var hits = 0
        public var misses = 0
        /// Entries stored, lost ones left out.
        public var stores = 0
        /// Entries that could not be written, or were too large.
        public var lostStores = 0
        /// Entries evicted to make room.
        public var evictions = 0
        /// Entries that were past their age.
        public var expirations = 0
        /// Entries that were found damaged and removed.
        public var damages = 0
        /// Entries held.
        public var count = 0
        /// Bytes of the entries held, with their heads.
        public var byteCount = 0
        /// Bytes of the files that hold them; at most the limit.
        public var fileByteCount = 0

        public init() {}
    }

    /// Why the cache does less than it should. Loads go on without it.
    public struct Warning: Hashable, Sendable, CustomStringConvertible {
        public enum Kind: String, Hashable, Sendable {
            /// The directory cannot be used; nothing is cached.
            case unavailable
            /// The directory went away; nothing is cached from now on.
            case directoryLost
            /// Another process holds the directory's lock. Loads go on without the cache until it lets go.
            case locked
            /// What was stored could not be written and is lost: no room, no permission.
            case writeFailed
            /// Files that this cache did not write, or cannot read, were moved aside; it began anew.
            case setAside
        }

        public var kind: Kind
        /// A sentence: what happened to what, and what to do.
        public var message: String

        public var description: String { message }
    }
}
