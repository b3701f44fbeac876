/// An HTTP cache: stores responses of web servers, and decides when a stored response may be served without validating
/// it.
///
/// The engine looks a request up once per load, before it fetches an `http` or `https` URL. The loader that fetches
/// returns the response with its ``DataResponse/commit``, and the engine commits it once the body has proved to be an
/// image. Both use the same ``DataRequest``, so a decision depends only on its fields. Called from tasks of the engine,
/// at the same time, on no actor. A call must not block its thread for long.
///
/// **Cancelling**: a read may throw `CancellationError`.
///
/// **Errors**: an error counts as a miss, is reported to observers, and does not fail the load.
///
/// **Must not**: use the network, or serve a response that its own rules forbid to serve before it is validated.
///
/// ```swift
/// struct Archive: ResponseCaching {
///     let images: [ResourceKey: Data]
///     func lookUp(_ request: DataRequest) -> ResponseLookup {
///         guard let data = images[request.resource] else { return .miss(nil) }
///         return .hit(DataResponse(url: request.url, body: ByteStream(data), tier: .disk))
///     }
///     func store(_ entry: DataEntry, for request: DataRequest) {}
///     func removeResponse(for request: DataRequest) {}
///     func removeResponses(of resource: ResourceKey) {}
///     func removeAll() {}
/// }
/// ```
public protocol ResponseCaching: Sendable {
    /// Looks a request up.
    ///
    /// The engine sets the transaction as ``DataRequest/cacheTransaction`` of the request that it fetches: after a miss
    /// for the load, after a hit in the background.
    ///
    /// - Returns: a hit if a stored response may be served now, else a miss. If ``DataRequest/cachePolicy`` is
    ///   only-if-cached, a stale response may be a hit.
    func lookUp(_ request: DataRequest) async throws -> ResponseLookup
    /// Whether the stored response that a lookup found may be served in place of a failure; `false` by default. Called
    /// before the fetch, with ``ImageError/Code/timedOut`` in place of any failure to reach the server, and after each
    /// failed attempt: if it may, the engine makes no other attempt while the load waits, takes the response from
    /// ``standIn(for:after:)``, and sends the request again in the background.
    func allowsStandIn(_ transaction: any ResponseTransaction, for request: DataRequest, after error: ImageError) -> Bool
    /// The stored response to serve in place of a failure; `nil`, the default, if it was removed or must not be served.
    func standIn(for request: DataRequest, after error: ImageError) async throws -> DataResponse?
    /// Removes the stored response to a request, because its body is no image.
    func removeResponse(for request: DataRequest) async throws
    /// Stores a response that a caller of the loader provides, as if a server had sent it, if the rules of the cache
    /// allow that.
    func store(_ entry: DataEntry, for request: DataRequest) async throws
    /// Removes the stored responses with the source of a resource (``ResourceKey/hasSameSource(as:)``), which is a URL
    /// or a cache key: for all users and whatever their `Vary` says.
    func removeResponses(of resource: ResourceKey) async throws
    /// Removes all responses. When the call returns, responses to requests that began before it are no longer stored.
    func removeAll() async throws
    /// The rules for finished images that were made from responses; `nil`, the default, if they are stored and used
    /// without rules.
    var processedImageRules: (any ProcessedImageRules)? { get }
}

extension ResponseCaching {
    public var processedImageRules: (any ProcessedImageRules)? { nil }

    public func allowsStandIn(
        _ transaction: any ResponseTransaction, for request: DataRequest, after error: ImageError
    ) -> Bool { false }

    public func standIn(for request: DataRequest, after error: ImageError) async throws -> DataResponse? { nil }
}

/// The result of a lookup in a response cache.
public enum ResponseLookup: Sendable {
    /// A stored response that may be served. If there is a transaction, the response is stale: the engine also sends
    /// the request with that transaction in the background, once for each entry, when its queue has nothing else for
    /// the host. It judges the response of the loader like any other, and commits it. A response whose tier is the disk
    /// is the stored one, which needs no judgement.
    case hit(DataResponse, revalidating: (any ResponseTransaction)? = nil)
    /// No stored response may be served. The transaction, if there is one, is passed with the request to the loader
    /// that completes it.
    case miss((any ResponseTransaction)?)
}

/// What a lookup in a response cache found for the fetch that follows, such as the validators of a stored response.
///
/// It must be small, because thousands of them may wait for their fetches. Only the loader that belongs to the cache
/// reads it.
public protocol ResponseTransaction: Sendable {}
