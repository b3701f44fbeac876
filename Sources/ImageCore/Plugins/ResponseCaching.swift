/// Keeps responses of web servers, and knows when one may be used without asking its server again.
///
/// The engine asks it before it fetches an `http` or `https` URL; the loader that fetches is the one that stores, since it
/// alone sees the whole exchange. Both take the same ``DataRequest``, so that what a response depends on is decided by
/// its fields. Called from tasks of the engine's own, several at once, on no actor; it must not block its thread for long.
///
/// **Cancelling**: a read may throw `CancellationError`.
///
/// **Errors**: thrown errors count as a miss, are reported to observers, and never fail a load.
///
/// **Must not**: use the network, or return a response that its own rules do not allow to be used as it is.
///
/// ```swift
/// struct Archive: ResponseCaching {
///     let pictures: [URL: Data]
///     func storedResponse(for request: DataRequest) -> DataResponse? {
///         pictures[request.url].map { DataResponse(url: request.url, body: ByteStream($0), tier: .disk) }
///     }
///     func removeResponse(for request: DataRequest) {}
/// }
/// ```
public protocol ResponseCaching: Sendable {
    /// The stored response that answers the request here and now; `nil` where the network has to be asked. Where
    /// ``DataRequest/cachePolicy`` is only-if-cached, one that is past its time may do.
    func storedResponse(for request: DataRequest) async throws -> DataResponse?
    /// Forgets what answers the request: its bytes turned out to be no picture.
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
