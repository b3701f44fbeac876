internal import ImageCore

/// Passes a body through, after bytes that were stored before, and calls `onEnd` with the whole body at its end. Drops the bytes if
/// the body exceeds the limit, fails or is not read to its end.
final class BodyRecorder: Sendable {
    private struct State {
        var iterator: ByteStream.AsyncIterator?
        var start: Data?
        /// `nil` once the body is too long.
        var recorded: BodyBytes? = BodyBytes()

        mutating func record(_ chunk: Data, limit: Int) {
            guard let count = recorded?.count else { return }
            if count + chunk.count > limit || recorded?.append(chunk) == false { recorded = nil }
        }
    }

    private let state: Lock<State>
    private let limit: Int
    private let onEnd: @Sendable (Data) async -> Void

    init(_ body: ByteStream, start: Data, limit: Int, onEnd: @escaping @Sendable (Data) async -> Void) {
        state = Lock(State(iterator: body.makeAsyncIterator(), start: start.isEmpty ? nil : start))
        self.limit = limit
        self.onEnd = onEnd
    }

    func next() async throws -> Data? {
        let limit = limit
        let start = state.withLock { state -> Data? in
            guard let start = state.start else { return nil }
            state.start = nil
            state.record(start, limit: limit)
            return start
        }
        if let start { return start }
        // There is one reader at a time, so the iterator is missing only after a failure.
        let taken = state.withLock { state in
            defer { state.iterator = nil }
            return state.iterator
        }
        guard var iterator = taken else { return nil }
        let chunk = try await iterator.next()
        guard let chunk else {
            if let recorded = state.withLock({ $0.recorded.take() }) { await onEnd(recorded.data) }
            return nil
        }
        let used = iterator
        state.withLock { state in
            state.iterator = used
            state.record(chunk, limit: limit)
        }
        return chunk
    }
}
