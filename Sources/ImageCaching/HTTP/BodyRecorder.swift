internal import ImageCore

/// Passes a body through, after bytes that were stored before, and calls `onEnd` with the whole body at its end. Drops the bytes if
/// the body exceeds the limit, fails or is not read to its end.
final class BodyRecorder: Sendable {
    private struct State {
        var start: Data?
        /// `nil` once the body is too long or has ended.
        var recorded: BodyBytes? = BodyBytes()
    }

    private let reader: ByteStreamReader
    private let state: Lock<State>
    private let limit: Int
    private let onEnd: @Sendable (Data) async -> Void

    init(_ body: ByteStream, start: Data, limit: Int, onEnd: @escaping @Sendable (Data) async -> Void) {
        reader = ByteStreamReader(body)
        state = Lock(State(start: start.isEmpty ? nil : start))
        self.limit = limit
        self.onEnd = onEnd
    }

    func next() async throws -> Data? {
        // The recorded bytes are lost if the body fails here.
        var (chunk, recorded) = state.withLock { ($0.start.take(), $0.recorded.take()) }
        if chunk == nil { chunk = try await reader.next() }
        guard let chunk else {
            if let recorded { await onEnd(recorded.data) }
            return nil
        }
        if let count = recorded?.count, count + chunk.count <= limit, recorded?.append(chunk) == true {
            let longer = recorded
            state.withLock { $0.recorded = longer }
        }
        return chunk
    }
}
