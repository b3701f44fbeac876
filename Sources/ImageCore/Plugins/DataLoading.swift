/// A network layer, or anything else that turns a URL into bytes.
///
/// The engine calls ``load(_:)`` once per fetch, however many loads share it, from its own task and on no actor.
/// Several fetches run at the same time, up to the limits of the loader. The call must not block its thread; what
/// blocks runs in a ``ThreadPool``.
///
/// Return when status and header fields are known, and deliver the body through the stream, no faster than it is read.
///
/// **Time**: a call is one attempt. Throw ``ImageError/Code/timedOut`` if it makes no progress for as long as
/// ``DataRequest/timeout``: while it waits for a connection or the response, or between two parts of the body. A slow
/// body that arrives is no timeout, and the time in which the stream is not read does not count. A loader that wraps
/// another and waits must not wait beyond ``DataRequest/deadline``.
///
/// **Cancelling**: the task that calls and reads is cancelled. Throw `CancellationError` promptly and close
/// connections.
///
/// **Errors**: throw ``ImageError`` if one fits; other errors are wrapped as `plugInFailed`. A status such as 404 is no
/// error here: return it, and the engine handles it. If a body ends early, its stream must throw. A scheme of an
/// app throws ``ImageError/Code/notFound`` for what it does not have.
///
/// **Must not**: keep a request after the end of its stream, follow more than ten redirects, or send the credentials of
/// the request to another origin.
///
/// ```swift
/// struct CannedLoader: DataLoading {
///     let file: Data
///     func load(_ request: DataRequest) async throws -> DataResponse {
///         DataResponse(url: request.url, body: ByteStream(file))
///     }
/// }
/// ```
public protocol DataLoading: Sendable {
    /// Starts a transfer and returns its response.
    func load(_ request: DataRequest) async throws -> DataResponse
    /// What tells the versions of a resource apart that changes on this machine, such as the size and the time of a
    /// file: a part of the keys of its images in all caches, so that none is shown as it was. `nil`, the default, if
    /// the loader does not know.
    ///
    /// Asked for every load whose scheme is none of `http`, `https` and `data`, on the caller's thread before the
    /// memory cache is looked up: it must return at once. A loader that wraps others asks the one that it would use.
    func version(of url: URL) -> String?
}

extension DataLoading {
    public func version(of url: URL) -> String? { nil }
}
