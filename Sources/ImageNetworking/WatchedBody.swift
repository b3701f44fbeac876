internal import ImageCore

/// Passes a body on, and reports once how it ended.
final class WatchedBody: Sendable {
    struct Report {
        /// What ended the body early: `CancellationError` if the reader dropped it; `nil` for a complete body.
        let error: (any Error)?
        /// Bytes that the reader got.
        let receivedBytes: Int
    }

    private struct State {
        var receivedBytes = 0
        var onEnd: (@Sendable (Report) -> Void)?
    }

    private let reader: ByteStreamReader
    private let buffer: BodyBuffer?
    private let state: Lock<State>

    init(_ body: ByteStream, onEnd: @escaping @Sendable (Report) -> Void) {
        reader = ByteStreamReader(body)
        buffer = body.buffer
        state = Lock(State(onEnd: onEnd))
    }

    deinit { end(CancellationError()) }

    /// The body with this object in between.
    var stream: ByteStream { ByteStream(keptIn: buffer) { try await self.next() } }

    private func next() async throws -> Data? {
        do {
            let chunk = try await reader.next()
            state.withLock { $0.receivedBytes += chunk?.count ?? 0 }
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
            return (state.onEnd, Report(error: error, receivedBytes: state.receivedBytes))
        }
        onEnd?(report)
    }
}
