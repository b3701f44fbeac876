public import ImageCore

/// Limits the rate of all its response bodies together.
///
/// It works by back-pressure: bytes are passed on no faster than the rate allows, which slows down the socket of a network loader
/// that receives no further ahead than its reader. Bodies that were complete at once count too.
///
/// **Time**: while a body waits, the timeout of its transfer continues. The wait ends at the deadline, with
/// ``ImageError/Code/deadlineExceeded``.
///
/// ```swift
/// let limit = BandwidthLimit(bytesPerSecond: 200_000)
/// let loader = ThrottledLoader(CurlLoader(), limit: limit)
/// limit.bytesPerSecond = 0  // unlimited again
/// ```
public final class ThrottledLoader: DataLoading {
    private let loader: any DataLoading
    private let limit: BandwidthLimit

    /// Wraps a loader.
    ///
    /// - Parameters:
    ///   - loader: its bodies are slowed down.
    ///   - limit: the limit, which other loaders may share.
    public init(_ loader: any DataLoading, limit: BandwidthLimit) {
        self.loader = loader
        self.limit = limit
    }

    /// What the wrapped loader returns, its body slowed down.
    ///
    /// - Throws: what the wrapped loader throws; the body also throws ``ImageError/Code/deadlineExceeded``.
    public func load(_ request: DataRequest) async throws -> DataResponse {
        var response = try await loader.load(request)
        response.body = throttled(response.body, of: request)
        return response
    }

    private struct State {
        var iterator: ByteStream.AsyncIterator
        var rest = Data()
    }

    /// Cuts a body into chunks, each taken from the bucket before it is passed on.
    private func throttled(_ body: ByteStream, of request: DataRequest) -> ByteStream {
        let state = Lock(State(iterator: body.makeAsyncIterator()))
        return ByteStream { [limit] in
            if state.withLock({ $0.rest.isEmpty }) {
                // A body has one reader at a time, so the iterator is not used by another call meanwhile.
                var iterator = state.withLock { $0.iterator }
                guard let chunk = try await iterator.next() else { return nil }
                let used = iterator
                state.withLock { $0 = State(iterator: used, rest: chunk) }
            }
            let size = limit.chunkSize
            let chunk = state.withLock { state in
                let chunk = state.rest.prefix(size)
                state.rest = state.rest.dropFirst(chunk.count)
                return chunk
            }
            try await limit.pay(for: chunk.count, of: request)
            return chunk
        }
    }
}
