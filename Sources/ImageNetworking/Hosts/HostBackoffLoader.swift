internal import HTTPTypes
public import ImageCore

internal import CalotypeSystem

/// Leaves hosts alone that ask for it, and asks hosts less that keep failing, by a ``HostBackoff`` for each.
///
/// A response with status 429 or 503 and `Retry-After` pauses its host (scheme, name and port) for that time. All
/// requests to the host wait in the order in which they came, also the one that was refused, which is then sent again;
/// only idempotent requests are. So a refusal is no attempt, and a ``RetryingLoader`` around this loader does not
/// notice it. A request that would have to wait for longer than ``HostBackoff/Policy/maximumWait`` or its deadline ends
/// at once: with the response if it was sent, or else with ``ImageError/Code/hostPaused``.
///
/// A host fails that is not found, refuses or loses connections, times out, or responds with 429, 500, 502, 503 or 504,
/// before the response headers or in the middle of the body. It succeeds when the body is complete; responses other
/// than 2xx count when their headers are complete, since their bodies are seldom read. A request that is cancelled
/// counts neither way, and so does a body that is dropped before its end, or that times out after its reader paused for
/// more than half of the time.
///
/// **Time**: waits end at the deadline. The attempt that follows has its whole timeout, or the time that is left until
/// the deadline. An attempt that ends by its timeout is a failure of the host; one that the deadline ends counts
/// neither way, since waits and earlier attempts may have used the time up.
///
/// Put it inside a ``RetryingLoader`` and a ``ResumingLoader``, so that it sees each attempt.
///
/// ```swift
/// let loader = ResumingLoader(RetryingLoader(HostBackoffLoader(CurlLoader())))
/// ```
public final class HostBackoffLoader: DataLoading {
    /// The most hosts that are remembered: only those that failed recently or have requests running.
    private static let maximumHosts = 10_000
    private static let failedStatuses: Set<Int> = [429, 500, 502, 503, 504]
    /// The share by which a pause is at most longer than the host asked for. Other clients then do not return at the
    /// same time.
    private static let jitter = 0.1

    private struct Host {
        var backoff: HostBackoff
        /// Requests that have not ended. A host that is forgotten meanwhile could not tell their tickets from new ones.
        var runningRequests = 0
        /// The requests that wait, in the order of their numbers.
        var waiters: [(number: Int, turn: AsyncStream<Void>.Continuation)] = []

        /// Has the next request ask again whether it may be sent.
        func wakeNext() { waiters.first?.turn.finish() }
    }

    /// A request with its place among those to its host.
    private struct NumberedRequest {
        let request: DataRequest
        let host: WebAddress.Origin
        let number: Int
        var waited = Duration.zero
    }

    /// Whether a request may be sent.
    private enum Admission {
        case granted(HostBackoff.Ticket)
        /// It asks again when the stream ends, or after a time.
        case delayed(AsyncStream<Void>, Duration)
        /// It may not wait that long.
        case denied
    }

    /// The hosts that are remembered, and the number of requests so far.
    private struct State {
        var hosts: [WebAddress.Origin: Host] = [:]
        var requests = 0
    }

    private let loader: any DataLoading
    private let policy: HostBackoff.Policy
    private let clock: AnyClock
    private let random: @Sendable () -> Double
    private let state = Lock(State())

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

    /// What the wrapped loader returns when the host accepts the request, its body watched.
    ///
    /// - Throws: ``ImageError/Code/hostPaused`` and ``ImageError/Code/deadlineExceeded`` without sending the request,
    ///   `CancellationError`, and what the wrapped loader throws.
    public func load(_ request: DataRequest) async throws -> DataResponse {
        guard let host = try? WebAddress(request.url).origin else { return try await loader.load(request) }
        let number = state.withLock { state in
            state.requests += 1
            return state.requests
        }
        var numbered = NumberedRequest(request: request, host: host, number: number)
        while true {
            let ticket = try await waitForTurn(&numbered)
            if let response = try await acceptedResponse(to: numbered, ticket) { return response }
        }
    }

    // MARK: Sending

