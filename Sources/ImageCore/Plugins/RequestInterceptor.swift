/// Wraps every fetch: edits the request, answers it, retries it, or watches it.
///
/// Called once per fetch in the order of registration, the first one outermost, from the fetch's own task, on no actor; those
/// of one load (``LoadOptions/interceptors``) come before those of the loader. What it may change, ``InterceptedLoader`` checks.
/// Call `next` to go on inwards; not calling it answers in its place; calling it again retries.
///
/// **Cancelling**: the calling task is cancelled; `next` throws `CancellationError`, which must be rethrown.
///
/// **Errors**: what it throws ends the fetch and is wrapped once. What `next` throws may be handled or rethrown.
///
/// **Must not**: change the URL's identity for caching by editing the URL (the caches know the original), read the body
/// without replacing it, or log credentials.
///
/// ```swift
/// struct Signing: RequestInterceptor {
///     func intercept(_ request: DataRequest, next: Next) async throws -> DataResponse {
///         var signed = request
///         signed.headerFields[.authorization] = "Bearer 0123"
///         return try await next(signed)
///     }
/// }
/// ```
public protocol RequestInterceptor: Sendable {
    /// What lies further inwards: the next interceptor, or the loader.
    typealias Next = @Sendable (DataRequest) async throws -> DataResponse

    /// Handles one fetch.
    func intercept(_ request: DataRequest, next: Next) async throws -> DataResponse
}
