internal import HTTPTypes
public import ImageCore

/// Stops sending requests to hosts that keep failing, by a ``CircuitBreaker`` for each: loads fail at once, and the host can
/// recover.
///
/// A host fails that is not found, refuses or loses connections, times out, or responds with 500, 502, 503 or 504, before the
/// response headers or in the middle of the body. It succeeds when the body is complete; responses other than 2xx count when
/// their headers are complete, since their bodies are seldom read. A request that is cancelled counts neither way, and so does a
/// body that is dropped before its end, or that times out after its reader paused for more than half of the time.
///
/// **Time**: an attempt that ends by its timeout is a failure of the host. One that the deadline ends counts neither way, since
/// waits and earlier attempts may have used the time up. The loader itself never waits.
///
/// Put it inside a ``RetryingLoader``, which does not retry requests that this loader rejects, and inside a ``ResumingLoader``, so
/// that each lost connection counts.
///
/// ```swift
/// let loader = ResumingLoader(RetryingLoader(CircuitBreakingLoader(CurlLoader())))
/// ```
public final class CircuitBreakingLoader: DataLoading {
    /// The most hosts that are remembered: only those that failed recently or have requests running.
    private static let maximumHosts = 10_000
    private static let failedStatuses: Set<Int> = [500, 502, 503, 504]

    private struct Host {
        var breaker: CircuitBreaker
        /// Requests that have not ended. A breaker that is forgotten meanwhile could not tell their tickets from new ones.
        var runningRequests = 0
    }

    private let loader: any DataLoading
    private let policy: CircuitBreaker.Policy
    private let clock: AnyClock
    private let hosts = Lock<[WebAddress.Origin: Host]>([:])

    /// Wraps a loader.
    ///
    /// - Parameters:
    ///   - loader: sends the requests that are let through.
    ///   - policy: when a host counts as failing, and for how long.
    ///   - clock: measures the time; `ContinuousClock` by default.
    public init(
        _ loader: any DataLoading, policy: CircuitBreaker.Policy = CircuitBreaker.Policy(),
        clock: any Clock<Duration> = ContinuousClock()
    ) {
        self.loader = loader
        self.policy = policy
        self.clock = AnyClock(clock)
    }

    /// What the wrapped loader returns, its body watched.
    ///
    /// - Throws: ``ImageError/Code/hostPaused`` without sending the request, and what the wrapped loader throws.
    public func load(_ request: DataRequest) async throws -> DataResponse {
        guard let host = try? WebAddress(request.url).origin else { return try await loader.load(request) }
        let start = clock.now
        let ticket = try ticket(for: host, request, now: start)
        do {
            var response = try await loader.load(request)
            if response.body.wholeData != nil || response.head.status.kind != .successful {
                record(Self.failedStatuses.contains(response.head.status.code) ? .failure : .success, of: ticket, host)
            } else {
                response.body =
                    WatchedBody(response.body, clock: clock) { [self] report in
                        record(outcome(of: report, start: start), of: ticket, host)
                    }.stream
            }
            return response
        } catch {
            record(CircuitBreaker.Outcome(error), of: ticket, host)
            throw error
        }
    }

    /// How many hosts it remembers.
    var hostCount: Int { hosts.withLock { $0.count } }

    private func outcome(of report: WatchedBody.Report, start: Duration) -> CircuitBreaker.Outcome {
        guard let error = report.error else { return .success }
        // A timeout is not the host's fault when the reader paused for most of the time.
        let isTimeout = (error as? ImageError)?.code == .timedOut
        return isTimeout && report.readerPause * 2 > clock.now - start ? .unknown : CircuitBreaker.Outcome(error)
    }

    private func ticket(for host: WebAddress.Origin, _ request: DataRequest, now: Duration) throws(ImageError)
        -> CircuitBreaker.Ticket
    {
        let decision = change(host) { host in
            let decision = host.breaker.decide(now: now)
            if case .allow = decision { host.runningRequests += 1 }
            return decision
        }
        switch decision {
        case .allow(let ticket): return ticket
        case .reject(let wait):
            let when = wait > .zero ? "the next attempt is in \(wait.inSeconds)" : "an attempt runs"
            throw ImageError(
                .hostPaused,
                message: "\(ImageSource.redacted(request.url)) was not requested: “\(host.host)” has failed too often; \(when).")
        }
    }

    private func record(_ outcome: CircuitBreaker.Outcome, of ticket: CircuitBreaker.Ticket, _ host: WebAddress.Origin) {
        let now = clock.now
        change(host) { host in
            host.breaker.record(outcome, of: ticket, now: now)
            host.runningRequests = max(0, host.runningRequests - 1)
        }
    }

    private func change<R: Sendable>(_ key: WebAddress.Origin, _ body: @Sendable (inout Host) -> R) -> R {
        hosts.withLock { hosts in
            var host = hosts[key] ?? Host(breaker: CircuitBreaker(policy))
            let result = body(&host)
            // A host without failures and requests is forgotten.
            hosts[key] = host.runningRequests == 0 && host.breaker.isAtRest ? nil : host
            if hosts.count > Self.maximumHosts, let any = hosts.keys.first(where: { $0 != key }) { hosts[any] = nil }
            return result
        }
    }
}

extension CircuitBreaker.Outcome {
    /// The outcome that an error stands for: a failure of the host, or unknown.
    init(_ error: any Error) {
        let isFailure = (error as? ImageError).map { ImageError.Code.connectionFailures.contains($0.code) } ?? false
        self = isFailure ? .failure : .unknown
    }
}

extension ImageError.Code {
    /// The host has failed too often and gets no requests for a while; see ``CircuitBreakingLoader``.
    public static let hostPaused = Self("hostPaused", .network)
}
