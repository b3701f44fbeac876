/// Decides whether a host that keeps failing is asked at all. A value that is told the time.
///
/// Closed, it lets everything through and counts failures in a row. After so many it opens and lets nothing through for a
/// while; then one request may try, and closes it again or opens it for as long once more.
public struct CircuitBreaker: Hashable, Sendable {
    /// When it opens, and for how long.
    public struct Policy: Hashable, Sendable {
        /// Failures in a row that open it; 5.
        public var failures = 5
        /// How long it stays open before one request may try; 30 s.
        public var pause: Duration = .seconds(30)

        public init() {}
    }

    private enum State: Hashable, Sendable {
        case closed(failures: Int)
        case open(until: Duration)
        /// One request tries.
        case trying
    }

    private let policy: Policy
    private var state = State.closed(failures: 0)

    public init(_ policy: Policy = Policy()) { self.policy = policy }

    public enum Decision: Hashable, Sendable {
        case pass
        /// Not before that much time.
        case refuse(for: Duration)
    }

    /// Whether a request may go, at a time that counts from any fixed point.
    public mutating func decide(now: Duration) -> Decision {
        switch state {
        case .closed: return .pass
        case .trying: return .refuse(for: .zero)
        case .open(let until):
            guard now >= until else { return .refuse(for: until - now) }
            state = .trying
            return .pass
        }
    }

    public enum Outcome: Hashable, Sendable {
        case success
        case failure
        /// Neither, such as a request that was cancelled.
        case unknown
    }

    /// How a request that was let through ended.
    public mutating func record(_ outcome: Outcome, now: Duration) {
        switch (state, outcome) {
        case (_, .success): state = .closed(failures: 0)
        case (.closed(let failures), .failure):
            state = failures + 1 >= policy.failures ? .open(until: now + policy.pause) : .closed(failures: failures + 1)
        case (.trying, .failure): state = .open(until: now + policy.pause)
        // The next request may try in its place.
        case (.trying, .unknown): state = .open(until: now)
        case (.open, .failure), (.open, .unknown), (.closed, .unknown): break
        }
    }

    /// Whether it knows nothing that is worth remembering.
    var isAtRest: Bool { state == .closed(failures: 0) }
}
