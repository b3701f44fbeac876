public import ImageCore

/// Limits the rate of all its response bodies together.
///
/// It works by back-pressure: bytes are passed on no faster than the rate allows, which slows down the socket of a network loader
/// that receives no further ahead than its reader. Bodies that were complete at once count too.
///
/// **Time**: while a body waits, the timeout of its transfer continues. The wait ends at the deadline, with
/// ``ImageError/Code/deadlineExceeded``.
///
/// ```swift
/// let loader = ThrottledLoader(CurlLoader(), bytesPerSecond: 200_000)
/// loader.bytesPerSecond = 0  // unlimited again
/// ```
public final class ThrottledLoader: DataLoading {
    private let loader: any DataLoading
    private let bucket: Lock<TokenBucket>
    private let elapsed: @Sendable () -> Duration
    private let sleep: @Sendable (Duration) async throws -> Void

    /// Wraps a loader.
    ///
    /// - Parameters:
    ///   - loader: its bodies are slowed down.
    ///   - bytesPerSecond: the limit; 0 for none.
    ///   - clock: measures the time and the waits; `ContinuousClock` by default.
    public init<C: Clock<Duration>>(_ loader: any DataLoading, bytesPerSecond: Int, clock: C = ContinuousClock()) {
        self.loader = loader
        let start = clock.now
        elapsed = { start.duration(to: clock.now) }
        sleep = { try await clock.sleep(for: $0) }
        bucket = Lock(TokenBucket(bytesPerSecond: bytesPerSecond, now: .zero))
    }

    /// The limit over all loads, in bytes per second; 0 for none. A change takes effect with the next chunk.
    public var bytesPerSecond: Int {
        get { bucket.withLock { $0.bytesPerSecond } }
        set { bucket.withLock { $0.setRate(newValue) } }
    }

    /// What the wrapped loader returns, its body slowed down.
    ///
    /// - Throws: what the wrapped loader throws; the body also throws ``ImageError/Code/deadlineExceeded``.
    public func load(_ request: DataRequest) async throws -> DataResponse {
        var response = try await loader.load(request)
        let chunks = Chunks(response.body, of: request, throttle: self)
        response.body = ByteStream { try await chunks.next() }
        return response
    }

    /// The most bytes of one chunk: those of a twentieth of a second, for smooth progress.
    fileprivate var chunkSize: Int {
        let rate = bytesPerSecond
        return rate > 0 ? max(1024, rate / 20) : .max
    }

    fileprivate func pay(for count: Int, of request: DataRequest) async throws {
        let wait = bucket.withLock { $0.take(count, now: elapsed()) }
        guard wait > .zero else { return }
        guard let deadline = request.deadline, deadline.remaining <= wait else { return try await sleep(wait) }
        try await sleep(max(.zero, deadline.remaining))
        throw ImageError.deadlineExceeded(by: request.url, deadline)
    }
}

/// Cuts a body into chunks, each taken from the bucket before it is passed on.
private final class Chunks: Sendable {
    private struct State {
        var iterator: ByteStream.AsyncIterator
        var rest = Data()
    }

    private let state: Lock<State>
    private let request: DataRequest
    private let throttle: ThrottledLoader

    init(_ body: ByteStream, of request: DataRequest, throttle: ThrottledLoader) {
        state = Lock(State(iterator: body.makeAsyncIterator()))
        self.request = request
        self.throttle = throttle
    }

    func next() async throws -> Data? {
        if state.withLock({ $0.rest.isEmpty }) {
            // A body has one reader at a time, so the iterator is not used by another call meanwhile.
            var iterator = state.withLock { $0.iterator }
            guard let chunk = try await iterator.next() else { return nil }
            let used = iterator
            state.withLock { $0 = State(iterator: used, rest: chunk) }
        }
        let size = throttle.chunkSize
        let chunk = state.withLock { state in
            let chunk = state.rest.prefix(size)
            state.rest = state.rest.dropFirst(chunk.count)
            return chunk
        }
        try await throttle.pay(for: chunk.count, of: request)
        return chunk
    }
}
