public import HTTPTypes
public import ImageCore

/// When a failed attempt is followed by a retry, and after how long: the delay before a retry, counted from 1, is
/// `baseDelay · multiplier^(retry − 1)`, spread by ``jitter``, and not before a `Retry-After`.
public struct RetryPolicy: Hashable, Sendable {
    /// Attempts after the first, for requests that do not set ``DataRequest/retries``. A request that sets it gets as
    /// many retries as it says, more or fewer.
    public var maximumRetries: Int
    /// The delay before the first retry.
    public var baseDelay: Duration
    /// The factor by which each further delay grows.
    public var multiplier: Double
    /// The share of a delay by which it varies at random, either way; 0.25. Clients that failed together then do not
    /// retry together. The time in a `Retry-After` is never shortened: up to this share is added to it.
    public var jitter = 0.25
    /// The longest delay; 60 s. A response whose `Retry-After` is longer is not retried.
    public var maximumDelay: Duration = .seconds(60)

    /// Makes a policy with the default jitter and longest delay.
    public init(maximumRetries: Int, baseDelay: Duration, multiplier: Double) {
        (self.maximumRetries, self.baseDelay, self.multiplier) = (maximumRetries, baseDelay, multiplier)
    }

    /// 3 retries, after 1 s, 2 s and 4 s.
    public static let `default` = RetryPolicy(maximumRetries: 3, baseDelay: .seconds(1), multiplier: 2)
    /// 5 retries, the first one after 0.5 s; each further delay is half as long again.
    public static let aggressive = RetryPolicy(maximumRetries: 5, baseDelay: .milliseconds(500), multiplier: 1.5)
    /// 2 retries, after 2 s and 6 s.
    public static let conservative = RetryPolicy(maximumRetries: 2, baseDelay: .seconds(2), multiplier: 3)

    /// How one attempt ended.
    public enum Outcome: Hashable, Sendable {
        /// With a response: its status, and the seconds in its `Retry-After`.
        case status(Int, retryAfter: Int?)
        /// With an error.
        case failure(ImageError.Code)
    }

    /// What to do after an attempt.
    public enum Decision: Hashable, Sendable {
        /// The outcome is final.
        case giveUp
        /// Another attempt follows after a delay.
        case retry(after: Duration)
    }

    /// Decides what to do after an attempt.
    ///
    /// Retried are: a host that is not found, connections that fail or are lost, timeouts, and the statuses 408, 425,
    /// 429, 500, 502, 503 and 504; and only idempotent methods (RFC 9110, section 9.2.2). A deadline is never retried.
    ///
    /// - Parameters:
    ///   - outcome: how the last attempt ended.
    ///   - method: the method of the request; only idempotent ones are retried.
    ///   - attempt: attempts so far, from 1.
    ///   - allowedRetries: ``DataRequest/retries``; `nil` allows ``maximumRetries``.
    ///   - random: from 0 to 1, for the jitter.
    public func decision(
        after outcome: Outcome, method: HTTPRequest.Method, attempt: Int, allowedRetries: Int?, random: Double
    ) -> Decision {
        guard attempt <= allowedRetries ?? maximumRetries, method.isIdempotent else { return .giveUp }
        var least = Duration.zero
        switch outcome {
        case .failure(let code): guard ImageError.Code.connectionFailures.contains(code) else { return .giveUp }
        case .status(let status, let retryAfter):
            guard Self.retriedStatuses.contains(status) else { return .giveUp }
            if let retryAfter {
                let requested = Duration.seconds(max(0, retryAfter))
                guard requested <= maximumDelay else { return .giveUp }
                least = min(maximumDelay, .seconds(requested / .seconds(1) * (1 + max(0, jitter) * random)))
            }
        }
        return .retry(after: max(least, delay(after: attempt, random: random)))
    }

    private func delay(after attempt: Int, random: Double) -> Duration {
        let longest = maximumDelay / .seconds(1)
        var seconds = baseDelay / .seconds(1)
        for _ in 1..<max(1, attempt) where seconds < longest { seconds *= multiplier }
        return .seconds(max(0, min(longest, seconds * (1 + jitter * (2 * random - 1)))))
    }

    private static let retriedStatuses: Set<Int> = [408, 425, 429, 500, 502, 503, 504]
}

/// The time in `Retry-After` (RFC 9110, section 10.2.3): seconds, or a date.
enum RetryAfter {
    /// Seconds to wait; `nil` without a valid field. A date counts from the response's own `Date`
    /// where it has one, so that a wrong clock on this machine does no harm.
    static func seconds(in head: HTTPResponse, now: Int) -> Int? {
        guard let text = head.headerFields[.retryAfter] else { return nil }
        // A number that is too large for an integer is a long time, not an invalid field.
        if !text.isEmpty, text.utf8.allSatisfy({ 0x30...0x39 ~= $0 }) { return Int(text) ?? .max }
        let now = Double(now)
        let answered = head.headerFields[.date].flatMap { HTTPDate.seconds(of: $0, now: now) } ?? now
        return HTTPDate.seconds(of: text, now: answered).map { max(0, Int($0 - answered)) }
    }
}

extension HTTPRequest.Method {
    /// Whether repeating a request has no further effect (RFC 9110, section 9.2.2; HTTP Method Registry).
    var isIdempotent: Bool {
        ["GET", "HEAD", "OPTIONS", "QUERY", "TRACE", "PUT", "DELETE"].contains(rawValue)
    }
}
