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
        var receivedBytes = 0
        var readerPause = Duration.zero
        var pausedSince: Duration
        var onEnd: (@Sendable (Report) -> Void)?
    }

    private let reader: ByteStreamReader
    private let buffer: BodyBuffer?
    private let state: Lock<State>
    private let clock: AnyClock

    init(_ body: ByteStream, clock: AnyClock, onEnd: @escaping @Sendable (Report) -> Void) {
        reader = ByteStreamReader(body)
        buffer = body.buffer
        state = Lock(State(pausedSince: clock.now, onEnd: onEnd))
        self.clock = clock
    }

    deinit { end(CancellationError()) }

    /// The body with this object in between.
    var stream: ByteStream { ByteStream(keptIn: buffer) { try await self.next() } }

    private func next() async throws -> Data? {
        let now = clock.now
        state.withLock { $0.readerPause += now - $0.pausedSince }
        do {
            let chunk = try await reader.next()
            let now = clock.now
            state.withLock { state in
                state.pausedSince = now
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
