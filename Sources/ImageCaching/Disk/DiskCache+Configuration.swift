public import ImageCore

extension DiskCache {
    /// The directory of a disk cache, its limits, its clock and its handler of warnings.
    public struct Configuration: Sendable {
        /// The directory, created if it is missing. The cache uses only the name `images-v2` in it. The cache
        /// is off if another user owns the directory or can write to it.
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
            (self.directory, self.limits, self.now, self.onWarning) = (directory, limits, now, onWarning)
        }

        /// `$XDG_CACHE_HOME/calotype`, or `~/.cache/calotype` (XDG Base Directory Specification);
        /// `Library/Caches/calotype` on Apple platforms.
        public static var defaultDirectory: URL {
            SystemDirectories.caches.appending(path: "calotype", directoryHint: .isDirectory)
        }
    }

    /// The limits of a disk cache, enforced after every write. Several processes that share a directory may together
    /// exceed a limit, each by a sixteenth, until they count the entries again.
    public struct Limits: Hashable, Sendable {
        /// The size of all files that hold entries, in bytes, at least ``minimumBytes``; 400 MB by default.
        public var maximumBytes: Int { didSet { maximumBytes = max(minimumBytes, maximumBytes) } }
        /// The least that ``maximumBytes`` can be; 10 MB by default, since a smaller cache would evict images that are
        /// still on screen. Tests set 0.
        public let minimumBytes: Int
        /// The number of entries; `nil`, the default, for any number.
        public var maximumCount: Int?
        /// The time until an entry expires after it was stored; 30 days by default.
        public var timeToLive: Duration
        /// The share of a limit that is freed when it is exceeded, 0 to 1; 0.2 by default.
        public var freedShare: Double

        /// Creates limits. Negative values count as 0.
        ///
        /// - Parameters:
        ///   - maximumBytes: the size of all files that hold entries, in bytes; raised to `minimumBytes` if it is
        ///     smaller.
        ///   - minimumBytes: the least that `maximumBytes` can be; 10 MB.
        ///   - maximumCount: the number of entries; `nil` for any number.
        ///   - timeToLive: the time until an entry expires.
        ///   - freedShare: the share of a limit that is freed when it is exceeded, 0 to 1.
        public init(
            maximumBytes: Int = 400_000_000, minimumBytes: Int = 10_000_000, maximumCount: Int? = nil,
            timeToLive: Duration = .seconds(30 * 86_400), freedShare: Double = 0.2
        ) {
            self.minimumBytes = max(0, minimumBytes)
            self.maximumBytes = max(self.minimumBytes, maximumBytes)
            self.maximumCount = maximumCount.map { max(0, $0) }
            self.timeToLive = max(.zero, timeToLive)
            self.freedShare = min(max(0, freedShare), 1)
        }

        /// ``timeToLive`` in seconds.
        var maximumAge: Double { timeToLive / .seconds(1) }

        /// Whether an entry of that time is too old. One from the future counts as new.
        func isExpired(_ written: Double, now: Double) -> Bool { now - written > maximumAge }
    }

    /// The reason why the cache is off or loses entries. Loads continue without it.
    public struct Warning: Hashable, Sendable, CustomStringConvertible {
        /// What happened to the cache.
        public enum Kind: String, Hashable, Sendable {
            /// The directory cannot be used; nothing is cached.
            case unavailable
            /// Entries could not be written and are lost, for example because the disk is full.
            case writeFailed
        }

        /// What happened to the cache.
        public var kind: Kind
        /// A sentence that says what happened and what to do.
        public var message: String

        /// The message.
        public var description: String { message }
    }
}
