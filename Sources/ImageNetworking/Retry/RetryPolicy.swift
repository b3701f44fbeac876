public import HTTPTypes
public import ImageCore

/// When a failed attempt is followed by a retry, and after how long: the delay before a retry, counted from 1, is
/// `baseDelay · multiplier^(retry − 1)`, spread by ``jitter``, and not before a `Retry-After`. A value: it waits for nothing
/// itself.
public struct RetryPolicy: Hashable, Sendable {
    /// Attempts after the first, for requests that do not set ``DataRequest/retries``. A request that sets it gets as many
    /// retries as it says, more or fewer.
    public var maximumRetries: Int
    /// The delay before the first retry.
    public var baseDelay: Duration
    /// The factor by which each further delay grows.
    public var multiplier: Double
    /// The share of a delay by which it varies at random, either way; 0.25. Keeps clients that failed together from
    /// coming back together. What a `Retry-After` asks for is never cut short: there up to that share comes on top.
    public var jitter = 0.25
    /// No delay is longer; 60 s. A server whose `Retry-After` asks for more is not asked again. One that asks for just as much
    /// is, at that time, since there is no room for jitter.
    public var maximumDelay: Duration = .seconds(60)

    public init(maximumRetries: Int, baseDelay: Duration, multiplier: Double) {
        self.maximumRetries = maximumRetries
        self.baseDelay = baseDelay
        self.multiplier = multiplier
    }

    /// 3 retries, after 1 s, 2 s and 4 s.
    public static let `default` = RetryPolicy(maximumRetries: 3, baseDelay: .seconds(1), multiplier: 2)
    /// 5 retries, the first one after 0.5 s; each further delay is half as long again.
    public static let aggressive = RetryPolicy(maximumRetries: 5, baseDelay: .milliseconds(500), multiplier: 1.5)
    /// 2 retries, after 2 s and 6 s.
    public static let conservative = RetryPolicy(maximumRetries: 2, baseDelay: .seconds(2), multiplier: 3)

    /// How one attempt ended.
    public enum Outcome: Hashable, Sendable {
        /// With an answer: its status, and the seconds that its `Retry-After` asks for.
        case status(Int, retryAfter: Int?)
        /// With an error.
        case failure(ImageError.Code)
    }

    public enum Decision: Hashable, Sendable {
        case giveUp
        case retry(after: Duration)
    }

    /// What to do after an attempt.
    ///
    /// Worth a retry: a host that is not found, connections that fail or are lost, timeouts, and the statuses 408, 425, 429,
    /// 500, 502, 503 and 504; and only methods that may be repeated (RFC 9110, section 9.2.2). A deadline is never retried.
    ///
    /// - Parameters:
    ///   - attempt: attempts so far, from 1.
    ///   - allowedRetries: ``DataRequest/retries``; `nil` allows ``maximumRetries``.
    ///   - random: from 0 to 1, for the jitter.
    public func decision(
        after outcome: Outcome, method: HTTPRequest.Method, attempt: Int, allowedRetries: Int?, random: Double
    ) -> Decision {
        guard attempt <= allowedRetries ?? maximumRetries, method.isIdempotent else { return .giveUp }
        var least = Duration.zero
        switch outcome {
        case .failure(let code): guard Self.retriedCodes.contains(code) else { return .giveUp }
        case .status(let status, let retryAfter):
            guard Self.retriedStatuses.contains(status) else { return .giveUp }
            if let retryAfter {
                let asked = Duration.seconds(max(0, retryAfter))
                guard asked <= maximumDelay else { return .giveUp }
                least = min(maximumDelay, .seconds(asked / .seconds(1) * (1 + max(0, jitter) * random)))
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

    private static let retriedCodes: Set<ImageError.Code> = [.hostNotFound, .connectionFailed, .connectionLost, .timedOut]
    private static let retriedStatuses: Set<Int> = [408, 425, 429, 500, 502, 503, 504]
}

/// What `Retry-After` asks for (RFC 9110, section 10.2.3): seconds, or a date.
enum RetryAfter {
    /// Seconds to wait; `nil` without the field, or when it says neither. A date counts from the response's own `Date`
    /// where it has one, so that a clock that is wrong here does no harm.
    static func seconds(in head: HTTPResponse, now: Int) -> Int? {
        guard let text = head.headerFields[.retryAfter] else { return nil }
        // More than there are numbers for is a long time, and no field that says nothing.
        if !text.isEmpty, text.utf8.allSatisfy({ 0x30...0x39 ~= $0 }) { return Int(text) ?? .max }
        let now = Double(now)
        let answered = head.headerFields[.date].flatMap { HTTPDate.seconds(of: $0, now: now) } ?? now
        return HTTPDate.seconds(of: text, now: answered).map { max(0, Int($0 - answered)) }
    }
}

extension HTTPRequest.Method {
    fileprivate var isIdempotent: Bool { [.get, .head, .put, .delete, .options, .trace].contains(self) }
}
