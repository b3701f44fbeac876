/// Wraps every fetch: changes the request, returns a response itself, retries, or records.
///
/// Called once per fetch, from the task of the fetch, on no actor. Interceptors run in the order of registration, the
/// first one outermost; those of the load (``LoadOptions/interceptors``) run outside those of the loader.
/// ``InterceptedLoader`` lists and checks what an interceptor may change. Call `next` to continue; return a response
/// without calling it to replace the fetch; call it again to retry, once the response before it is released or read to
/// its end, since that holds a connection.
///
/// **Cancelling**: the calling task is cancelled; `next` throws `CancellationError`, which must be rethrown.
///
/// **Errors**: a thrown error ends the fetch and is wrapped once. An error of `next` may be handled or rethrown.
///
/// **Must not**: change the URL, which is the key of all caches; read the body without replacing it; or log
/// credentials.
///
/// ```swift
/// struct Signing: RequestInterceptor {
///     let user, token: String
///     func identity(for url: URL) -> String? { user }
///     func intercept(_ request: DataRequest, next: Next) async throws -> DataResponse {
///         var signed = request
///         signed.headerFields[.authorization] = "Bearer \(token)"
///         return try await next(signed)
///     }
/// }
/// ```
public protocol RequestInterceptor: Sendable {
    /// Calls the next interceptor, or the loader.
    typealias Next = @Sendable (DataRequest) async throws -> DataResponse

    /// Handles a fetch.
    func intercept(_ request: DataRequest, next: Next) async throws -> DataResponse

    /// Names what the interceptor adds to requests for a URL as far as it changes the response: the user whose token it
    /// is, a variant, a language. Loads with different identities never share a response, in flight, in memory or on
    /// disk, and loads with equal ones do, even if a token or a signature was renewed. Cache keys contain only a
    /// digest.
    ///
    /// Called when a load begins, on the thread of the caller, and again for the fetch; it must return at once, and the
    /// same each time for one user.
    ///
    /// - Parameter url: the URL of the load.
    /// - Returns: `nil`, the default, if the interceptor adds nothing that changes the response. The header fields that
    ///   such an interceptor adds outside an HTTP cache are part of the keys of that cache, and of no other.
    func identity(for url: URL) -> String?
}

extension RequestInterceptor {
    public func identity(for url: URL) -> String? { nil }

    /// The identity as one of ``DataRequest/identities``.
    package func appendIdentity(for url: URL, to identities: inout [String]) {
        if let identity = identity(for: url) { identities.append("interceptor " + identity) }
    }

    /// Marks the header fields that this interceptor has set as covered by its identity, if the keys of the load
    /// contain that.
    package func marking(_ changed: DataRequest, from original: DataRequest) -> DataRequest {
        guard let identity = identity(for: original.url), original.identities.contains("interceptor " + identity) else {
            return changed
        }
        var marked = changed
        for name in Set(changed.headerFields.map(\.name))
        where changed.headerFields[values: name] != original.headerFields[values: name] {
            marked.identifiedFields.insert(name.canonicalName)
        }
        return marked
    }
}
