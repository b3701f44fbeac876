/// Decides whether to send a request to a server that keeps failing. A value that takes the time as an argument.
///
/// A closed breaker allows every request and counts consecutive failures. After ``Policy/failureThreshold`` failures it opens and
/// rejects requests for ``Policy/openDuration``. Then it is half-open and allows one trial, which closes it or opens it again. If
/// the trial takes longer than the open duration, the next request becomes the trial. (Nygard, "Release It!", 2nd edition 2018,
/// "Circuit Breaker".)
///
/// A request may end long after it was allowed. Each allowed request therefore gets a ``Ticket``, which is valid until the
/// breaker next changes its state: a request that was allowed before the breaker opened neither closes it nor decides the trial.
///
/// ```swift
/// var breaker = CircuitBreaker()
/// guard case .allow(let ticket) = breaker.decide(now: .seconds(1)) else { return }
/// breaker.record(.success, of: ticket, now: .seconds(2))
/// ```
public struct CircuitBreaker: Hashable, Sendable {
    /// When a breaker opens, and how long it stays open.
    public struct Policy: Hashable, Sendable {
        /// How many consecutive failures open the breaker; 5.
        public var failureThreshold = 5
        /// How long the breaker stays open before a trial, and how long the trial may take; 30 s.
        public var openDuration: Duration = .seconds(30)
        /// The limit up to which the open duration doubles with every failed trial; `nil`, the default, keeps it constant.
        public var maximumOpenDuration: Duration?

        /// Creates the default policy.
        public init() {}
    }

    /// Identifies an allowed request, whose outcome is recorded once.
    public struct Ticket: Hashable, Sendable {
        fileprivate let period: Int
    }

    private enum State: Hashable, Sendable {
        case closed(failures: Int)
        case open(until: Duration)
        /// A trial is running; after `until`, another request may become the trial.
        case halfOpen(until: Duration)
    }

    private let policy: Policy
    private var state = State.closed(failures: 0)
    private var openDuration: Duration
    /// Counts the changes of state; a ticket of an earlier period is ignored.
    private var period = 0

    /// Creates a closed breaker.
    public init(_ policy: Policy = Policy()) {
        self.policy = policy
        openDuration = policy.openDuration
    }

    /// The answer to a request.
    public enum Decision: Hashable, Sendable {
        /// The request may be sent. Record its outcome with the ticket.
        case allow(Ticket)
        /// The request must not be sent. Zero while a trial runs.
        case reject(retryAfter: Duration)
    }

    /// Decides whether a request may be sent.
    ///
    /// - Parameter now: the time since any fixed point.
    public mutating func decide(now: Duration) -> Decision {
        switch state {
        case .closed: break
        case .open(let until):
            guard now >= until else { return .reject(retryAfter: until - now) }
            enter(.halfOpen(until: now + openDuration))
        case .halfOpen(let until):
            guard now >= until else { return .reject(retryAfter: .zero) }
            enter(.halfOpen(until: now + openDuration))
        }
        return .allow(Ticket(period: period))
    }

    /// How a request ended.
    public enum Outcome: Hashable, Sendable {
        /// The server responded.
        case success
        /// The server failed or could not be reached.
        case failure
        /// The request says nothing about the server, for example because it was cancelled.
        case unknown
    }

    /// Records how an allowed request ended. Does nothing if the breaker has opened or closed since.
    public mutating func record(_ outcome: Outcome, of ticket: Ticket, now: Duration) {
        guard ticket.period == period else { return }
        switch (state, outcome) {
        case (.closed, .success): state = .closed(failures: 0)
        case (.closed(let failures), .failure) where failures + 1 < policy.failureThreshold:
            state = .closed(failures: failures + 1)
        case (.closed, .failure):
            openDuration = policy.openDuration
            enter(.open(until: now + openDuration))
        case (.closed, .unknown): break
        case (.halfOpen, .success): enter(.closed(failures: 0))
        case (.halfOpen, .failure):
            openDuration = max(openDuration, min(openDuration * 2, policy.maximumOpenDuration ?? openDuration))
            enter(.open(until: now + openDuration))
        // The next request becomes the trial.
        case (.halfOpen, .unknown): enter(.open(until: now))
        // An open breaker issues no tickets.
        case (.open, _): break
        }
    }

    private mutating func enter(_ state: State) {
        self.state = state
        period += 1
    }

    /// Whether the breaker is open.
    package var isOpen: Bool { if case .open = state { true } else { false } }

    /// Whether the breaker is closed and has counted no failure, like a new one.
    package var isAtRest: Bool { state == .closed(failures: 0) }
}
