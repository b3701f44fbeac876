internal import Foundation

/// The processor time of this process so far, of all threads, in user and kernel mode.
enum ProcessorTime {
    static var now: Duration {
        var usage = rusage()
        // RUSAGE_SELF is a number on Apple platforms and an enumeration in Glibc.
        _ = unsafe getrusage(0, &usage)
        return usage.processorTime
    }

    /// Returns the processor time of `body` in milliseconds.
    static func milliseconds(of body: () throws -> Void) rethrows -> Double {
        let before = now
        try body()
        return (now - before) / .milliseconds(1)
    }
}

extension rusage {
    /// The time in user and kernel mode.
    var processorTime: Duration { Self.duration(ru_utime) + Self.duration(ru_stime) }

    var userTime: Duration { Self.duration(ru_utime) }

    private static func duration(_ time: timeval) -> Duration {
        .seconds(Int64(time.tv_sec)) + .microseconds(Int64(time.tv_usec))
    }
}
