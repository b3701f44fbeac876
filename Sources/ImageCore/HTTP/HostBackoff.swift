/// Decides when a host may get a request, so that it is not asked more than it can answer. A value that takes the time
/// as an argument.
///
/// A host that limits the rate of requests says how long to wait, in `Retry-After`, and gets no request for that time.
/// A host that has failed several times in a row gets requests only after pauses, which double with each failure up to
/// a maximum.
///
/// A request may end long after it was sent. One that was sent before the last pause began does not end that pause, and
/// its failure does not count. A success does: of requests that are sent together, those that fail may end first.
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

    private let policy: Policy
    private var failures = 0
    /// The last pause: no request is sent in it.
    private var lastPause: Range<Duration>?

    /// Creates the state of a host that has had no request.
    public init(_ policy: Policy = Policy()) { self.policy = policy }

    /// For how long the host gets no request; `nil` if it may get one.
    ///
    /// - Parameter now: the time since any fixed point.
    package func pause(at now: Duration) -> Duration? {
        lastPause.flatMap { $0.contains(now) ? $0.upperBound - now : nil }
    }

    /// Records how a request ended.
    ///
    /// - Parameter sent: when it was sent, which was in no pause.
    package mutating func record(_ outcome: Outcome, sent: Duration, now: Duration) {
        if let lastPause, sent <= lastPause.lowerBound {
            switch outcome {
            case .success: failures = 0
            // The host may ask for a longer pause than another response did.
            case .refused(let pause): self.lastPause = lastPause.lowerBound..<max(lastPause.upperBound, now + pause)
            case .failure, .unknown: break
            }
            return
        }
        switch outcome {
        case .success: failures = 0
        case .failure:
            failures += 1
            if isFailing { lastPause = now..<now + delay(failures - policy.failureThreshold) }
        case .refused(let pause):
            failures += 1
            lastPause = now..<now + max(pause, delay(failures - 1))
        case .unknown: break
        }
    }

    /// Whether the last requests have failed, so that the host gets fewer.
    package var isFailing: Bool { failures >= policy.failureThreshold }

    /// Whether nothing is known that delays a request.
    package func isAtRest(at now: Duration) -> Bool { failures == 0 && pause(at: now) == nil }

    private func delay(_ doublings: Int) -> Duration {
        var delay = policy.baseDelay
        for _ in 0..<max(0, doublings) where delay < policy.maximumDelay { delay *= 2 }
        return min(delay, policy.maximumDelay)
    }
}
