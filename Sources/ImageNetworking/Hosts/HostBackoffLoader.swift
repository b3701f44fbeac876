internal import HTTPTypes
public import ImageCore

internal import CalotypeSystem

/// Leaves hosts alone that ask for it, and asks hosts less that keep failing, by a ``HostBackoff`` for each.
///
/// A response with status 429 or 503 and `Retry-After` pauses its host (scheme, name and port) for that time. All
/// requests to the host wait, also the one that was refused, which is then sent again; only idempotent requests are. So
/// a refusal is no attempt, and a ``RetryingLoader`` around this loader does not notice it. A request that would have
/// to wait for longer than ``HostBackoff/Policy/maximumWait`` or its deadline ends at once: with the response if it was
/// sent, or else with ``ImageError/Code/hostPaused``.
///
/// A host fails that is not found, refuses or loses connections, times out, or responds with 429, 500, 502, 503 or 504,
/// before the response headers or in the middle of the body. It succeeds when the body is complete; responses other
/// than 2xx count when their headers are complete, since their bodies are seldom read. A request that is cancelled
/// counts neither way, and so does a body that is dropped before its end.
///
/// **Time**: waits end at the deadline, and are no part of the timeout. An attempt that ends by its timeout
/// is a failure of the host; one that the deadline ends counts neither way, since waits and earlier attempts may have
/// used the time up.
///
/// Put it inside a ``RetryingLoader`` and a ``ResumingLoader``, so that it sees each attempt.
///
/// ```swift
/// let loader = ResumingLoader(RetryingLoader(HostBackoffLoader(CurlLoader())))
/// ```
public final class HostBackoffLoader: DataLoading {
    /// The most hosts that are remembered: only those that failed recently.
    private static let maximumHosts = 10_000
    private static let failedStatuses: Set<Int> = [429, 500, 502, 503, 504]
    /// The share by which a pause is at most longer than the host asked for. Other clients then do not return at the
    /// same time.
    private static let jitter = 0.1

    private let loader: any DataLoading
    private let policy: HostBackoff.Policy
    private let clock: AnyClock
    private let random: @Sendable () -> Double
    private let hosts = Lock<[WebAddress.Origin: HostBackoff]>([:])

    /// Wraps a loader.
    ///
    /// - Parameters:
    ///   - loader: sends the requests.
    ///   - policy: when a host counts as failing, and how long requests wait.
    ///   - clock: measures the time; `ContinuousClock` by default.
    public convenience init(
        _ loader: any DataLoading, policy: HostBackoff.Policy = HostBackoff.Policy(),
        clock: any Clock<Duration> = ContinuousClock()
    ) {
        self.init(loader, policy: policy, clock: clock, random: { .random(in: 0...1) })
    }

    init(
        _ loader: any DataLoading, policy: HostBackoff.Policy, clock: any Clock<Duration>,
        random: @escaping @Sendable () -> Double
    ) {
        self.loader = loader
        self.policy = policy
        self.clock = AnyClock(clock)
        self.random = random
    }

    public func version(of url: URL) -> String? { loader.version(of: url) }

    /// What the wrapped loader returns when the host accepts the request, its body watched.
    ///
    /// - Throws: ``ImageError/Code/hostPaused`` and ``ImageError/Code/deadlineExceeded`` without sending the request,
    ///   `CancellationError`, and what the wrapped loader throws.
    public func load(_ request: DataRequest) async throws -> DataResponse {
        guard let host = try? WebAddress(request.url).origin else { return try await loader.load(request) }
        var waited = Duration.zero
        while true {
            while let pause = hosts.withLock({ [now = clock.now] in $0[host]?.pause(at: now) }) {
                guard pause <= timeLeft(for: request, waited) else { throw error(for: request, host) }
                try await clock.sleep(for: pause)
                waited += pause
            }
            if let response = try await acceptedResponse(to: request, host, waited) { return response }
        }
    }

    /// The response; `nil` when the host refused the request, which is to wait. Returning releases the refusal: while
    /// its body is unread it holds a connection.
    private func acceptedResponse(
        to request: DataRequest, _ host: WebAddress.Origin, _ waited: Duration
    ) async throws -> DataResponse? {
        let sent = clock.now
        do {
            var response = try await loader.load(try request.withTimeoutUntilDeadline())
            if let pause = pause(after: response.head) {
                // Nothing else would be loaded from a host that asks for a pause of an hour.
                record(pause <= policy.maximumWait ? .refused(pause) : .failure, sent, host)
                if pause <= timeLeft(for: request, waited), request.method.isIdempotent { return nil }
                // A retrying loader would wait once more.
                response.retriesLeft = 0
            } else if response.body.wholeData != nil || response.head.status.kind != .successful {
                record(Self.failedStatuses.contains(response.head.status.code) ? .failure : .success, sent, host)
            } else {
                response.body = response.body.onEnd { [self] _, error in
                    record(error.map { HostBackoff.Outcome($0) } ?? .success, sent, host)
                }
            }
            return response
        } catch {
            let error = request.replacingTimeoutAtDeadline(error)
            record(HostBackoff.Outcome(error), sent, host)
            throw error
        }
    }

    /// The pause for which a response asks; `nil` for none.
    private func pause(after head: HTTPResponse) -> Duration? {
        guard head.status == .tooManyRequests || head.status == .serviceUnavailable,
            let seconds = RetryAfter.seconds(in: head, now: time(nil))
        else { return nil }
        let pause = Duration.seconds(seconds).clampedToClockRange
        // Later than other clients, but not later than a request may wait.
        return max(pause, min(policy.maximumWait, pause * (1 + Self.jitter * random())))
    }

    private func record(_ outcome: HostBackoff.Outcome, _ sent: Duration, _ host: WebAddress.Origin) {
        let now = clock.now
        hosts.withLock { [policy] hosts in
            var backoff = hosts[host] ?? HostBackoff(policy)
            backoff.record(outcome, sent: sent, now: now)
            hosts[host] = backoff.isAtRest(at: now) ? nil : backoff
            if hosts.count > Self.maximumHosts, let other = hosts.keys.first(where: { $0 != host }) { hosts[other] = nil }
        }
    }

    /// How much longer a request may wait.
    private func timeLeft(for request: DataRequest, _ waited: Duration) -> Duration {
        let left = policy.maximumWait - waited
        return request.deadline.map { min(left, $0.remaining) } ?? left
    }

    private func error(for request: DataRequest, _ host: WebAddress.Origin) -> ImageError {
        let paused = ImageError(
            .hostPaused,
            message:
                "\(ImageSource.redacted(request.url)) was not requested: “\(host.host)” limits its requests or keeps failing, and "
                + "the load may not wait longer. Try again later.")
        guard let deadline = request.deadline, deadline.remaining <= .zero else { return paused }
        return .deadlineExceeded(by: request.url, deadline, causes: [paused.message])
    }
}

extension HostBackoff.Outcome {
    /// The outcome that an error stands for: a failure of the host, or unknown.
    fileprivate init(_ error: any Error) {
        let isFailure = (error as? ImageError).map { ImageError.Code.connectionFailures.contains($0.code) } ?? false
        self = isFailure ? .failure : .unknown
    }
}

extension ImageError.Code {
    /// The host limits its requests or keeps failing, for longer than the request may wait; see ``HostBackoffLoader``.
    public static let hostPaused = Self("hostPaused", .network)
}
