/// Whether to ask a server that may be down: a pure value.
///
/// After a few failures in a row nothing is asked for a while; then one trial decides whether to go on or to wait twice
/// as long. (Nygard, "Release it!", 2nd edition 2018, "Circuit breaker".)
struct CircuitBreaker: Hashable, Sendable {
    /// Failures in a row that open it.
    var tolerance = 3
    /// The first pause, in seconds.
    var firstPause = 1.0
    /// The longest pause, in seconds.
    var longestPause = 60.0

    private(set) var failures = 0
    private var pause = 0.0
    private var closedUntil = -Double.infinity
    private var isTrying = false

    init(tolerance: Int = 3, firstPause: Double = 1, longestPause: Double = 60) {
        (self.tolerance, self.firstPause, self.longestPause) = (tolerance, firstPause, longestPause)
    }

    /// Whether to ask now. Where it says yes, ``succeed()`` or ``fail(at:)`` must follow.
    mutating func allows(at now: Double) -> Bool {
        guard failures >= tolerance else { return true }
        guard now >= closedUntil, !isTrying else { return false }
        isTrying = true
        return true
    }

    mutating func succeed() {
        (failures, pause, isTrying) = (0, 0, false)
    }

    /// Returns whether nothing is asked from now on, for a while.
    mutating func fail(at now: Double) -> Bool {
        failures += 1
        isTrying = false
        guard failures >= tolerance else { return false }
        pause = pause == 0 ? firstPause : min(longestPause, pause * 2)
        closedUntil = now + pause
        return true
    }
}
