internal import ImageCore

/// Passes a body on, and reports once how it ended.
final class WatchedBody: Sendable {
    struct Report {
        /// What ended the body early: `CancellationError` if the reader dropped it; `nil` for a complete body.
        let error: (any Error)?
        /// Bytes that the reader got.
        let receivedBytes: Int
        /// How long the reader did not wait for bytes.
        let readerPause: Duration
    }

    private struct State {
        var iterator: ByteStream.AsyncIterator
        var receivedBytes = 0
        var readerPause = Duration.zero
        var pausedSince: Duration
        var onEnd: (@Sendable (Report) -> Void)?
    }

    private let state: Lock<State>
    private let elapsed: @Sendable () -> Duration

    /// - Parameter elapsed: the time on a monotonic clock.
    init(_ body: ByteStream, elapsed: @escaping @Sendable () -> Duration, onEnd: @escaping @Sendable (Report) -> Void) {
        state = Lock(State(iterator: body.makeAsyncIterator(), pausedSince: elapsed(), onEnd: onEnd))
        self.elapsed = elapsed
    }

    deinit { end(CancellationError()) }

    /// The body with this object in between.
    var stream: ByteStream { ByteStream { try await self.next() } }

    private func next() async throws -> Data? {
        let now = elapsed()
        // A body has one reader at a time, so the iterator is not used by another call meanwhile.
        var iterator = state.withLock { state in
            state.readerPause += now - state.pausedSince
            return state.iterator
        }
        do {
            let chunk = try await iterator.next()
            let (used, now) = (iterator, elapsed())
            state.withLock { state in
                (state.iterator, state.pausedSince) = (used, now)
                state.receivedBytes += chunk?.count ?? 0
            }
            if chunk == nil { end(nil) }
            return chunk
        } catch {
            end(error)
            throw error
        }
    }

    private func end(_ error: (any Error)?) {
        let (onEnd, report) = state.withLock { state in
            defer { state.onEnd = nil }
            return (state.onEnd, Report(error: error, receivedBytes: state.receivedBytes, readerPause: state.readerPause))
        }
        onEnd?(report)
    }
}
