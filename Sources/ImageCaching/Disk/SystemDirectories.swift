internal import ImageCore

internal import CalotypeSystem

/// The standard directories of the system.
enum SystemDirectories {
    static var caches: URL {
        #if canImport(Darwin)
            return URL.cachesDirectory
        #else
            return caches(environment: variable)
        #endif
    }

    /// The cache directory of the XDG Base Directory Specification, which ignores relative paths. Without a home
    /// directory, a directory of this user among the temporary files.
    static func caches(environment: (String) -> String?) -> URL {
        if let path = environment("XDG_CACHE_HOME"), path.hasPrefix("/") {
            return URL(filePath: path, directoryHint: .isDirectory)
        }
        if let home = environment("HOME"), home.hasPrefix("/") {
            return URL(filePath: home + "/.cache", directoryHint: .isDirectory)
        }
        return FileManager.default.temporaryDirectory.appending(path: "cache-\(getuid())", directoryHint: .isDirectory)
    }

    private static func variable(_ name: String) -> String? {
        guard let value = unsafe getenv(name) else { return nil }
        return unsafe String(cString: value)
    }
}

/// The system's clocks.
public enum SystemClock {
    /// Seconds since an arbitrary instant; never decreases.
    public static let uptime: @Sendable () -> Double = { SystemClock.seconds(of: CLOCK_MONOTONIC) }

    /// Seconds since 1970.
    public static let secondsSince1970: @Sendable () -> Double = { SystemClock.seconds(of: CLOCK_REALTIME) }

    private static func seconds(of clock: clockid_t) -> Double {
        var time = timespec()
        _ = unsafe clock_gettime(clock, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
