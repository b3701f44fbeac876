internal import ImageCore

/// The body of a response as far as it has come: one writer, any number of readers.
final class ReceivedBytes: Sendable {
    private let state = Lock(BodyBytes())

    var count: Int { state.withLock { $0.count } }

    /// All that has come.
    var all: Data { state.withLock { $0.data } }

    /// Adds a chunk and returns the new length in bytes; `nil` when there is not enough memory. The first chunk is not copied.
    ///
    /// - Parameter expected: the announced length: a claim, for which room is made up to a megabyte beyond what has come.
    func append(_ chunk: Data, expected: Int?) -> Int? {
        state.withLock { bytes in bytes.append(chunk, expected: expected) ? bytes.count : nil }
    }
}
