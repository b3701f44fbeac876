/// Decides whether to ask a server that keeps failing. A value that takes the time as an argument.
///
/// Closed, it lets every request through and counts failures in a row. After ``Policy/failureThreshold`` of them it opens and rejects
/// requests for a pause; then one trial may pass, which closes it or opens it again. When the trial takes longer than the
/// pause, the next request becomes the trial. (Nygard, "Release it!", 2nd edition 2018, "Circuit breaker".)
///
/// Requests end late, and their outcome belongs to the time when they passed. So each gets a ``Ticket``, which counts only
/// until the breaker opens or closes: a request that passed before it opened neither closes it nor decides for the trial.
///
/// ```swift
/// var breaker = CircuitBreaker()
/// guard case .pass(let ticket) = breaker.decide(now: .seconds(1)) else { return }
/// breaker.record(.success, of: ticket, now: .seconds(2))
/// ```
public struct CircuitBreaker: Hashable, Sendable {
    /// When a breaker opens, and for how long.
    public struct Policy: Hashable, Sendable {
        /// Failures in a row that open it; 5.
        public var failureThreshold = 5
        /// How long it stays open before a trial, and how long the trial may take; 30 s.
        public var openDuration: Duration = .seconds(30)
        /// The longest pause. The pause doubles with every failed trial up to this; `nil`, the default, keeps it as it is.
        public var maximumOpenDuration: Duration?

        public init() {}
    }

    /// Identifies a request that passed. Its outcome is recorded once.
    public struct Ticket: Hashable, Sendable {
        fileprivate let period: Int
    }

    private enum State: Hashable, Sendable {
        case closed(failures: Int)
        case open(until: Duration)
        /// A trial runs, and decides until then.
        case trying(until: Duration)
    }

    private let policy: Policy
    private var state = State.closed(failures: 0)
    private var pause: Duration
    /// Counts changes of state; tickets of earlier periods are ignored.
    private var period = 0

    /// Makes a closed breaker.
    public init(_ policy: Policy = Policy()) {
        self.policy = policy
        pause = policy.openDuration
    }

    public enum Decision: Hashable, Sendable {
        case pass(Ticket)
        /// Try again after this time; zero while a trial runs.
        case reject(retryAfter: Duration)
    }

    /// Decides whether a request may pass.
    ///
    /// - Parameter now: the time since any fixed point.
    public mutating func decide(now: Duration) -> Decision {
        switch state {
        case .closed: break
        case .open(let until):
            guard now >= until else { return .reject(retryAfter: until - now) }
            enter(.trying(until: now + pause))
        case .trying(let until):
            guard now >= until else { return .reject(retryAfter: .zero) }
            enter(.trying(until: now + pause))
        }
        return .pass(Ticket(period: period))
    }

    public enum Outcome: Hashable, Sendable {
        case success
        case failure
        /// Neither, such as a request that was cancelled.
        case unknown
    }

    /// Records how a request that passed has ended. Does nothing when the breaker has opened or closed since it passed.
    public mutating func record(_ outcome: Outcome, of ticket: Ticket, now: Duration) {
        guard ticket.period == period else { return }
        switch (state, outcome) {
        case (.closed, .success): state = .closed(failures: 0)
        case (.closed(let failures), .failure) where failures + 1 < policy.failureThreshold: state = .closed(failures: failures + 1)
        case (.closed, .failure):
            pause = policy.openDuration
            enter(.open(until: now + pause))
        case (.closed, .unknown): break
        case (.trying, .success): enter(.closed(failures: 0))
        case (.trying, .failure):
            pause = max(pause, min(pause * 2, policy.maximumOpenDuration ?? pause))
            enter(.open(until: now + pause))
        // The next request becomes the trial.
        case (.trying, .unknown): enter(.open(until: now))
        // No ticket belongs to this period, since nothing passes.
        case (.open, _): break
        }
    }

    private mutating func enter(_ state: State) {
        self.state = state
        period += 1
    }

    /// Whether it lets nothing pass at the moment.
    package var isOpen: Bool { if case .open = state { true } else { false } }

    /// Whether it equals a new breaker, apart from tickets that are out.
    package var isAtRest: Bool { state == .closed(failures: 0) }
}
