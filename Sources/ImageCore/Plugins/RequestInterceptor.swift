/// Wraps every fetch: changes the request, returns a response itself, retries, or records.
///
/// Called once per fetch, from the task of the fetch, on no actor. Interceptors run in the order of registration, the first one
/// outermost; those of the load (``LoadOptions/interceptors``) run outside those of the loader. ``InterceptedLoader`` lists and
/// checks what an interceptor may change. Call `next` to continue; return a response without calling it to replace the fetch;
/// call it again to retry.
///
/// **Cancelling**: the calling task is cancelled; `next` throws `CancellationError`, which must be rethrown.
///
/// **Errors**: a thrown error ends the fetch and is wrapped once. An error of `next` may be handled or rethrown.
///
/// **Must not**: change the URL, which is the key of all caches; read the body without replacing it; or log credentials.
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
    /// Calls the next interceptor, or the loader.
    typealias Next = @Sendable (DataRequest) async throws -> DataResponse

    /// Handles a fetch.
    func intercept(_ request: DataRequest, next: Next) async throws -> DataResponse
}
