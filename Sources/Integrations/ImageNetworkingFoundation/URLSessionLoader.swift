internal import Foundation
internal import HTTPTypes
public import ImageCore

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

/// Loads `http` and `https` URLs through Foundation's `URLSession`: the choice of Apple platforms, where it brings the
/// system's proxies, VPNs and power management, and of those who want no library besides Foundation.
///
/// It keeps the contract of `CurlLoader`: the head as soon as it is whole, then the body; at most ten redirects, to `http`
/// and `https` only; credentials stay with their origin; any status is an answer; bodies are not decompressed. Caches and
/// cookies are not used.
///
/// The timeout of a request counts from its start, with the time that it waits in the session for a connection; the deadline ends
/// it too, if that is sooner.
///
/// On Linux, URLSession (of swift-corelibs-foundation) has limits that no caller can lift: it reads a body as fast as it
/// comes, whoever reads it or not, so that up to a whole body (``Configuration/maximumBytes``) waits in memory; it makes a
/// tenth to a fifth of the requests per second of `CurlLoader`; and it offers no time limit for the connection alone. `suspend` is
/// never called, since there it begins the download anew.
///
/// **Not for servers that you do not trust, on Linux**: a body that comes without a pause can keep URLSession's own queue so busy
/// that it never gets to the cancellation that the size limit asks for; its memory then grows by the gigabyte. Take
/// `CurlLoader` there.
///
/// ```swift
/// let loader = URLSessionLoader()
/// let response = try await loader.load(DataRequest(url: URL(string: "https://example.org/cat.jpg")!))
/// ```
public final class URLSessionLoader: DataLoading {
    /// How a ``URLSessionLoader`` uses the network.
    public struct Configuration: Sendable {
        /// Connections to one host; 6.
        public var connectionsPerHost = 6
        /// The largest body, in bytes, where the request names none; the lesser of 200 MB and a tenth of the memory.
        /// Checked against `Content-Length` and with every chunk.
        public var maximumBytes = ResponseLimit.standard
        /// How far a body is read ahead of its reader, in bytes; 256 KB. Without effect on Linux.
        public var window = 256 << 10
        /// The `User-Agent` where the request has none.
        public var userAgent = "Calotype"
        /// Fetches what prefetchers want by transfers that go on without the app; `nil`, the default, as everything else.
        public var background: Background?

        public init() {}
    }

    public let configuration: Configuration
    private let lease: SessionLease
    let background: BackgroundTransfers?

    public convenience init(_ configuration: Configuration = Configuration()) {
        self.init(configuration, background: BackgroundSession.transfers(for: configuration))
    }

    init(_ configuration: Configuration, background: BackgroundTransfers?) {
        self.configuration = configuration
        self.background = background
        lease = SessionLease(configuration)
    }

    /// Starts one transfer; returns once the head of its final response is here.
    ///
    /// - Throws: `CancellationError`, or an ``ImageError``: `invalidRequest` and `unsupportedScheme` for the URL,
    ///   `hostNotFound`, `connectionFailed`, `connectionLost`, `insecure`, `timedOut`, `deadlineExceeded`, `tooManyRedirects`,
    ///   `badResponse`, `tooLarge`. The body throws the same.
    public func load(_ request: DataRequest) async throws -> DataResponse {
        try Task.checkCancellation()
        let source = ImageSource.redacted(request.url)
        let scheme = request.url.scheme?.lowercased() ?? ""
        guard scheme == "http" || scheme == "https" else {
            throw ImageError(
                .unsupportedScheme, message: "\(source) has the scheme “\(scheme)”; this loader supports http and https.")
        }
        guard let host = request.url.host(), !host.isEmpty else {
            throw ImageError(.invalidRequest, message: "\(source) has no valid host.")
        }
        if let answer = try await background?.answer(to: request) { return answer }
        let transfer = SessionTransfer(
            source: source, url: request.url, isHead: request.method == .head,
            limit: request.maximumBytes ?? configuration.maximumBytes, window: configuration.window)
        let reader = SessionReader(transfer, lease: lease)
        let limit = try AttemptLimit(request)
        let timer = Task {
            try await Task.sleep(for: limit.duration.tellable)
            transfer.fail(limit.error)
        }
        transfer.onEnd { timer.cancel() }
        let (head, whole) = try await transfer.start { lease.start(Self.urlRequest(for: request, configuration), transfer) }
        let body = whole.map { ByteStream($0) } ?? ByteStream { try await reader.transfer.next() }
        return DataResponse(url: head.url, head: head.response, body: body)
    }

