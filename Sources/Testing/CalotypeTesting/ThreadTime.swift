internal import CalotypeSystem

/// The processor time of a thread: how busy the machine is makes no difference to it.
package enum ThreadTime {
    /// What the calling thread computes in `body`.
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
