internal import ImageCore

/// The body of a response as far as it has come: one writer, any number of readers.
final class ReceivedBytes: Sendable {
    private struct State {
        var data = Data()
        var chunks = 0
    }

    private let state = Lock(State())

    var count: Int { state.withLock { $0.data.count } }

    /// All that has come.
    var all: Data { state.withLock { $0.data } }

    /// Adds a chunk and returns the new length in bytes. The first chunk is not copied.
    ///
    /// - Parameter expected: the announced length: a claim, for which room is made up to a megabyte beyond what has come.
    func append(_ chunk: Data, expected: Int?) -> Int {
        state.withLock { state in
            state.chunks += 1
            if state.chunks == 1 {
                state.data = chunk
            } else {
                // Once: from there on the buffer doubles by itself.
                if state.chunks == 2, let expected {
                    state.data.reserveCapacity(min(expected, state.data.count + chunk.count + 1 << 20))
                }
                state.data.append(chunk)
            }
            return state.data.count
        }
    }

    /// A copy of what has come after the first `count` bytes: a slice would make the writer copy everything.
    func suffix(after count: Int) -> Data {
        state.withLock { Data(Array($0.data.dropFirst(count))) }
    }
}