    /// Keeps a session from using caches, cookies and credentials of the app.
    static func makePrivate(_ settings: URLSessionConfiguration, _ configuration: Configuration) {
        settings.httpMaximumConnectionsPerHost = max(1, configuration.connectionsPerHost)
        settings.urlCache = nil
        settings.httpCookieStorage = nil
        settings.httpShouldSetCookies = false
        settings.urlCredentialStorage = nil
        settings.requestCachePolicy = .reloadIgnoringLocalCacheData
    }

    static func urlRequest(for request: DataRequest, _ configuration: Configuration) -> URLRequest {
        var url = request.url
        var fields = request.headerFields
        if request.url.user != nil || request.url.password != nil {
            // Credentials go into the header, so that no redirect, log or error takes them along.
            let user = request.url.user(percentEncoded: false) ?? ""
            let credentials = "\(user):\(request.url.password(percentEncoded: false) ?? "")"
            if fields[.authorization] == nil {
                fields[.authorization] = "Basic " + Data(credentials.utf8).base64EncodedString()
            }
            if var parts = URLComponents(url: request.url, resolvingAgainstBaseURL: true) {
                (parts.user, parts.password) = (nil, nil)
                url = parts.url ?? url
            }
        }
        // Time is kept by the loader: the session's own limits are out of its way.
        var made = URLRequest(url: url, cachePolicy: .reloadIgnoringLocalCacheData, timeoutInterval: 86_400)
        made.httpMethod = request.method.rawValue
        made.httpBody = request.body
        made.httpShouldHandleCookies = false
        for field in fields { made.addValue(field.value, forHTTPHeaderField: field.name.rawName) }
        // Unasked, the session would ask for compression, and hide that it undid it.
        if fields[.acceptEncoding] == nil { made.setValue("identity", forHTTPHeaderField: "Accept-Encoding") }
        if fields[.userAgent] == nil { made.setValue(configuration.userAgent, forHTTPHeaderField: "User-Agent") }
        #if canImport(Darwin)
            made.allowsExpensiveNetworkAccess = request.allowsExpensiveNetwork
        #endif
        return made
    }
}

/// What the body's closure owns: gives the transfer up when the body is dropped.
private final class SessionReader: Sendable {
    let transfer: SessionTransfer
    private let lease: SessionLease

    init(_ transfer: SessionTransfer, lease: SessionLease) {
        self.transfer = transfer
        self.lease = lease
    }

    deinit { transfer.cancel() }
}

/// Keeps the session: held by the loader, by each body that is being read, and by the delegate for each transfer that runs. A
/// session holds its delegate until it is told to end.
final class SessionLease: Sendable {
    private let session: URLSession
    private let delegate = SessionDelegate()

    init(_ configuration: URLSessionLoader.Configuration) {
        let settings = URLSessionConfiguration.ephemeral
        URLSessionLoader.makePrivate(settings, configuration)
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        session = URLSession(configuration: settings, delegate: delegate, delegateQueue: queue)
    }

    deinit { session.invalidateAndCancel() }

    func start(_ request: URLRequest, _ transfer: SessionTransfer) {
        let task = session.dataTask(with: request)
        delegate.add(transfer, task.taskIdentifier, lease: self)
        guard transfer.attach(SessionTask(task)) else {
            delegate.remove(task.taskIdentifier)
            return task.cancel()
        }
        task.resume()
    }
}

/// A data task, as much of it as transfers need.
struct SessionTask: Sendable {
    private let task: URLSessionDataTask

    init(_ task: URLSessionDataTask) { self.task = task }

    func cancel() { task.cancel() }

    #if canImport(Darwin)
        func pause() { task.suspend() }
        func goOn() { task.resume() }
    #else
        // Suspending begins the download anew here, and delivers bytes twice.
        func pause() {}
        func goOn() {}
    #endif
}
