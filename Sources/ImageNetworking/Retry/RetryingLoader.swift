internal import HTTPTypes
public import ImageCore

internal import CalotypeSystem

/// Retries a request when that may help, as a ``RetryPolicy`` decides.
///
/// Only failures before the response headers are retried: a body that fails after that is not started again, since the
/// reader already got a part of it. Cancelling is never retried, and ends a wait at once. Outside of it, a
/// ``ResumingLoader`` can request the rest, which takes from the same count of attempts. The loader returns the last
/// response, or throws the last error with the reasons of the attempts before it.
///
/// Put a ``HostBackoffLoader`` inside: it waits for hosts that limit their requests, for all loads together and without
/// using up retries, and sends fewer requests to hosts that keep failing. Alone, this loader does not retry before the
/// time in `Retry-After`.
///
/// **Time**: the timeout of a request, the longest time without progress, is shortened to the time that is left until
/// the deadline. When the next attempt could not start before the deadline, the loader does not wait for it: the last
/// response or error is the result at once. An attempt that the deadline ends fails with
/// ``ImageError/Code/deadlineExceeded``.
///
/// ```swift
/// let loader = RetryingLoader(HostBackoffLoader(CurlLoader()), policy: .aggressive)
/// ```
public final class RetryingLoader: DataLoading {
    private let loader: any DataLoading
    private let policy: RetryPolicy
    private let clock: AnyClock
    private let random: @Sendable () -> Double
    private let now: @Sendable () -> Int

    /// Wraps a loader.
    ///
    /// - Parameters:
    ///   - loader: makes the attempts.
    ///   - policy: when to retry, and after how long; ``RetryPolicy/default``.
    ///   - clock: measures the delays; `ContinuousClock` by default.
    public convenience init(
        _ loader: any DataLoading, policy: RetryPolicy = .default, clock: any Clock<Duration> = ContinuousClock()
    ) {
        self.init(loader, policy: policy, clock: clock, random: { .random(in: 0...1) }, now: { time(nil) })
    }

    init(
        _ loader: any DataLoading, policy: RetryPolicy, clock: any Clock<Duration>,
        random: @escaping @Sendable () -> Double, now: @escaping @Sendable () -> Int
    ) {
        self.loader = loader
        self.policy = policy
        self.clock = AnyClock(clock)
        self.random = random
        self.now = now
    }

    public func version(of url: URL) -> String? { loader.version(of: url) }

    /// What the wrapped loader returns or throws at the last attempt.
    public func load(_ request: DataRequest) async throws -> DataResponse {
        var reasons: [String] = []
        var attempt = 1
        while true {
            let delay: Duration
            do {
                var response = try await load(once: request)
                response.retries += attempt - 1
                // A loader inside has waited as long as it may.
                if response.retriesLeft == 0 { return response }
                response.retriesLeft = max(0, (request.retries ?? policy.maximumRetries) - (attempt - 1))
                let outcome = RetryPolicy.Outcome.status(
                    response.head.status.code, retryAfter: RetryAfter.seconds(in: response.head, now: now()))
                guard case .retry(let wait) = step(after: outcome, request, attempt),
                    !isAnswered(
                        request, ImageError(.httpStatus, message: "The attempt failed.", status: response.head.status.code))
                else { return response }
                reasons.append("attempt \(attempt): status \(response.head.status.code)")
                delay = wait
            } catch var error as ImageError {
                // A proxy that refuses a tunnel has a status, though it is no response.
                let outcome = error.status.map { RetryPolicy.Outcome.status($0, retryAfter: nil) } ?? .failure(error.code)
                let step = Task.isCancelled ? .end : step(after: outcome, request, attempt)
                guard case .retry(let wait) = step, !isAnswered(request, error) else {
                    error.causes = reasons + error.causes
                    error.metrics = error.metrics ?? LoadMetrics()
                    error.metrics?.retries += attempt - 1
                    if case .endBeforeDeadline(let reason) = step { error.causes.append(reason) }
                    throw error
                }
                reasons.append("attempt \(attempt): \(error)")
                delay = wait
            }
            try await clock.sleep(for: delay)
            attempt += 1
        }
    }

    /// One attempt, which takes no longer than until the deadline.
    private func load(once request: DataRequest) async throws -> DataResponse {
        let attempt = try request.withTimeoutUntilDeadline()
        do {
            return try await loader.load(attempt)
        } catch {
            throw request.replacingTimeoutAtDeadline(error)
        }
    }

    /// Whether the caller has something to show in place of a failure.
    private func isAnswered(_ request: DataRequest, _ failure: ImageError) -> Bool { request.standsIn?(failure) ?? false }

    private enum Step {
        case retry(after: Duration)
        case end
        /// A retry would be allowed, but could not start in time.
        case endBeforeDeadline(reason: String)
    }

    private func step(after outcome: RetryPolicy.Outcome, _ request: DataRequest, _ attempt: Int) -> Step {
        let decision = policy.decision(
            after: outcome, method: request.method, attempt: attempt, allowedRetries: request.retries, random: random())
        guard case .retry(let delay) = decision else { return .end }
        if let deadline = request.deadline, delay >= deadline.remaining {
            return .endBeforeDeadline(
                reason: "attempt \(attempt + 1) was not made: its delay of \(delay.inSeconds) ends after the deadline of "
                    + deadline.limit.inSeconds)
        }
        return .retry(after: delay)
    }
}
