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

    /// Creates a stream of the chunks of an asynchronous sequence, such as the body that a client returns. Its elements
    /// become data by `map`, such as `body.map { Data($0.readableBytesView) }`.
    ///
    /// - Parameter chunks: is read once, one chunk at a time and only when the stream is read; what it throws ends the
    ///   stream. It is released with the stream.
    public init<Chunks: AsyncSequence & Sendable>(chunks: Chunks) where Chunks.Element == Data {
        let reader = SequenceReader(chunks)
        self.init { try await reader.next() }
    }

    /// Creates a stream whose chunks a closure produces, and keeps in a buffer, if there is one, before it returns
    /// them. A stream that passes the chunks of another one on has the same buffer.
    package init(keptIn buffer: BodyBuffer?, _ next: @escaping @Sendable () async throws -> Data?) {
        (base, self.buffer) = (.pull(next), buffer)
    }

    /// The stream with its chunks changed one by one, such as decrypted.
    ///
    /// - Parameter transform: called for each chunk in order; what it throws ends the stream.
    public func mapChunks(_ transform: @escaping @Sendable (Data) async throws -> Data) -> ByteStream {
        let reader = SequenceReader(self)
        return ByteStream {
            guard let chunk = try await reader.next() else { return nil }
            return try await transform(chunk)
        }
    }

    /// The same stream, whose end is reported.
    ///
    /// - Parameter report: called once, on any thread: with the number of bytes that were read, and with what ended the
    ///   stream early, which is `CancellationError` if it was released before its end; `nil` for a complete body.
    public func onEnd(_ report: @escaping @Sendable (_ receivedBytes: Int, _ error: (any Error)?) -> Void) -> ByteStream {
        let watched = WatchedBody(self, onEnd: report)
        return ByteStream(keptIn: buffer) { try await watched.next() }
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

/// Reads a sequence for a stream that passes its chunks on. After a failure the sequence is at its end.
package final class SequenceReader<Chunks: AsyncSequence & Sendable>: Sendable where Chunks.Element == Data {
    // @unchecked because the lock gives the iterator to one read at a time.
    private struct Position: @unchecked Sendable {
        var iterator: Chunks.AsyncIterator
    }

    /// `nil` during a read, of which there is one at a time, and after a failure.
    private let position: Lock<Position?>

    /// Creates a reader, which is the only one of the sequence.
    package init(_ chunks: Chunks) { position = Lock(Position(iterator: chunks.makeAsyncIterator())) }

    /// Waits for the next chunk; `nil` at the end.
    package func next() async throws -> Data? {
        guard var position = position.withLock({ $0.take() }) else { return nil }
        let chunk = try await position.iterator.next()
        let used = position
        self.position.withLock { $0 = used }
        return chunk
    }
}

/// Reads a stream for another one that passes its chunks on.
package typealias ByteStreamReader = SequenceReader<ByteStream>

/// Passes a body on, and reports once how it ended.
private final class WatchedBody: Sendable {
    private struct State {
        var receivedBytes = 0
        var onEnd: (@Sendable (Int, (any Error)?) -> Void)?
    }

    private let reader: ByteStreamReader
    private let state: Lock<State>

    init(_ body: ByteStream, onEnd: @escaping @Sendable (Int, (any Error)?) -> Void) {
        reader = ByteStreamReader(body)
        state = Lock(State(onEnd: onEnd))
    }

    deinit { end(CancellationError()) }

    func next() async throws -> Data? {
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
        let (onEnd, bytes) = state.withLock { state in
            defer { state.onEnd = nil }
            return (state.onEnd, state.receivedBytes)
        }
        onEnd?(bytes, error)
    }
}
