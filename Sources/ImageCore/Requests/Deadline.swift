/// The time by which a whole load must have ended, including queueing, retries, waits and resumption.
///
/// The engine creates a deadline when a load begins and passes it on in ``DataRequest/deadline``. Every part that waits
/// or begins another attempt reads ``remaining``.
public struct Deadline: Sendable {
    /// The time that the whole load may take.
    public let limit: Duration
    private let readRemaining: @Sendable () -> Duration
    /// Whether an attempt ends at the deadline. The engine, whose deadlines move as loads come and go, ends each load
    /// at its own.
    package let endsAttempts: Bool

    /// Creates a deadline that counts from now.
    ///
    /// - Parameters:
    ///   - limit: the time from now to the deadline.
    ///   - clock: measures the time; tests replace it.
    public init(after limit: Duration, clock: some Clock<Duration> = ContinuousClock()) {
        (self.limit, endsAttempts) = (limit, true)
        let start = clock.now
        readRemaining = { limit - start.duration(to: clock.now) }
    }

    /// Creates a deadline that may move, because the loads that share a fetch come and go.
    package init(limit: Duration, remaining: @escaping @Sendable () -> Duration) {
        (self.limit, endsAttempts) = (limit, false)
        readRemaining = remaining
    }

    /// An attempt that times out this shortly before the deadline was ended by the deadline: the clock of a network
    /// layer may be ahead by a few milliseconds.
    package static let tolerance = Duration.milliseconds(5)

    /// The time until the deadline; zero or less after it.
    public var remaining: Duration { readRemaining() }
}
