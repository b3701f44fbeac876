internal import ImageCore

/// Passes a body through, after bytes that were stored before, and calls `onEnd` with the whole body at its end. Drops the bytes if
/// the body exceeds the limit, fails or is not read to its end.
final class BodyRecorder: Sendable {
    private struct State {
        var iterator: ByteStream.AsyncIterator?
        var start: Data?
        var chunks: [Data] = []
        var count = 0
        var isTooLong = false

        mutating func record(_ chunk: Data, limit: Int) {
            count += chunk.count
            if count > limit {
                isTooLong = true
                chunks = []
            } else if !isTooLong {
                chunks.append(chunk)
            }
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
            let (chunks, isTooLong) = state.withLock { state in
                defer { state.chunks = [] }
                return (state.chunks, state.isTooLong)
            }
            if !isTooLong { await onEnd(Self.joined(chunks)) }
            return nil
        }
        let used = iterator
        state.withLock { state in
            state.iterator = used
            state.record(chunk, limit: limit)
        }
        return chunk
    }

    private static func joined(_ chunks: [Data]) -> Data {
        guard chunks.count != 1 else { return chunks[0] }
        var data = Data(capacity: chunks.reduce(0) { $0 + $1.count })
        for chunk in chunks { data.append(chunk) }
        return data
    }
}
