/// A network layer, or anything else that turns a URL into bytes.
///
/// The engine calls ``load(_:)`` once per fetch, however many callers wait for it, from a task of its own; several
/// fetches run at a time, up to the loader's limits. It is called on no actor, and must not block its thread.
///
/// Return as soon as the head is known and hand the body out through the stream; produce no faster than it is read.
///
/// **Time**: one call is one attempt. End it with ``ImageError/Code/timedOut`` when the last byte is not here within
/// ``DataRequest/timeout``. What wraps other loaders and waits, waits no longer than until ``DataRequest/deadline``.
///
/// **Cancelling**: the task that calls and reads is cancelled. Throw `CancellationError` promptly and close what is open.
///
/// **Errors**: throw ``ImageError`` where one fits; anything else is wrapped as `plugInFailed`. A status such as 404 is
/// no error here: return it, and the engine judges. A body that ends early must throw from the stream, never just end.
///
/// **Must not**: keep a request after its stream ended, follow more than ten redirects, or send the request's
/// credentials to another origin.
///
/// ```swift
/// struct CannedLoader: DataLoading {
///     let picture: Data
///     func load(_ request: DataRequest) async throws -> DataResponse {
///         DataResponse(url: request.url, body: ByteStream(picture))
///     }
/// }
/// ```
public protocol DataLoading: Sendable {
    /// Starts one transfer and returns its head and body.
    func load(_ request: DataRequest) async throws -> DataResponse
}
