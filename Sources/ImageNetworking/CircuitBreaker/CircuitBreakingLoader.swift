internal import HTTPTypes
public import ImageCore

/// Keeps requests away from hosts that keep failing, by a ``CircuitBreaker`` for each: an outage is answered at once, and
/// the host is left in peace to come back.
///
/// A host fails that is not found, refuses or loses connections, is too slow, or answers 500, 502, 503 or 504. Put it inside
/// a ``RetryingLoader``, which does not retry what is refused here.
///
/// ```swift
/// let loader = RetryingLoader(CircuitBreakingLoader(CurlLoader()))
/// ```
public final class CircuitBreakingLoader: DataLoading {
    /// Hosts remembered at most; only those that failed lately are.
    private static let mostHosts = 10_000

    private let loader: any DataLoading
    private let policy: CircuitBreaker.Policy
    private let elapsed: @Sendable () -> Duration
    private let breakers = Lock<[WebAddress.Origin: CircuitBreaker]>([:])

    /// - Parameter clock: by which time is told.
    public init<C: Clock<Duration>>(
        _ loader: any DataLoading, policy: CircuitBreaker.Policy = CircuitBreaker.Policy(), clock: C = ContinuousClock()
    ) {
        self.loader = loader
        self.policy = policy
        let start = clock.now
        elapsed = { start.duration(to: clock.now) }
    }

    /// What the wrapped loader returns.
    ///
    /// - Throws: ``ImageError/Code/hostPaused`` without asking, and what the loader throws.
    public func load(_ request: DataRequest) async throws -> DataResponse {
        guard let host = try? WebAddress(request.url.absoluteString).origin else { return try await loader.load(request) }
        let now = elapsed()
        if case .refuse(let wait) = change(host, { $0.decide(now: now) }) {
            let when = wait > .zero ? "the next try is in \(wait.inSeconds)" : "a try runs"
            throw ImageError(
                .hostPaused,
                message: "“\(host.host)” has failed too often and is not asked for \(ImageSource.redacted(request.url)); \(when)."
            )
        }
        do {
            let response = try await loader.load(request)
            record(Self.failedStatuses.contains(response.head.status.code) ? .failure : .success, host)
            return response
        } catch {
            let isFailure = (error as? ImageError).map { Self.failedCodes.contains($0.code) } ?? false
            record(isFailure ? .failure : .unknown, host)
            throw error
        }
    }

    /// How many hosts it remembers.
    var hostCount: Int { breakers.withLock { $0.count } }

    private func record(_ outcome: CircuitBreaker.Outcome, _ host: WebAddress.Origin) {
        let now = elapsed()
        change(host) { $0.record(outcome, now: now) }
    }

    private func change<R: Sendable>(_ host: WebAddress.Origin, _ body: @Sendable (inout CircuitBreaker) -> R) -> R {
        breakers.withLock { breakers in
            var breaker = breakers[host] ?? CircuitBreaker(policy)
            let result = body(&breaker)
            // Most hosts never fail, and take no room.
            breakers[host] = breaker.isAtRest ? nil : breaker
            if breakers.count > Self.mostHosts, let any = breakers.keys.first(where: { $0 != host }) { breakers[any] = nil }
            return result
        }
    }

    private static let failedCodes: Set<ImageError.Code> = [.hostNotFound, .connectionFailed, .connectionLost, .timedOut]
    private static let failedStatuses: Set<Int> = [500, 502, 503, 504]
}

extension ImageError.Code {
    /// The host has failed too often and is left alone for a while; see ``CircuitBreakingLoader``.
    public static let hostPaused = Self("hostPaused", .network)
}
