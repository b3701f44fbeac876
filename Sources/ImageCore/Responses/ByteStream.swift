/// A body as a stream of chunks that its reader pulls. The producer reads ahead by no more than its own buffer.
///
/// A stream has one reader and can be read once. If the task that reads it is cancelled, the pending read throws
/// `CancellationError`. If the stream is released before its end, the producer stops.
public struct ByteStream: AsyncSequence, Sendable {
    public typealias Element = Data

    fileprivate enum Base: Sendable {
        case data(Data)
        case pull(@Sendable () async throws -> Data?)
    }

    private let base: Base
    /// Where the producer keeps all chunks that it has returned; `nil` if it keeps none. A reader that needs the whole
    /// body reads it here instead of keeping a second copy.
    package let buffer: BodyBuffer?

    /// Creates a stream of data in memory: one chunk, or none if the data is empty.
    public init(_ data: Data) { (base, buffer) = (.data(data), nil) }

    /// Creates a stream whose chunks a closure produces.
    ///
    /// - Parameter next: returns the next chunk, or `nil` at the end; what it throws ends the stream. The closure is
    ///   released with the stream, so objects that it captures may stop the transfer in their `deinit`.
    public init(_ next: @escaping @Sendable () async throws -> Data?) { (base, buffer) = (.pull(next), nil) }

    /// Creates a stream whose chunks a closure produces, and keeps in a buffer, if there is one, before it returns
    /// them. A stream that passes the chunks of another one on has the same buffer.
    package init(keptIn buffer: BodyBuffer?, _ next: @escaping @Sendable () async throws -> Data?) {
        (base, self.buffer) = (.pull(next), buffer)
    }

    /// The whole body if it is in memory; `nil` otherwise.
    public var wholeData: Data? {
        if case .data(let data) = base { data } else { nil }
    }

    /// Reads the chunks of a stream in order.
    public struct AsyncIterator: AsyncIteratorProtocol, Sendable {
        private var base: Base?

        fileprivate init(_ base: Base) { self.base = base }

        /// Waits for the next chunk; `nil` at the end.
        ///
        /// - Throws: the error that ended the body; `CancellationError` if the task is cancelled.
        public mutating func next() async throws -> Data? {
            switch base {
            case nil: return nil
            case .data(let data):
                base = nil
                return data.isEmpty ? nil : data
            case .pull(let next):
                let chunk = try await next()
                if chunk == nil { base = nil }
                return chunk
            }
        }
    }

    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(base) }
}

/// Reads a stream for another one that passes its chunks on. After a failure the stream is at its end.
package final class ByteStreamReader: Sendable {
    /// `nil` during a read, of which there is one at a time, and after a failure.
    private let iterator: Lock<ByteStream.AsyncIterator?>

    /// Creates a reader, which is the only one of the stream.
    package init(_ stream: ByteStream) { iterator = Lock(stream.makeAsyncIterator()) }

    /// Waits for the next chunk; `nil` at the end.
    package func next() async throws -> Data? {
        guard var iterator = iterator.withLock({ $0.take() }) else { return nil }
        let chunk = try await iterator.next()
        let used = iterator
        self.iterator.withLock { $0 = used }
        return chunk
    }
}
