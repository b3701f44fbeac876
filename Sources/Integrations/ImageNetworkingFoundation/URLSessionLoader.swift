internal import HTTPTypes
public import ImageCore
internal import ImageNetworking

#if canImport(FoundationNetworking)
    internal import Foundation
    public import FoundationNetworking
#else
    public import Foundation
#endif

/// Loads `http` and `https` URLs through Foundation's `URLSession`: the default on Apple platforms, where it uses the
/// system's proxies, VPNs and power management. Elsewhere it needs no library besides Foundation.
///
/// It behaves like `CurlLoader`: a load returns as soon as the response headers are complete; at most ten redirects are
/// followed, to `http` and `https` only; credentials stay with their origin; any status is a response; content codings
/// are undone. Caches are not used, and cookies only with ``Configuration/storesCookies`` or a
/// ``Configuration/session`` that has them.
///
/// A body may have as many bytes as the request says, or ``ResponseLimit/standard``; that is checked against
/// `Content-Length` and with every chunk.
///
/// The timeout of a request is the longest time without progress, including the time that it waits in the session for a
/// connection. The deadline ends the request too.
///
/// On Linux, URLSession (of swift-corelibs-foundation) has no back-pressure: up to a whole body waits in memory. It is
/// slower than `CurlLoader`, and has no time limit for the connection alone.
///
/// - Warning: On Linux, do not use it for untrusted servers. A body that comes without a pause can keep URLSession's
///   queue so busy that it never handles the cancellation at the size limit, and its memory grows without limit. Use
///   `CurlLoader` there.
///
/// ```swift
/// let loader = URLSessionLoader()
/// let response = try await loader.load(DataRequest(url: URL(string: "https://example.org/cat.jpg")!))
/// ```
public final class URLSessionLoader: DataLoading {
    /// How a ``URLSessionLoader`` uses the network.
    public struct Configuration: Sendable {
        /// How far a body is received ahead of its reader, in bytes; 256 KB. It has no effect on Linux.
        public var window = 256 << 10
        /// The `User-Agent` of requests that have none.
        public var userAgent = "Calotype"
        /// Whether loads use the network in Low Data Mode; `true`. Otherwise they fail there. It has no effect on
        /// Linux.
        public var allowsConstrainedNetwork = true
        /// Whether the loader keeps the cookies that servers set, in memory, and sends them back; `false`. A cache does
        /// not take them into account: use it for hosts that serve everyone the same images.
        public var storesCookies = false
        /// Makes the settings of the session: proxies, cookies, `URLProtocol` classes, TLS versions. `nil`, the
        /// default, for an ephemeral session without stored credentials.
        ///
        /// The loader sets the connections per host, and removes the cache of the session. The ``background`` session
        /// is not made from these settings.
        public var session: (@Sendable () -> URLSessionConfiguration)?
        /// Answers the challenges of servers and proxies, for certificate pinning, client certificates and passwords;
        /// `nil`, the default, leaves them to the system. Called on the queue of the session; it should return soon.
        ///
        /// A certificate that it rejects, by `cancelAuthenticationChallenge`, fails the load with
        /// ``ImageError/Code/insecure``.
        public var challengeHandler: (@Sendable (URLAuthenticationChallenge) -> ChallengeAnswer)?
        /// Fetches prefetches by transfers that continue without the app; `nil`, the default, by a foreground session.
        public var background: BackgroundOptions?

        /// The defaults.
        public init() {}
    }

    /// What to do about a challenge, and the credential to use.
    public typealias ChallengeAnswer = (URLSession.AuthChallengeDisposition, URLCredential?)

    /// The settings that the loader was made with.
    public let configuration: Configuration
    private let lease: SessionLease
    let background: BackgroundTransfers?

    /// Makes a loader with its own session.
    ///
    /// - Parameters:
    ///   - configuration: how the loader uses the network.
    ///   - connectionsPerHost: connections to one host; 6. A standard loader takes the number from its own limits.
    public convenience init(_ configuration: Configuration = Configuration(), connectionsPerHost: Int = 6) {
        self.init(
            configuration, connectionsPerHost: connectionsPerHost,
            background: BackgroundSession.transfers(for: configuration, connectionsPerHost: connectionsPerHost))
    }

    init(_ configuration: Configuration, connectionsPerHost: Int = 6, background: BackgroundTransfers?) {
        self.configuration = configuration
        self.background = background
        lease = SessionLease(configuration, connectionsPerHost: connectionsPerHost)
    }

