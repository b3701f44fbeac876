internal import ImageCore

/// A limit on the rate of downloads, over all loaders that share it. It can change at any time.
///
/// ```swift
/// let limit = BandwidthLimit(bytesPerSecond: 500_000)
/// func limited() -> ImageLoader { .standard { $0.bandwidthLimit = limit } }
/// ```
public final class BandwidthLimit: Sendable {
    private let bucket: Lock<TokenBucket>
    private let clock: AnyClock

    /// Creates a limit.
    ///
    /// - Parameters:
    ///   - bytesPerSecond: the limit; 0, or a negative number, for none.
    ///   - clock: measures the time and the waits; `ContinuousClock` by default.
    public init(bytesPerSecond: Int, clock: any Clock<Duration> = ContinuousClock()) {
        self.clock = AnyClock(clock)
        bucket = Lock(TokenBucket(bytesPerSecond: bytesPerSecond, now: .zero))
    }

    /// The limit over all loads, in bytes per second; 0 for none. A change takes effect with the next chunk.
    public var bytesPerSecond: Int {
        get { bucket.withLock { $0.bytesPerSecond } }
        set { bucket.withLock { $0.setRate(newValue) } }
    }

    /// The most bytes of one chunk: those of a twentieth of a second, for smooth progress.
    var chunkSize: Int {
        let rate = bytesPerSecond
        return rate > 0 ? max(1024, rate / 20) : .max
    }

    /// Waits until bytes may pass, or for the deadline of their request.
    func pay(for count: Int, of request: DataRequest) async throws {
        let wait = bucket.withLock { $0.take(count, now: clock.now) }
        guard wait > .zero else { return }
        guard let deadline = request.deadline, deadline.remaining <= wait else { return try await clock.sleep(for: wait) }
        try await clock.sleep(for: max(.zero, deadline.remaining))
        throw ImageError.deadlineExceeded(by: request.url, deadline)
    }
}
