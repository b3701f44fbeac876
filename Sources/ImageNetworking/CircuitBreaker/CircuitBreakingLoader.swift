internal import HTTPTypes
public import ImageCore

/// Keeps requests away from hosts that keep failing, by a ``CircuitBreaker`` for each: an outage is answered at once, and
/// the host is left in peace to come back.
///
/// A host fails that is not found, refuses or loses connections, is too slow, or answers 500, 502, 503 or 504, whether that
/// shows before the head of an answer or in the middle of its body. It succeeds when the body has come to its end; answers
/// other than 2xx count when their head is here, since their bodies are seldom read. A request that is cancelled counts for
/// nothing. Nor does a body that is dropped before its end, nor one that ran out of time while its reader was away for most of
/// it.
///
/// **Time**: an attempt that ends by its timeout is a failure of the host. One that the deadline ends counts for nothing, since
/// waits and earlier attempts may have used the time up. The loader itself never waits.
///
/// Put it inside a ``RetryingLoader``, which does not retry what is refused here, and inside a ``ResumingLoader``, so that each
/// connection that breaks off counts.
///
/// ```swift
/// let loader = ResumingLoader(RetryingLoader(CircuitBreakingLoader(CurlLoader())))
/// ```
public final class CircuitBreakingLoader: DataLoading {
    /// Hosts remembered at most; only those that failed lately or are being asked are.
    private static let mostHosts = 10_000

    private struct Host {
        var breaker: CircuitBreaker
        /// Tickets that are out. A breaker that is forgotten meanwhile could not tell them from new ones.
        var underWay = 0
    }

    private let loader: any DataLoading
    private let policy: CircuitBreaker.Policy
    private let elapsed: @Sendable () -> Duration
    private let hosts = Lock<[WebAddress.Origin: Host]>([:])

    /// - Parameter clock: by which time is told.
    public init<C: Clock<Duration>>(
        _ loader: any DataLoading, policy: CircuitBreaker.Policy = CircuitBreaker.Policy(), clock: C = ContinuousClock()
    ) {
        self.loader = loader
        self.policy = policy
        let start = clock.now
        elapsed = { start.duration(to: clock.now) }
    }

    /// What the wrapped loader returns, its body watched.
    ///
    /// - Throws: ``ImageError/Code/hostPaused`` without asking, and what the loader throws.
    public func load(_ request: DataRequest) async throws -> DataResponse {
        guard let host = try? WebAddress(request.url.absoluteString).origin else { return try await loader.load(request) }
        let began = elapsed()
        let ticket = try ticket(for: host, request, now: began)
        do {
            var response = try await loader.load(request)
            if Self.endsWithHead(response) {
                record(Self.failedStatuses.contains(response.head.status.code) ? .failure : .success, of: ticket, host)
            } else {
                let body = WatchedBody(response.body, began: began, elapsed: elapsed) { [self] in record($0, of: ticket, host) }
                response.body = ByteStream { try await body.next() }
            }
            return response
        } catch {
            record(CircuitBreaker.Outcome(error), of: ticket, host)
            throw error
        }
    }

    /// How many hosts it remembers.
    var hostCount: Int { hosts.withLock { $0.count } }

    private func ticket(
        for host: WebAddress.Origin, _ request: DataRequest, now: Duration
    ) throws(ImageError) -> CircuitBreaker.Ticket {
        let decision = change(host) { host in
            let decision = host.breaker.decide(now: now)
            if case .pass = decision { host.underWay += 1 }
            return decision
        }
        switch decision {
        case .pass(let ticket): return ticket
        case .refuse(let wait):
            let when = wait > .zero ? "the next try is in \(wait.inSeconds)" : "a try runs"
            throw ImageError(
                .hostPaused,
                message: "“\(host.host)” has failed too often and is not asked for \(ImageSource.redacted(request.url)); \(when)."
            )
        }
    }

    private func record(_ outcome: CircuitBreaker.Outcome, of ticket: CircuitBreaker.Ticket, _ host: WebAddress.Origin) {
        let now = elapsed()
        change(host) { host in
            host.breaker.record(outcome, of: ticket, now: now)
            host.underWay = max(0, host.underWay - 1)
        }
    }

    private func change<R: Sendable>(_ key: WebAddress.Origin, _ body: @Sendable (inout Host) -> R) -> R {
        hosts.withLock { hosts in
            var host = hosts[key] ?? Host(breaker: CircuitBreaker(policy))
            let result = body(&host)
            // Most hosts never fail, and take no room when they are not asked.
            hosts[key] = host.underWay == 0 && host.breaker.isAtRest ? nil : host
            if hosts.count > Self.mostHosts, let any = hosts.keys.first(where: { $0 != key }) { hosts[any] = nil }
            return result
        }
    }

    /// Whether there is no body to wait for, or none that says anything.
    private static func endsWithHead(_ response: DataResponse) -> Bool {
        response.body.wholeData != nil || response.head.status.kind != .successful
    }

    private static let failedStatuses: Set<Int> = [500, 502, 503, 504]
}

extension CircuitBreaker.Outcome {
    /// What an error tells of the host.
    init(_ error: any Error) {
        self = (error as? ImageError).map { Self.failedCodes.contains($0.code) } == true ? .failure : .unknown
    }

    private static let failedCodes: Set<ImageError.Code> = [.hostNotFound, .connectionFailed, .connectionLost, .timedOut]
}

extension ImageError.Code {
    /// The host has failed too often and is left alone for a while; see ``CircuitBreakingLoader``.
    public static let hostPaused = Self("hostPaused", .network)
}
