internal import CalotypeSystem
public import ImageCore
internal import ImageNetworking

/// Loads `http` and `https` URLs through libcurl: streaming, with back-pressure, over connections that are kept alive
/// and shared, HTTP/2 where the server offers it over TLS.
///
/// All transfers of a loader run on one thread of its own, which starts with the first of them. The head is returned as
/// soon as it is whole; the body is read from the network only as far ahead as ``Configuration/window``. Cancelling the
/// task that loads or reads, or dropping the body unread, closes the transfer down to its socket.
///
/// Redirects are followed at most ten times and to `http` and `https` only. Another origin gets those fields alone that say how
/// to answer, such as `Accept`: `Authorization`, `Cookie` and any that is not known may be credentials. Responses are not
/// decompressed, since pictures already are. Any status is an answer, also 404.
///
/// The loader ends when it and the bodies that it returned are gone, or at ``close()``.
///
/// The first loader of a process starts libcurl (`curl_global_init`), unless that was done before.
///
/// ```swift
/// let loader = CurlLoader()
/// let response = try await loader.load(DataRequest(url: URL(string: "https://example.org/cat.jpg")!))
/// for try await chunk in response.body { print(chunk.count) }
/// ```
public final class CurlLoader: DataLoading {
    public let configuration: Configuration
    private let lease: LoopLease

    public init(_ configuration: Configuration = Configuration()) {
        self.configuration = configuration
        let mailbox = Mailbox { mailbox in
            DetachedThread.start(blocksBrokenPipes: true) { CurlLoop.run(configuration, mailbox: mailbox) }
        }
        lease = LoopLease(mailbox: mailbox)
    }

    /// Starts one transfer; returns once the head of its final response is here.
    ///
    /// - Throws: `CancellationError`, or an ``ImageError``: `invalidRequest` and `unsupportedScheme` for the URL,
    ///   `hostNotFound`, `connectionFailed`, `connectionLost`, `insecure`, `timedOut`, `tooManyRedirects`, `badResponse`,
    ///   `tooLarge`, `loaderClosed`. The body throws the same.
    public func load(_ request: DataRequest) async throws -> DataResponse {
        try Task.checkCancellation()
        let transfer = try transfer(request)
        let (head, whole) = try await transfer.start(by: lease.mailbox)
        // A small body usually came with the head; then there is nothing left to wait for.
        let body = whole.map { ByteStream($0) } ?? BodyReader(transfer, lease: lease).stream
        var url = transfer.url
        if let address = head.redirectedTo {
            guard let redirected = URL(string: address) else {
                throw ImageError(
                    .badResponse, message: "\(ImageSource.redacted(url)) was redirected to an address that is no valid URL.")
            }
            url = redirected
        }
        return DataResponse(url: url, head: head.response, body: body, timing: head.timing)
    }

    // What a function knows while it waits is kept, and the whole request with it, were this not a function of its own.
    @inline(never)
    private func transfer(_ request: DataRequest) throws(ImageError) -> Transfer {
        let limit = request.maximumBytes ?? configuration.maximumBytes
        return Transfer(
            request.url, timeout: request.timeout, priority: request.priority, hop: try .first(of: request), limit: limit)
    }

    /// Ends every transfer with ``ImageError/Code/loaderClosed``, closes every connection, and returns when the loader's
    /// thread has let go of all of it. Later loads fail the same way.
    public func close() async { await lease.mailbox.closed() }
}

/// What the body's closure owns: gives the transfer up when the body is dropped.
private final class BodyReader: Sendable {
    private let transfer: Transfer
    private let lease: LoopLease

    init(_ transfer: Transfer, lease: LoopLease) {
        self.transfer = transfer
        self.lease = lease
    }

    deinit { transfer.cancel(by: lease.mailbox) }

    var stream: ByteStream { ByteStream { try await self.transfer.next(by: self.lease.mailbox) } }
}