    /// The response; `nil` when the host refused the request, which is to wait. Returning releases the refusal: while
    /// its body is unread it holds a connection.
    private func acceptedResponse(to numbered: NumberedRequest, _ ticket: HostBackoff.Ticket) async throws -> DataResponse? {
        let (host, start) = (numbered.host, clock.now)
        do {
            var request = numbered.request
            if let left = try request.timeUntilDeadline() { request.timeout = min(request.timeout, left) }
            var response = try await loader.load(request)
            change(host) { $0.backoff.release(ticket) }
            if let pause = pause(after: response.head) {
                // Nothing else would be loaded from a host that asks for a pause of an hour.
                end(pause <= policy.maximumWait ? .refused(pause) : .failure, of: ticket, host)
                if pause <= timeLeft(for: numbered), request.method.isIdempotent { return nil }
                // A retrying loader would wait once more.
                response.retriesLeft = 0
            } else if response.body.wholeData != nil || response.head.status.kind != .successful {
                end(Self.failedStatuses.contains(response.head.status.code) ? .failure : .success, of: ticket, host)
            } else {
                response.body =
                    WatchedBody(response.body, clock: clock) { [self] report in
                        end(outcome(of: report, start: start), of: ticket, host)
                    }.stream
            }
            return response
        } catch {
            let error = numbered.request.replacingTimeoutAtDeadline(error)
            change(host) { $0.backoff.release(ticket) }
            end(HostBackoff.Outcome(error), of: ticket, host)
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

    private func outcome(of report: WatchedBody.Report, start: Duration) -> HostBackoff.Outcome {
        guard let error = report.error else { return .success }
        // A timeout is not the host's fault when the reader paused for most of the time.
        let isTimeout = (error as? ImageError)?.code == .timedOut
        return isTimeout && report.readerPause * 2 > clock.now - start ? .unknown : HostBackoff.Outcome(error)
    }

    private func end(_ outcome: HostBackoff.Outcome, of ticket: HostBackoff.Ticket, _ host: WebAddress.Origin) {
        let now = clock.now
        change(host) { host in
            host.backoff.record(outcome, of: ticket, now: now)
            host.runningRequests -= 1
        }
    }

    /// Changes what is known of a host, which may allow its next request.
    private func change(_ key: WebAddress.Origin, _ body: @Sendable (inout Host) -> Void) {
        state.withLock { state in
            guard var host = state.hosts[key] else { return }
            body(&host)
            host.wakeNext()
            let isForgotten = host.runningRequests <= 0 && host.waiters.isEmpty && host.backoff.isAtRest
            state.hosts[key] = isForgotten ? nil : host
        }
    }

    // MARK: Waiting

    /// Waits until the host may get the request.
    private func waitForTurn(_ numbered: inout NumberedRequest) async throws -> HostBackoff.Ticket {
        while true {
            let now = clock.now
            do {
                switch admit(numbered, now: now) {
                case .granted(let ticket): return ticket
                case .delayed(let turn, let limit):
                    _ = try await clock.value(within: limit) { for await _ in turn {} }
                    try Task.checkCancellation()
                case .denied: throw error(for: numbered)
                }
            } catch {
                change(numbered.host) { [number = numbered.number] host in host.waiters.removeAll { $0.number == number } }
                throw error
            }
            numbered.waited += clock.now - now
        }
    }

    private func admit(_ numbered: NumberedRequest, now: Duration) -> Admission {
        let left = timeLeft(for: numbered)
        return state.withLock { [policy] state in
            var host = state.hosts[numbered.host] ?? Host(backoff: HostBackoff(policy))
            defer {
                state.hosts[numbered.host] = host
                if state.hosts.count > Self.maximumHosts, let other = state.hosts.first(where: { $1.waiters.isEmpty })?.key {
                    state.hosts[other] = nil
                }
            }
            host.waiters.removeAll { $0.number == numbered.number }
            let place = host.waiters.firstIndex { $0.number > numbered.number } ?? host.waiters.endIndex
            let limit: Duration
            switch place == 0 ? host.backoff.decide(now: now) : .queue(left) {
            case .send(let ticket):
                host.runningRequests += 1
                host.wakeNext()
                return .granted(ticket)
            case .pause(let pause): limit = pause
            case .queue(let longest): limit = min(longest, left)
            }
            guard left > .zero, limit <= left else { return .denied }
            let (turn, continuation) = AsyncStream<Void>.makeStream()
            host.waiters.insert((numbered.number, continuation), at: place)
            return .delayed(turn, limit)
        }
    }

    /// How much longer a request may wait.
    private func timeLeft(for numbered: NumberedRequest) -> Duration {
        let left = policy.maximumWait - numbered.waited
        return numbered.request.deadline.map { min(left, $0.remaining) } ?? left
    }

    private func error(for numbered: NumberedRequest) -> ImageError {
        let paused = ImageError(
            .hostPaused,
            message:
                "\(ImageSource.redacted(numbered.request.url)) was not requested: “\(numbered.host.host)” limits its requests or "
                + "keeps failing, and the load may not wait longer. Try again later.")
        guard let deadline = numbered.request.deadline, deadline.remaining <= .zero else { return paused }
        return .deadlineExceeded(by: numbered.request.url, deadline, causes: [paused.message])
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
