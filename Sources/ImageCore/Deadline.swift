/// The moment at which a whole load must have ended, with queueing, retries, waits and resumption.
///
/// The engine makes one when a load begins and passes it on in ``DataRequest/deadline``. Each part that waits or begins another
/// attempt reads the remaining time from it.
public struct Deadline: Sendable {
    /// The time of the whole load, from its beginning.
    public let limit: Duration
    private let readRemaining: @Sendable () -> Duration

    /// - Parameters:
    ///   - limit: the time from now to the deadline.
    ///   - clock: measures the time; tests replace it.
    public init(after limit: Duration, clock: some Clock<Duration> = ContinuousClock()) {
        self.limit = limit
        let start = clock.now
        readRemaining = { limit - start.duration(to: clock.now) }
    }

    /// A deadline that moves, because the loads that share a fetch come and go.
    package init(limit: Duration, remaining: @escaping @Sendable () -> Duration) {
        self.limit = limit
        readRemaining = remaining
    }

    /// A timeout that ends an attempt this shortly before the deadline was the deadline's: the clock of a network layer may be a few
    /// milliseconds ahead.
    package static let tolerance = Duration.milliseconds(5)

    /// The time that is left; zero or less once the deadline has passed.
    public var remaining: Duration { readRemaining() }
}
