internal import ImageCore

/// Passes a body on, after what of it was there before, and gives the whole to `onEnd` when its end was reached. A body
/// that is longer than the limit, that fails, or that is not read to its end is let go.
final class BodyRecorder: Sendable {
    private struct State {
        var iterator: ByteStream.AsyncIterator?
        var start: Data?
        var passed: [Data] = []
        var count = 0
        var isTooLong = false

        mutating func note(_ chunk: Data, limit: Int) {
            count += chunk.count
            if count > limit {
                isTooLong = true
                passed = []
            } else if !isTooLong {
                passed.append(chunk)
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
            state.note(start, limit: limit)
            return start
        }
        if let start { return start }
        // One reader at a time, so that the iterator is never out when it is asked for. After a failure it stays out.
        let taken = state.withLock { state in
            defer { state.iterator = nil }
            return state.iterator
        }
        guard var iterator = taken else { return nil }
        let chunk = try await iterator.next()
        guard let chunk else {
            let (passed, isTooLong) = state.withLock { state in
                defer { state.passed = [] }
                return (state.passed, state.isTooLong)
            }
            if !isTooLong { await onEnd(Self.joined(passed)) }
            return nil
        }
        let used = iterator
        state.withLock { state in
            state.iterator = used
            state.note(chunk, limit: limit)
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
