internal import HTTPTypes
public import ImageCore

/// Heeds what the network is like before it asks for anything: requests that may not cost money stay off networks that
/// do, and a machine that is offline waits, answers from a cache, or says so at once.
///
/// **Time**: a wait for the network ends at the deadline; without a deadline, it is as long as the timeout. The attempt that
/// follows has its whole timeout.
///
/// ```swift
/// let loader = NetworkAwareLoader(CurlLoader(), monitor: NetworkMonitor(), whenOffline: .wait)
/// ```
public struct NetworkAwareLoader: DataLoading {
    /// What becomes of a load that finds no network.
    public enum OfflineBehavior: Hashable, Sendable {
        /// It fails at once, with ``ImageError/Code/offline``.
        case fail
        /// It waits for the network until its deadline, and then fails with ``ImageError/Code/deadlineExceeded``. Without a
        /// deadline it waits for as long as its timeout, and then fails as with ``fail``.
        case wait
        /// It is passed on as a request that a cache further inwards may answer with what it has, however old, and nobody
        /// else: with the policy ``CachePolicy/onlyIfCached``, and `Cache-Control: only-if-cached, max-stale` (RFC 9111,
        /// section 5.2.1). What the cache does not have fails as with ``fail``. Without a cache inside, take that: a loader
        /// that keeps nothing does not know what the policy means, and would ask the network.
        case serveStale
    }

    private let loader: any DataLoading
    private let monitor: NetworkMonitor
    private let whenOffline: OfflineBehavior
    private let sleep: @Sendable (Duration) async throws -> Void

    /// - Parameters:
    ///   - whenOffline: what becomes of a load that finds no network.
    ///   - clock: by which the wait is limited.
    public init<C: Clock<Duration>>(
        _ loader: any DataLoading, monitor: NetworkMonitor, whenOffline: OfflineBehavior = .fail, clock: C = ContinuousClock()
    ) {
        self.loader = loader
        self.monitor = monitor
        self.whenOffline = whenOffline
        sleep = { try await clock.sleep(for: $0) }
    }

    /// What the wrapped loader returns.
    ///
    /// - Throws: ``ImageError/Code/offline``, ``ImageError/Code/expensiveNetwork``, ``ImageError/Code/deadlineExceeded``,
    ///   `CancellationError`, and what the loader throws.
    public func load(_ request: DataRequest) async throws -> DataResponse {
        let isGood: @Sendable (NetworkStatus) -> Bool = { status in
            status.isReachable && (request.allowsExpensiveNetwork || !status.isExpensive)
        }
        if isGood(monitor.status) || Self.isOfThisMachine(request.url) { return try await loader.load(request) }
        switch whenOffline {
        case .fail: throw Self.error(monitor.status, request)
        case .wait:
            let limit = try request.timeUntilDeadline() ?? request.timeout
            if try await wait(for: isGood, atMost: limit.tellable) { return try await loader.load(request) }
            let error = Self.error(monitor.status, request)
            guard let deadline = request.deadline else { throw error }
            throw ImageError.deadlineExceeded(by: request.url, deadline, causes: [error.message])
        case .serveStale:
            var cached = request
            cached.cachePolicy.insert(.onlyIfCached)
            cached.headerFields[.cacheControl] = "only-if-cached, max-stale"
            let response = try await loader.load(cached)
            // The cache's own word for having nothing: no server has said it.
            guard response.head.status != .gatewayTimeout else { throw Self.error(monitor.status, request) }
            return response
        }
    }

    private func wait(for isGood: @escaping @Sendable (NetworkStatus) -> Bool, atMost limit: Duration) async throws -> Bool {
        try await withThrowingTaskGroup(of: Bool.self) { group in
            group.addTask {
                try await monitor.wait(until: isGood)
                return true
            }
            group.addTask {
                try await sleep(limit)
                return false
            }
            defer { group.cancelAll() }
            return try await group.next() ?? false
        }
    }

    private static func isOfThisMachine(_ url: URL) -> Bool {
        (try? WebAddress(url.absoluteString))?.origin.isOfThisMachine ?? false
    }

    private static func error(_ status: NetworkStatus, _ request: DataRequest) -> ImageError {
        let source = ImageSource.redacted(request.url)
        if status.isReachable {
            return ImageError(
                .expensiveNetwork,
                message: "\(source) was not loaded: the network costs money, and the load's options do not allow that.")
        }
        return ImageError(.offline, message: "\(source) was not loaded: this machine has no network.")
    }
}

extension ImageError.Code {
    /// The machine has no network.
    public static let offline = Self("offline", .network)
    /// The network costs money, and the load may not spend any.
    public static let expensiveNetwork = Self("expensiveNetwork", .network)
}