    /// Starts one transfer; returns once the headers of its final response are complete.
    ///
    /// - Throws: `CancellationError`, or an ``ImageError``: `invalidRequest` and `unsupportedScheme` for the URL,
    ///   `hostNotFound`, `connectionFailed`, `connectionLost`, `insecure`, `timedOut`, `deadlineExceeded`,
    ///   `tooManyRedirects`, `badResponse`, `tooLarge`. The body throws the same.
    public func load(_ request: DataRequest) async throws -> DataResponse {
        try Task.checkCancellation()
        _ = try WebAddress(request.url)
        if let response = try await background?.response(to: request) { return response }
        let transfer = SessionTransfer(
            url: request.url, isHead: request.method == .head,
            limit: request.maximumResponseBytes ?? ResponseLimit.standard, window: configuration.window,
            timer: try AttemptTimer(request))
        let reader = SessionReader(transfer, lease: lease)
        let watch = Task { transfer.fail(try await transfer.timer.waitForLimit()) }
        transfer.onEnd { watch.cancel() }
        let (head, whole) = try await transfer.start {
            lease.start(Self.urlRequest(for: request, configuration), priority: request.priority, transfer)
        }
        let body = whole.map { ByteStream($0) } ?? ByteStream { try await reader.transfer.next() }
        var response = DataResponse(url: head.url, head: head.response, body: body)
        response.redirects = transfer.redirects
        return response
    }

    /// Keeps a session from using caches, cookies and credentials of the app.
    static func makePrivate(_ settings: URLSessionConfiguration) {
        settings.urlCache = nil
        settings.httpCookieStorage = nil
        settings.httpShouldSetCookies = false
        settings.urlCredentialStorage = nil
        settings.requestCachePolicy = .reloadIgnoringLocalCacheData
    }

    static func urlRequest(for request: DataRequest, _ configuration: Configuration) -> URLRequest {
        let fields = request.transportFields
        var url = request.url
        // Credentials are in the header, so that redirects, logs and errors do not contain them.
        if let address = try? WebAddress(url), address.credentials != nil { url = URL(string: address.text) ?? url }
        // The loader applies its own time limits, so those of the session are longer.
        var made = URLRequest(url: url, cachePolicy: .reloadIgnoringLocalCacheData, timeoutInterval: 86_400)
        made.httpMethod = request.method.rawValue
        made.httpBody = request.body ?? (request.method.expectsBody ? Data() : nil)
        // The session of the app may have cookies.
        made.httpShouldHandleCookies = configuration.session != nil || configuration.storesCookies
        for field in fields { made.addValue(field.value, forHTTPHeaderField: field.name.rawName) }
        // Otherwise the session would request compression. Images are compressed already.
        if fields[.acceptEncoding] == nil { made.setValue("identity", forHTTPHeaderField: "Accept-Encoding") }
        if fields[.userAgent] == nil { made.setValue(configuration.userAgent, forHTTPHeaderField: "User-Agent") }
        #if canImport(Darwin)
            made.allowsExpensiveNetworkAccess = request.allowsExpensiveNetwork
            made.allowsConstrainedNetworkAccess = configuration.allowsConstrainedNetwork
        #endif
        return made
    }
}

/// Owned by the body's closure: cancels the transfer when the body is dropped.
private final class SessionReader: Sendable {
    let transfer: SessionTransfer
    private let lease: SessionLease

    init(_ transfer: SessionTransfer, lease: SessionLease) {
        self.transfer = transfer
        self.lease = lease
    }

    deinit { transfer.cancel() }
}

/// Keeps the session alive: held by the loader, by each body that is being read, and by the delegate for each running
/// transfer. A session holds its delegate until it is invalidated.
final class SessionLease: Sendable {
    private let session: URLSession
    private let delegate: SessionDelegate

    init(_ configuration: URLSessionLoader.Configuration, connectionsPerHost: Int) {
        let settings = configuration.session?() ?? .ephemeral
        if configuration.session == nil {
            // Those of an ephemeral session are in memory.
            let cookies = settings.httpCookieStorage
            URLSessionLoader.makePrivate(settings)
            if configuration.storesCookies { (settings.httpCookieStorage, settings.httpShouldSetCookies) = (cookies, true) }
        }
        // The session would store what it does not read.
        settings.urlCache = nil
        settings.httpMaximumConnectionsPerHost = max(1, connectionsPerHost)
        delegate = SessionDelegate(configuration.challengeHandler)
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        session = URLSession(configuration: settings, delegate: delegate, delegateQueue: queue)
    }

    deinit { session.invalidateAndCancel() }

    func start(_ request: URLRequest, priority: LoadPriority, _ transfer: SessionTransfer) {
        let task = session.dataTask(with: request)
        // From 0 to 1, and 0.5 for the default.
        task.priority = Float(priority.rawValue) / 4
        delegate.add(transfer, task.taskIdentifier, lease: self)
        guard transfer.attach(task) else {
            delegate.remove(task.taskIdentifier)
            return task.cancel()
        }
        task.resume()
    }
}

extension URLSessionDataTask {
    /// Stops receiving. Without effect on Linux, where suspending restarts the download and delivers bytes twice.
    func pause(_ timer: AttemptTimer) {
        #if canImport(Darwin)
            timer.setPaused(true)
            suspend()
        #endif
    }

    /// Receives again after a pause.
    func unpause(_ timer: AttemptTimer) {
        #if canImport(Darwin)
            timer.setPaused(false)
            resume()
        #endif
    }
}
