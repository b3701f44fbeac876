public import HTTPTypes
public import ImageCore

/// An interceptor that makes the network worse: offline, slow to answer, unreliable. For tests, and to try an app by
/// hand. ``BandwidthLimit`` of ImageNetworking limits the rate.
///
/// Around fetches (`interceptors`), a failure is final; around attempts (`attemptInterceptors`), the loader repeats it.
/// Conditions can change at any time, and hold for the requests that begin later.
///
/// ```swift
/// let conditioner = NetworkConditioner(NetworkConditioner.Conditions(latency: .milliseconds(300), failureRate: 0.1))
/// let loader = ImageLoader.standard { $0.interceptors = [conditioner] }
/// conditioner.conditions.isOffline = true
/// ```
public final class NetworkConditioner: RequestInterceptor {
    /// What is wrong with the network.
    public struct Conditions: Sendable, Equatable {
        /// Whether every request fails with ``ImageError/Code/offline``.
        public var isOffline: Bool
        /// The time before a request is sent.
        public var latency: Duration
        /// The share of requests, from 0 to 1, that fail with ``ImageError/Code/connectionLost`` before the response.
        public var failureRate: Double
        /// The share of bodies, from 0 to 1, that break off with ``ImageError/Code/connectionLost``, after half of the
        /// length that the response announces, or else after 1,000 bytes.
        public var breakRate: Double
        /// The status of an answer without a body that comes instead of each response; `nil` for none.
        public var status: HTTPResponse.Status?

        /// Creates conditions; by default those of a network without faults.
        public init(
            isOffline: Bool = false, latency: Duration = .zero, failureRate: Double = 0, breakRate: Double = 0,
            status: HTTPResponse.Status? = nil
        ) {
            (self.isOffline, self.latency, self.failureRate) = (isOffline, latency, failureRate)
            (self.breakRate, self.status) = (breakRate, status)
        }
    }

    private struct State {
        var conditions: Conditions
        var generator: SeededGenerator

        /// Whether one of `share` of all cases has come.
        mutating func hits(_ share: Double) -> Bool { Double.random(in: 0..<1, using: &generator) < share }
    }

    private let state: Lock<State>
    private let clock: AnyClock

    /// Creates a conditioner.
    ///
    /// - Parameters:
    ///   - conditions: what is wrong; by default nothing.
    ///   - seed: determines which requests fail, in the order in which they begin; 1 by default.
    ///   - clock: measures the latency; `ContinuousClock` by default.
    public init(
        _ conditions: Conditions = Conditions(), seed: UInt64 = 1, clock: any Clock<Duration> = ContinuousClock()
    ) {
        state = Lock(State(conditions: conditions, generator: SeededGenerator(seed: seed)))
        self.clock = AnyClock(clock)
    }

    /// What is wrong with the network at present.
    public var conditions: Conditions {
        get { state.withLock { $0.conditions } }
        set { state.withLock { $0.conditions = newValue } }
    }

    public func intercept(_ request: DataRequest, next: Next) async throws -> DataResponse {
        // Both are drawn for each request, so that one rate does not change which requests the other one hits.
        let (conditions, fails, breaks) = state.withLock { state in
            (state.conditions, state.hits(state.conditions.failureRate), state.hits(state.conditions.breakRate))
        }
        if conditions.isOffline { throw ImageError(.offline, message: "The network conditioner is offline.") }
        if conditions.latency > .zero { try await clock.sleep(for: conditions.latency) }
        if fails { throw ImageError(.connectionLost, message: "The network conditioner lost the connection.") }
        if let status = conditions.status {
            return DataResponse(url: request.url, head: HTTPResponse(status: status), body: ByteStream(Data()))
        }
        var response = try await next(request)
        if breaks { response.body = broken(response.body, after: response.expectedBytes.map { $0 / 2 } ?? 1_000) }
        return response
    }

    /// The beginning of a body, and then an error.
    private func broken(_ body: ByteStream, after count: Int) -> ByteStream {
        let reader = ByteStreamReader(body)
        let left = Lock(count)
        return ByteStream {
            let count = left.withLock { $0 }
            guard count > 0, let chunk = try await reader.next() else {
                throw ImageError(.connectionLost, message: "The network conditioner broke the body off.")
            }
            left.withLock { $0 -= min(count, chunk.count) }
            return chunk.prefix(count)
        }
    }
}
