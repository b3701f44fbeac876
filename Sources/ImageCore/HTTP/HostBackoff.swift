/// Decides when a host may get a request, so that it is not asked more than it can answer. A value that takes the time
/// as an argument.
///
/// A host that limits the rate of requests says how long to wait, in `Retry-After`, and gets no request for that time.
/// A host that has failed several times in a row gets one request at a time, after delays that double up to a maximum.
///
/// After each pause the host gets one request, and with each success one more at a time, so that the requests that
/// waited do not arrive together (slow start, RFC 5681, section 3.1). While a request hangs, another one follows after
/// the longest delay.
///
/// A request may end long after it was sent. A ticket says in which period it was sent, and the outcome of a request
/// from before the last pause does not count.
public struct HostBackoff: Hashable, Sendable {
    /// When a host counts as failing, how long its pauses are, and how long a request waits for them.
    public struct Policy: Hashable, Sendable {
        /// How many failures in a row slow the host down; 5.
        public var failureThreshold = 5
        /// The first pause of a failing host; 0.25 s. Each further failure doubles it.
        public var baseDelay: Duration = .milliseconds(250)
        /// The longest pause of a failing host; 2 s.
        public var maximumDelay: Duration = .seconds(2)
        /// How long a request waits for its host, all waits together; 60 s. A host that asks for a longer pause is not
        /// paused: the response is the result, and counts as a failure.
        public var maximumWait: Duration = .seconds(60)

        /// Creates the default policy.
        public init() {}
    }

    /// Identifies a request that was sent.
    package struct Ticket: Hashable, Sendable {
        fileprivate let period: Int
    }

    /// Whether a request may be sent.
    package enum Decision: Hashable, Sendable {
        /// It may. ``release(_:)`` and ``record(_:of:now:)`` must follow.
        case send(Ticket)
        /// The host gets no request for this time.
        case pause(Duration)
        /// The request waits until another one has its response, at most for this time: a request that hangs does not
        /// hold up others.
        case queue(Duration)
    }

    /// How a request ended.
    package enum Outcome: Hashable, Sendable {
        /// The host responded.
        case success
        /// The host failed or could not be reached.
        case failure
        /// The host refused the request and asked for a pause.
        case refused(Duration)
        /// The request says nothing about the host, for example because it was cancelled.
        case unknown
    }

    /// With as many requests at a time the recovery of a host ends.
    private static let recoveredCount = 32

    private let policy: Policy
    private var failures = 0
    /// No request is sent before.
    private var pauseEnd: Duration?
    /// How many requests of this period may wait for a response at a time; `nil` for no limit.
    private var limit: Int?
    /// The requests of this period that wait for a response.
    private var running = 0
    /// When the last request was sent.
    private var lastTurn = Duration.zero
    /// Counts the pauses.
    private var period = 0

    /// Creates the state of a host that has had no request.
    public init(_ policy: Policy = Policy()) { self.policy = policy }

    /// Decides whether a request may be sent.
    ///
    /// - Parameter now: the time since any fixed point.
    package mutating func decide(now: Duration) -> Decision {
        if let pauseEnd, now < pauseEnd { return .pause(pauseEnd - now) }
        let nextTurn = lastTurn + policy.maximumDelay
        if let limit, running >= limit, now < nextTurn { return .queue(nextTurn - now) }
        running += 1
        lastTurn = now
        return .send(Ticket(period: period))
    }

    /// A request has a response, or has ended without one.
    package mutating func release(_ ticket: Ticket) {
        if ticket.period == period { running -= 1 }
    }

    /// Records how a request ended.
    package mutating func record(_ outcome: Outcome, of ticket: Ticket, now: Duration) {
        guard ticket.period == period else {
            // The host may ask for a longer pause than another response did.
            if case .refused(let pause) = outcome { (pauseEnd, limit) = (max(pauseEnd ?? .zero, now + pause), limit ?? 1) }
            return
        }
        switch outcome {
        case .success:
            failures = 0
            limit = limit.flatMap { $0 < Self.recoveredCount ? $0 + 1 : nil }
        case .failure:
            failures += 1
            if isFailing { pause(for: delay(failures - policy.failureThreshold), now: now) }
        case .refused(let duration):
            failures += 1
            pause(for: max(duration, delay(failures - 1)), now: now)
        case .unknown: break
        }
    }

    /// Whether the last requests have failed, so that the host gets fewer.
    package var isFailing: Bool { failures >= policy.failureThreshold }

    /// Whether nothing is known that delays a request.
    package var isAtRest: Bool { failures == 0 && limit == nil }

    private mutating func pause(for duration: Duration, now: Duration) {
        (pauseEnd, limit, running) = (now + duration, 1, 0)
        period += 1
    }

    private func delay(_ doublings: Int) -> Duration {
        var delay = policy.baseDelay
        for _ in 0..<max(0, doublings) where delay < policy.maximumDelay { delay *= 2 }
        return min(delay, policy.maximumDelay)
    }
}
