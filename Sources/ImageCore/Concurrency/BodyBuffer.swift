/// The body of a response as far as it has come: one writer, any number of readers. Who passes the body on, resumes it
/// or decodes it reads the same buffer.
package final class BodyBuffer: Sendable {
    private let state = Lock(BodyBytes())
    private let attempts = Lock(0)

    /// Creates an empty buffer.
    package init() {}

    /// The number of bytes that have come.
    package var count: Int { state.withLock { $0.count } }

    /// All bytes that have come, without a copy. Later chunks do not change them.
    package var data: Data { state.withLock { $0.data } }

    /// How many requests a loader has made for the rest of the body.
    package var retries: Int {
        get { attempts.withLock { $0 } }
        set { attempts.withLock { $0 = newValue } }
    }

    /// Appends a chunk. The first chunk is not copied.
    ///
    /// - Parameter expected: the announced length: a claim, for which room is made up to a megabyte beyond what has
    ///   come.
    /// - Returns: the new length in bytes; `nil` when there is not enough memory.
    package func append(_ chunk: Data, expected: Int?) -> Int? {
        state.withLock { bytes in bytes.append(chunk, expected: expected) ? bytes.count : nil }
    }
}
