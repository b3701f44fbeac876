internal import HTTPTypes
public import ImageCore

internal import CalotypeSystem

/// Goes on with a body where it broke off: within one load, and where an earlier load of it ended, was cancelled or was
/// dropped.
///
/// Both need a server that serves ranges and names the version strongly (an ETag, or a `Last-Modified` at least a minute
/// before the answer); then the rest is asked for with `Range` and `If-Range`. A connection that is lost in the middle of a
/// body is followed by another at once, at most ``DataRequest/retries`` times per load (3 when the request does not say); put a
/// ``RetryingLoader`` inside, so that a line that is away for a while is waited for. Where hardly anything
/// came before the line was lost, the next connection costs a ``RetryBudget`` of this loader's own, so that a server which breaks
/// off everything is not asked several times for each load. A load that ends early for other reasons leaves its beginning in
/// the store, for the next one.
///
/// **Time**: each request for the rest is another attempt, with the request's whole timeout. None starts after the deadline.
///
/// The reader sees one body from its first byte and a head with status 200, however it was put together. A resource that
/// changed comes whole, or fails where a part of the old one was already handed out. Only plain GET requests are resumed,
/// and each only for the same URL and header fields. A beginning is kept on disk only for loads whose cache policy writes there,
/// and nowhere with `Cache-Control: no-store`, the request's or the answer's.
///
/// ```swift
/// let loader = ResumingLoader(RetryingLoader(CurlLoader()))
/// ```
public final class ResumingLoader: DataLoading {
    private let loader: any DataLoading
    private let store: PartialBodyStore
    private let minimumBytes: Int
    private let budget: Lock<RetryBudget>

    /// - Parameters:
    ///   - minimumBytes: a beginning shorter than this is not worth keeping; 16 KB.
    ///   - budget: for connections that follow another which brought less than that.
    public init(
        _ loader: any DataLoading, store: PartialBodyStore = PartialBodyStore(), minimumBytes: Int = 16 << 10,
        budget: RetryBudget = RetryBudget()
    ) {
        self.loader = loader
        self.store = store
        self.minimumBytes = minimumBytes
        self.budget = Lock(budget)
    }

    /// What the wrapped loader returns, with what was there before in front.
    public func load(_ request: DataRequest) async throws -> DataResponse {
        guard request.method == .get, request.body == nil, request.headerFields[.range] == nil,
            request.headerFields[.ifRange] == nil
        else { return try await loader.load(request) }
        budget.withLock { $0.deposit() }
        let key = Self.key(of: request)
        guard let partial = await store.take(key) else { return recording(try await loader.load(request), key, request) }
        if let answer = try await self.answer(to: request, after: partial, key) { return answer }
        return recording(try await loader.load(request), key, request)
    }

    /// What is answered to a request for the rest; `nil` when that is of no use. It is let go of here: while its body is unread it
    /// holds a connection, which the request for the whole may need.
    private func answer(
        to request: DataRequest, after partial: PartialBody, _ key: ResourceKey
    ) async throws -> DataResponse? {
        var ranged = request
        for (name, value) in partial.end.requestFields { ranged.headerFields[name] = value }
        let response: DataResponse
        do {
            response = try await loader.load(ranged)
        } catch {
            // Cancelled or failed before the server answered: the beginning is as good as before.
            keep(partial, key, request)
            throw error
        }
        switch partial.end.classify(response.head) {
        case .rest:
            if let limit = request.maximumBytes, let total = PartialBody.length(in: partial.head), total > limit {
                throw ImageError.tooLarge(ImageSource.redacted(request.url), announced: total, limit: limit)
            }
            var whole = response
            whole.head = partial.head
            return recording(whole, key, request, after: partial.bytes)
        case .whole: return recording(response, key, request)
        case .unusable: return nil
        case .other:
            keep(partial, key, request)
            return response
        }
    }

    /// What tells beginnings apart: the URL and the header fields. Where one of these may be a credential, as a digest.
    static func key(of request: DataRequest) -> ResourceKey {
        let resource = ImageRequest(url: request.url).resource
        let fields = request.headerFields.map { "\($0.name.canonicalName):\($0.value)" }.sorted()
        let isNeutral = request.headerFields.allSatisfy { RequestFields.neutral.contains($0.name.canonicalName) }
        // A line end is in no field, and in no URL.
        return isNeutral ? ResourceKey(([resource.text] + fields).joined(separator: "\n")) : resource.varied(by: fields)
    }

    /// Keeps a beginning where the whole might be kept: on disk if the load may write there, nowhere if either side says so.
    private func keep(_ partial: PartialBody, _ key: ResourceKey, _ request: DataRequest) {
        guard ![request.headerFields, partial.head.headerFields].contains(where: PartialBody.isNotToBeKept) else { return }
        store.put(partial, for: key, now: Double(time(nil)), onDisk: request.cachePolicy.writesDisk)
    }

    /// The response with a body that remembers what passed, begun by `start`.
    private func recording(
        _ response: DataResponse, _ key: ResourceKey, _ request: DataRequest, after start: Data = Data()
    ) -> DataResponse {
        let isAtHand = response.body.wholeData != nil && start.isEmpty
        guard !isAtHand, PartialBody.canResume(response.head) else { return response }
        let body = ResumableBody(
            response.body, head: response.head, start: start, request: request, loader: loader, keptBytes: store.maximumBytes,
            mayGoOn: { [self] passed in passed >= minimumBytes || budget.withLock { $0.withdraw() } }
        ) { [self] bytes in
            guard bytes.count >= minimumBytes, bytes.count < PartialBody.length(in: response.head) ?? 0 else { return }
            keep(PartialBody(head: response.head, bytes: bytes), key, request)
        }
        var recorded = response
        recorded.body = ByteStream { try await body.next() }
        return recorded
    }
}
