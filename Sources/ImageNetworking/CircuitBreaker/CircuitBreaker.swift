/// Decides whether a host that keeps failing is asked at all. A value that is told the time.
///
/// Closed, it lets everything through and counts failures in a row. After so many it opens and lets nothing through for a
/// while; then one request may try, and closes it again or opens it for as long once more. One that has not ended after as
/// long again gives its place to the next.
///
/// Requests end late, and what they tell is of the time at which they were let through. So each gets a ``Ticket``, with which
/// its end counts only as long as the breaker has neither opened nor closed since. One that was let through before it opened
/// says nothing after that, not even by a success, and never decides for the one that tries.
///
/// ```swift
/// var breaker = CircuitBreaker()
/// guard case .pass(let ticket) = breaker.decide(now: .seconds(1)) else { return }
/// breaker.record(.success, of: ticket, now: .seconds(2))
/// ```
public struct CircuitBreaker: Hashable, Sendable {
    /// When it opens, and for how long.
    public struct Policy: Hashable, Sendable {
        /// Failures in a row that open it; 5.
        public var failures = 5
        /// How long it stays open before one request may try, and how long that one has; 30 s.
        public var pause: Duration = .seconds(30)

        public init() {}
    }

    /// What a request that is let through is known by. Its end is recorded once.
    public struct Ticket: Hashable, Sendable {
        fileprivate let period: Int
    }

    private enum State: Hashable, Sendable {
        case closed(failures: Int)
        case open(until: Duration)
        /// One request tries, and has until then.
        case trying(until: Duration)
    }

    private let policy: Policy
    private var state = State.closed(failures: 0)
    /// Counts openings, tries and closings, so that tickets of before are told from those that count.
    private var period = 0

    public init(_ policy: Policy = Policy()) { self.policy = policy }

    public enum Decision: Hashable, Sendable {
        case pass(Ticket)
        /// Not before that much time; zero while another request tries.
        case refuse(for: Duration)
    }

    /// Whether a request may go, at a time that counts from any fixed point.
    public mutating func decide(now: Duration) -> Decision {
        switch state {
        case .closed: break
        case .open(let until):
            guard now >= until else { return .refuse(for: until - now) }
            enter(.trying(until: now + policy.pause))
        case .trying(let until):
            guard now >= until else { return .refuse(for: .zero) }
            enter(.trying(until: now + policy.pause))
        }
        return .pass(Ticket(period: period))
    }

    public enum Outcome: Hashable, Sendable {
        case success
        case failure
        /// Neither, such as a request that was cancelled.
        case unknown
    }

    /// How a request that was let through ended. One of before the last opening or closing does not count.
    public mutating func record(_ outcome: Outcome, of ticket: Ticket, now: Duration) {
        guard ticket.period == period else { return }
        switch (state, outcome) {
        case (.closed, .success): state = .closed(failures: 0)
        case (.closed(let failures), .failure) where failures + 1 < policy.failures: state = .closed(failures: failures + 1)
        case (.closed, .unknown): break
        case (.trying, .success): enter(.closed(failures: 0))
        // The next request may try in its place.
        case (.trying, .unknown): enter(.open(until: now))
        case (_, .failure): enter(.open(until: now + policy.pause))
        // Nothing is let through, so that no ticket is of that period.
        case (.open, _): break
        }
    }

    /// From here on, tickets of before do not count.
    private mutating func enter(_ state: State) {
        self.state = state
        period += 1
    }

    /// Whether it knows nothing that is worth remembering, unless tickets are out.
    var isAtRest: Bool { state == .closed(failures: 0) }
}
