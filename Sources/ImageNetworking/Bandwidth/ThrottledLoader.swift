public import ImageCore

/// Limits the rate of all its response bodies together.
///
/// It works by back-pressure: bytes are passed on no faster than the rate allows, which slows down the socket of a
/// network loader that receives no further ahead than its reader. Bodies that were complete at once count too.
///
/// **Time**: a body that waits is held back by its reader, which is no part of the timeout. The wait ends at the
/// deadline, with ``ImageError/Code/deadlineExceeded``.
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

    public func version(of url: URL) -> String? { loader.version(of: url) }

    /// What the wrapped loader returns, its body slowed down.
    ///
    /// - Throws: what the wrapped loader throws; the body also throws ``ImageError/Code/deadlineExceeded``.
    public func load(_ request: DataRequest) async throws -> DataResponse {
        var response = try await loader.load(request)
        response.body = throttled(response.body, of: request)
        return response
    }

    /// Cuts a body into chunks, each taken from the bucket before it is passed on.
    private func throttled(_ body: ByteStream, of request: DataRequest) -> ByteStream {
        let reader = ByteStreamReader(body)
        let received = Lock(Data())
        return ByteStream { [limit] in
            if received.withLock({ $0.isEmpty }) {
                guard let chunk = try await reader.next() else { return nil }
                received.withLock { $0 = chunk }
            }
            let size = limit.chunkSize
            let chunk = received.withLock { received in
                let chunk = received.prefix(size)
                received = received.dropFirst(chunk.count)
                return chunk
            }
            try await limit.pay(for: chunk.count, of: request)
            return chunk
        }
    }
}
