internal import HTTPTypes
public import ImageCore

/// Checks the network before each request: requests that must not cost money are not sent over an expensive network,
/// and without a network a request waits, gets a stale response from a cache, or fails at once.
///
/// **Time**: a wait for the network ends at the deadline; without a deadline, it is as long as the timeout. The arrival
/// of a network is progress: the timeout then begins again.
///
/// ```swift
/// let loader = NetworkAwareLoader(CurlLoader(), monitor: NetworkMonitor(), whenOffline: .wait)
/// ```
public struct NetworkAwareLoader: DataLoading {
    /// What happens to a load when there is no suitable network.
    public enum OfflineBehavior: Hashable, Sendable {
        /// It fails at once, with ``ImageError/Code/offline``.
        case fail
        /// It waits for the network until its deadline, and then fails with ``ImageError/Code/deadlineExceeded``.
        /// Without a deadline it waits for as long as its timeout, and then fails as with ``fail``.
        case wait
        /// A cache inside this loader responds at once, with an entry of any age: the request has the policy
        /// ``CachePolicy/onlyIfCached``, and `Cache-Control: only-if-cached, max-stale` (RFC 9111, section 5.2.1).
        /// After a cache miss, a load that must not use an expensive network fails as with ``fail``. Otherwise the
        /// network is tried all the same, since the system does not know every way to it, such as a proxy on this
        /// machine; if that fails to connect, the error is ``ImageError/Code/offline``.
        case serveStale
    }

    private let loader: any DataLoading
    private let monitor: NetworkMonitor
    private let whenOffline: OfflineBehavior
    private let hasCache: Bool
    private let clock: AnyClock

    /// Wraps a loader.
    ///
    /// - Parameters:
    ///   - loader: gets the requests for which there is a network.
    ///   - monitor: reports the status of the network.
    ///   - whenOffline: what happens to a load without a suitable network; ``OfflineBehavior/fail`` by default.
    ///   - hasCache: whether there is a cache inside `loader`, for ``OfflineBehavior/serveStale``; `true` by default.
    ///   - clock: limits the wait; `ContinuousClock` by default.
    public init(
        _ loader: any DataLoading, monitor: NetworkMonitor, whenOffline: OfflineBehavior = .fail, hasCache: Bool = true,
        clock: any Clock<Duration> = ContinuousClock()
    ) {
        (self.loader, self.monitor, self.whenOffline, self.hasCache) = (loader, monitor, whenOffline, hasCache)
        self.clock = AnyClock(clock)
    }

    public func version(of url: URL) -> String? { loader.version(of: url) }

    /// What the wrapped loader returns.
    ///
    /// - Throws: ``ImageError/Code/offline``, ``ImageError/Code/expensiveNetwork``,
    ///   ``ImageError/Code/deadlineExceeded``, `CancellationError`, and what the loader throws.
    public func load(_ request: DataRequest) async throws -> DataResponse {
        let isSuitable: @Sendable (NetworkStatus) -> Bool = { status in
            status.isReachable && (request.allowsExpensiveNetwork || !status.isExpensive)
        }
        if isSuitable(monitor.status) || Self.isOfThisMachine(request.url) { return try await loader.load(request) }
        switch whenOffline {
        case .fail: throw Self.error(monitor.status, request)
        case .wait:
            let limit = try request.timeUntilDeadline() ?? request.timeout
            let arrival: Void? = try await clock.value(within: limit) { try await monitor.wait(until: isSuitable) }
            if arrival != nil { return try await loader.load(request) }
            let error = Self.error(monitor.status, request)
            guard let deadline = request.deadline else { throw error }
            throw ImageError.deadlineExceeded(by: request.url, deadline, causes: [error.message])
        case .serveStale:
            if let response = try await storedResponse(to: request) { return response }
            let status = monitor.status
            guard isSuitable(status) || !status.isReachable else { throw Self.error(status, request) }
            do {
                return try await loader.load(request)
            } catch let error as ImageError where Self.connectionFailures.contains(error.code) {
                let status = monitor.status
                guard !status.isReachable else { throw error }
                var offline = Self.error(status, request)
                offline.causes = [error.message]
                throw offline
            }
        }
    }

    /// The response of the cache inside, of any age; `nil` for a miss.
    private func storedResponse(to request: DataRequest) async throws -> DataResponse? {
        guard hasCache else { return nil }
        var cached = request
        cached.cachePolicy.insert(.onlyIfCached)
        cached.headerFields[.cacheControl] = "only-if-cached, max-stale"
        let response = try await loader.load(cached)
        // A cache responds with 504 when it has no entry.
        return response.head.status == .gatewayTimeout ? nil : response
    }

    private static let connectionFailures: Set<ImageError.Code> = [.hostNotFound, .connectionFailed, .timedOut]

    private static func isOfThisMachine(_ url: URL) -> Bool {
        (try? WebAddress(url))?.origin.isOfThisMachine ?? false
    }

    private static func error(_ status: NetworkStatus, _ request: DataRequest) -> ImageError {
        let source = ImageSource.redacted(request.url)
        if status.isReachable {
            return .expensiveNetwork(source)
        }
        return ImageError(.offline, message: "\(source) was not loaded: this machine has no network.")
    }
}
