internal import CalotypeSystem

/// Measures the processor time of a thread, which does not depend on other processes.
package enum ThreadTime {
    /// Returns the processor time that the calling thread spends in `body`.
    package static func measure(_ body: () throws -> Void) rethrows -> Duration {
        let begin = now
        try body()
        return now - begin
    }

    private static var now: Duration {
        var time = timespec()
        unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return .seconds(Int64(time.tv_sec)) + .nanoseconds(Int64(time.tv_nsec))
    }
}
