internal import CalotypeSystem
public import ImageCore

/// Loads `http` and `https` URLs through libcurl: streaming, with back-pressure, over connections that are kept alive
/// and shared, with HTTP/2 where the server offers it over TLS.
///
/// All transfers of a loader run on one thread, which starts with the first of them. A load returns as soon as the
/// response headers are complete; the body is received only as far ahead of its reader as ``Configuration/window``.
/// Cancelling the task that loads or reads, or dropping the body unread, closes the transfer and its socket.
///
/// At most ten redirects are followed, to `http` and `https` only. Another origin gets only fields that describe the
/// wanted response, such as `Accept`: `Authorization`, `Cookie` and unknown fields may be credentials. Content
/// codings (gzip, deflate, and what libcurl has besides) are undone but not asked for, since images are compressed
/// already. Any status is a response, also 404.
///
/// The timeout of a request is the longest time without progress: while it waits for a free connection, connects, sends
/// the request, waits for the response, or between two parts of the body. A redirect is progress, and a transfer that
/// waits for its reader is not silent. The deadline ends the request too.
///
/// A body may have as many bytes as the request says, or ``ResponseLimit/standard``; that is checked against
/// `Content-Length` and with every chunk.
///
/// The loader ends when it and all bodies that it returned are released, or at ``close()``.
///
/// The first loader of a process starts libcurl (`curl_global_init`), unless that was done before.
///
/// ```swift
/// let loader = CurlLoader()
/// let response = try await loader.load(DataRequest(url: URL(string: "https://example.org/cat.jpg")!))
/// for try await chunk in response.body { print(chunk.count) }
/// ```
public final class CurlLoader: DataLoading {
    /// The settings that the loader was created with.
    public let configuration: Configuration
    /// The limits that the loader was created with.
    public let limits: Limits
    private let handle: EventLoopHandle

    /// Makes a loader. Its thread starts with the first load.
    ///
    /// - Parameters:
    ///   - configuration: how the loader uses the network.
    ///   - limits: how many transfers run at a time.
    public init(_ configuration: Configuration = Configuration(), limits: Limits = Limits()) {
        (self.configuration, self.limits) = (configuration, limits)
        let mailbox = Mailbox { mailbox in
            DetachedThread.start(blocksBrokenPipes: true) { CurlLoop.run(configuration, limits, mailbox: mailbox) }
        }
        handle = EventLoopHandle(mailbox: mailbox)
    }

    /// Starts one fetch; returns once the headers of its final response are complete.
    ///
    /// - Throws: `CancellationError`, or an ``ImageError``: `invalidRequest` and `unsupportedScheme` for the URL,
    ///   `hostNotFound`, `connectionFailed`, `connectionLost`, `insecure`, `timedOut`, `deadlineExceeded`,
    ///   `tooManyRedirects`, `badResponse`, `tooLarge`, `sourceForbidden`, `loaderClosed`. The body throws the same.
    public func load(_ request: DataRequest) async throws -> DataResponse {
        try Task.checkCancellation()
        _ = try request.timeUntilDeadline()
        let fetch = Fetch(
            request.url, timeout: request.timeout, deadline: request.deadline, hop: try .first(of: request),
            limit: request.maximumResponseBytes ?? ResponseLimit.standard)
        let (head, whole) = try await fetch.start(by: handle.mailbox)
        // A small body usually arrives together with the headers.
        let body = whole.map { ByteStream($0) } ?? FetchBody(fetch, handle: handle).stream
        var url = fetch.url
        if let address = head.redirectedTo {
            guard let redirected = URL(string: address) else {
                throw ImageError(.badResponse, message: "\(ImageSource.redacted(url)) was redirected to an invalid URL.")
            }
            url = redirected
        }
        var response = DataResponse(url: url, head: head.response, body: body, timing: head.timing)
        response.redirects = head.redirects
        return response
    }

    /// Ends every transfer with ``ImageError/Code/loaderClosed``, closes every connection, and returns when the
    /// loader's thread has released everything. Later loads fail the same way.
    public func close() async { await handle.mailbox.closeAndWait() }
}

/// Reads the body of a fetch, and cancels the fetch when the body is dropped.
private final class FetchBody: Sendable {
    private let fetch: Fetch
    private let handle: EventLoopHandle

    init(_ fetch: Fetch, handle: EventLoopHandle) {
        self.fetch = fetch
        self.handle = handle
    }

    deinit { fetch.cancel(by: handle.mailbox) }

    var stream: ByteStream { ByteStream { try await self.fetch.next(by: self.handle.mailbox) } }
}
