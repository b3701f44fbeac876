internal import ImageCore

/// Passes a body on, and tells once how it ended: at its end, where it breaks off, or where it is dropped.
final class WatchedBody: Sendable {
    private struct State {
        var iterator: ByteStream.AsyncIterator
        /// How long its reader has asked for nothing, and since when.
        var away = Duration.zero
        var leftAt: Duration
        var onEnd: (@Sendable (CircuitBreaker.Outcome) -> Void)?
    }

    private let state: Lock<State>
    private let began: Duration
    private let elapsed: @Sendable () -> Duration

    /// - Parameters:
    ///   - began: when its request did.
    ///   - elapsed: tells the time.
    init(
        _ body: ByteStream, began: Duration, elapsed: @escaping @Sendable () -> Duration,
        onEnd: @escaping @Sendable (CircuitBreaker.Outcome) -> Void
    ) {
        state = Lock(State(iterator: body.makeAsyncIterator(), leftAt: elapsed(), onEnd: onEnd))
        self.began = began
        self.elapsed = elapsed
    }

    deinit { end(.unknown) }

    func next() async throws -> Data? {
        let now = elapsed()
        // One reader at a time, so that nobody else uses the iterator meanwhile.
        var iterator = state.withLock { state in
            state.away += now - state.leftAt
            return state.iterator
        }
        do {
            let chunk = try await iterator.next()
            let (used, now) = (iterator, elapsed())
            state.withLock { ($0.iterator, $0.leftAt) = (used, now) }
            if chunk == nil { end(.success) }
            return chunk
        } catch {
            end(outcome(of: error))
            throw error
        }
    }

    private func outcome(of error: any Error) -> CircuitBreaker.Outcome {
        // Time that the reader let pass is not the host's.
        let isLate = (error as? ImageError)?.code == .timedOut
        let wasLeft = isLate && state.withLock { $0.away } * 2 > elapsed() - began
        return wasLeft ? .unknown : CircuitBreaker.Outcome(error)
    }

    private func end(_ outcome: CircuitBreaker.Outcome) {
        let onEnd = state.withLock { state in
            defer { state.onEnd = nil }
            return state.onEnd
        }
        onEnd?(outcome)
    }
}
