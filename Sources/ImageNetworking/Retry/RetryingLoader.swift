internal import HTTPTypes
public import ImageCore

internal import CalotypeSystem

/// Tries a request again when that may help, as a ``RetryPolicy`` decides.
///
/// Only failures before the response's head are retried: a body that fails after that is not begun again, since part of it
/// was delivered. Cancelling is never retried, and ends a wait at once. The time limit of a request holds for each try.
/// What comes through in the end is the last answer, or the last error with the reasons of the tries before it.
///
/// ```swift
/// let loader = RetryingLoader(CurlLoader(), policy: .aggressive)
/// ```
public final class RetryingLoader: DataLoading {
    private let loader: any DataLoading
    private let policy: RetryPolicy
    private let clock: any Clock<Duration>
    private let random: @Sendable () -> Double
    private let now: @Sendable () -> Int
    private let budget: Lock<RetryBudget>

    /// - Parameters:
    ///   - budget: shared by all requests of this loader.
    ///   - clock: by which delays are waited for.
    public convenience init(
        _ loader: any DataLoading, policy: RetryPolicy = .default, budget: RetryBudget = RetryBudget(),
        clock: any Clock<Duration> = ContinuousClock()
    ) {
        self.init(
            loader, policy: policy, budget: budget, clock: clock, random: { .random(in: 0...1) },
            now: { time(nil) })
    }

    init(
        _ loader: any DataLoading, policy: RetryPolicy, budget: RetryBudget, clock: any Clock<Duration>,
        random: @escaping @Sendable () -> Double, now: @escaping @Sendable () -> Int
    ) {
        self.loader = loader
        self.policy = policy
        self.clock = clock
        self.random = random
        self.now = now
        self.budget = Lock(budget)
    }

    /// What the wrapped loader returns or throws at the last try.
    public func load(_ request: DataRequest) async throws -> DataResponse {
        budget.withLock { $0.deposit() }
        var reasons: [String] = []
        var attempt = 1
        while true {
            let delay: Duration
            do {
                var response = try await loader.load(request)
                response.retries += attempt - 1
                let outcome = RetryPolicy.Outcome.status(
                    response.head.status.code, retryAfter: RetryAfter.seconds(in: response.head, now: now()))
                guard let wait = self.delay(after: outcome, request, attempt) else { return response }
                reasons.append("attempt \(attempt): status \(response.head.status.code)")
                delay = wait
            } catch var error as ImageError {
                guard !Task.isCancelled, let wait = self.delay(after: .failure(error.code), request, attempt) else {
                    error.causes = reasons + error.causes
                    throw error
                }
                reasons.append("attempt \(attempt): \(error)")
                delay = wait
            }
            try await clock.sleep(for: delay)
            attempt += 1
        }
    }

    private func delay(after outcome: RetryPolicy.Outcome, _ request: DataRequest, _ attempt: Int) -> Duration? {
        let decision = policy.decision(
            after: outcome, method: request.method, attempt: attempt, allowedRetries: request.retries, random: random())
        guard case .retry(let delay) = decision, budget.withLock({ $0.withdraw() }) else { return nil }
        return delay
    }
}
