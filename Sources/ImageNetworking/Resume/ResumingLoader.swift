internal import HTTPTypes
public import ImageCore

internal import CalotypeSystem

/// Resumes interrupted downloads: within one load, and when an earlier load of the same resource failed, was cancelled
/// or was dropped.
///
/// The server must serve ranges and send a strong validator (an ETag, or a `Last-Modified` at least a minute before the
/// response); the rest is requested with `Range` and `If-Range`. A connection that is lost in the middle of a body is
/// followed by another at once; put a ``RetryingLoader`` inside to wait while the network is down. Resumptions and its
/// retries together are at most ``DataRequest/retries``; where the request does not set it, the count of its policy, or
/// 3 resumptions without a retrying loader. A ``HostBackoffLoader`` inside sends fewer requests to a host that keeps
/// interrupting transfers. A load that ends early for other reasons leaves its partial body in the store, for the next
/// one.
///
/// **Time**: each request for the rest is another attempt. None starts after the deadline.
///
/// The reader gets one body from its first byte and a response with status 200. A resource that changed is loaded
/// completely, or fails if the reader already got a part of the old version. Only GET requests without body and range
/// are resumed, and only for the same URL or cache key, and the same header fields. A partial body is stored on disk
/// only for loads whose cache policy writes there, and not at all with `Cache-Control: no-store` in the request or the
/// response.
///
/// ```swift
/// let loader = ResumingLoader(RetryingLoader(HostBackoffLoader(CurlLoader())))
/// ```
public final class ResumingLoader: DataLoading {
    private let loader: any DataLoading
    private let store: PartialBodyStore
    private let minimumBytes: Int

    /// Wraps a loader.
    ///
    /// - Parameters:
    ///   - loader: sends the requests.
    ///   - store: keeps partial bodies; a new one in memory by default.
    ///   - minimumBytes: shorter partial bodies are not stored; 16 KB.
    public init(
        _ loader: any DataLoading, store: PartialBodyStore = PartialBodyStore(), minimumBytes: Int = 16 << 10
    ) {
        (self.loader, self.store, self.minimumBytes) = (loader, store, minimumBytes)
    }

    public func version(of url: URL) -> String? { loader.version(of: url) }

    /// What the wrapped loader returns, its body preceded by the stored bytes.
    ///
    /// - Throws: what the wrapped loader throws.
    public func load(_ request: DataRequest) async throws -> DataResponse {
        guard request.method == .get, request.body == nil, request.headerFields[.range] == nil,
            request.headerFields[.ifRange] == nil
        else { return try await loader.load(request) }
        let key = PartialKey(resource: Self.key(of: request), epoch: store.epoch)
        guard let partial = await store.take(key.resource) else { return recording(try await loader.load(request), key, request) }
        var request = request
        if let response = try await resumed(&request, after: partial, key) { return response }
        return recording(try await loader.load(request), key, request)
    }

    /// The key of a partial body, and the epoch of the store in which its transfer began.
    private struct PartialKey: Sendable {
        let resource: ResourceKey
        let epoch: Int
    }

    /// The response to a request for the rest; `nil` when it is not useful. Returning releases that one: while its body
    /// is unread it holds a connection, which the request for the whole may need.
    private func resumed(
        _ request: inout DataRequest, after partial: PartialBody, _ key: PartialKey
    ) async throws -> DataResponse? {
        var ranged = request
        for (name, value) in partial.end.requestFields { ranged.headerFields[name] = value }
        let response: DataResponse
        do {
            response = try await loader.load(ranged)
        } catch {
            // Cancelled or failed before the response: the partial body is as useful as before.
            keep(partial, key, request)
            throw error
        }
        switch partial.end.classify(response.head) {
        case .rest:
            if let limit = request.maximumResponseBytes, let total = PartialBody.length(in: partial.head), total > limit {
                throw ImageError.tooLarge(ImageSource.redacted(request.url), announced: total, limit: limit)
            }
            var whole = response
            whole.head = partial.head
            return recording(whole, key, request, after: partial.bytes)
        case .whole: return recording(response, key, request)
        case .unusable:
            request.retries = response.retriesLeft ?? request.retries
            return nil
        case .other:
            keep(partial, key, request)
            return response
        }
    }

    /// The key of a partial body: the URL or the cache key, and the header fields, as a digest where one of these may
    /// be a credential.
    static func key(of request: DataRequest) -> ResourceKey {
        let resource = request.resource.varied(by: request.identities)
        let fields = request.headerFields.map { "\($0.name.canonicalName):\($0.value)" }.sorted()
        let isNeutral = request.headerFields.allSatisfy { RequestFields.neutral.contains($0.name.canonicalName) }
        // A line end is in no field, and in no key of a URL.
        return isNeutral ? ResourceKey(([resource.text] + fields).joined(separator: "\n")) : resource.varied(by: fields)
    }

    /// Stores a partial body: on disk if the load may write there, and not at all with `no-store` in the request or the
    /// response.
    private func keep(_ partial: PartialBody, _ key: PartialKey, _ request: DataRequest) {
        guard ![request.headerFields, partial.head.headerFields].contains(where: \.forbidStorage) else { return }
        store.put(
            partial, for: key.resource, since: key.epoch, now: Double(time(nil)), onDisk: request.cachePolicy.writesDisk)
    }

    /// The response with a body that is kept in a buffer, and whose first bytes are `start`.
    private func recording(
        _ response: DataResponse, _ key: PartialKey, _ request: DataRequest, after start: Data = Data()
    ) -> DataResponse {
        let isAtHand = response.body.wholeData != nil && start.isEmpty
        guard !isAtHand, PartialBody.canResume(response.head) else { return response }
        let body = ResumableBody(
            response, start: start, request: request, loader: loader, maximumStoredBytes: store.maximumBytes
        ) { [self] bytes in
            guard bytes.count >= minimumBytes, bytes.count < PartialBody.length(in: response.head) ?? 0 else { return }
            // The buffer of a short body may be a megabyte larger.
            var stored = bytes
            if bytes.count < 1 << 20 {
                stored = Data(capacity: bytes.count)
                stored.append(bytes)
            }
            keep(PartialBody(head: response.head, bytes: stored), key, request)
        }
        var recorded = response
        recorded.body = body.stream
        return recorded
    }
}
