/// Keeps responses of web servers, and knows when one may be used without asking its server again.
///
/// The engine looks it up once per load, before it fetches an `http` or `https` URL; the loader that fetches is the one that
/// stores, since it alone sees the whole exchange. Both take the same ``DataRequest``, so that what a response depends on is decided
/// by its fields. Called from tasks of the engine's own, several at once, on no actor; it must not block its thread for long.
///
/// **Cancelling**: a read may throw `CancellationError`.
///
/// **Errors**: thrown errors count as a miss, are reported to observers, and never fail a load.
///
/// **Must not**: use the network, or return a response that its own rules do not allow to be used as it is.
///
/// ```swift
/// struct Archive: ResponseCaching {
///     let images: [URL: Data]
///     func lookUp(_ request: DataRequest) -> ResponseLookup {
///         guard let data = images[request.url] else { return .miss(nil) }
///         return .hit(DataResponse(url: request.url, body: ByteStream(data), tier: .disk))
///     }
///     func removeResponse(for request: DataRequest) {}
/// }
/// ```
public protocol ResponseCaching: Sendable {
    /// A hit where a stored response answers the request here and now; a miss where the network is needed. Where
    /// ``DataRequest/cachePolicy`` is only-if-cached, a stale response may be a hit.
    ///
    /// The engine sets the transaction of a miss as ``DataRequest/cacheTransaction`` of the request that it fetches.
    func lookUp(_ request: DataRequest) async throws -> ResponseLookup
    /// Forgets the response to the request: its bytes turned out to be no image.
    func removeResponse(for request: DataRequest) async throws
}

/// What a response cache knows of a request after one lookup.
public enum ResponseLookup: Sendable {
    /// A stored response answers the request.
    case hit(DataResponse)
    /// The network is needed. The transaction, if there is one, goes with the request to the loader that completes it.
    case miss((any ResponseTransaction)?)
}

/// What a lookup in a response cache found out for the fetch that follows, such as the validators of a stored response. It must
/// be small: thousands of them may wait for their fetches. Only the loader that belongs to the cache reads it.
public protocol ResponseTransaction: Sendable {}
