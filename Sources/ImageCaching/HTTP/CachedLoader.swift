internal import HTTPTypes
public import ImageCore

/// Serves requests from an ``HTTPCache`` if its policy allows that, and stores what it fetches: a private HTTP cache around a
/// loader (RFC 9111).
///
/// A body is recorded while it is read, and stored once its end is reached and its length is as announced. A body that fails, is
/// cancelled or is dropped is not stored. A stale response is validated with a conditional request, and a 304 reuses the stored
/// bytes. A successful request with an unsafe method (any but GET, HEAD, OPTIONS and TRACE) removes the stored responses for its
/// URL, and for `Location` and `Content-Location` on the same origin.
///
/// If the request carries the transaction of a lookup in this cache (``HTTPCache/lookUp(_:)``), the loader continues from it and
/// does not look up the cache again.
///
/// A failing data cache costs hits and never fails a load. Several loaders may share one cache: each entry is written atomically,
/// and the last one wins. The engine, not this loader, coalesces concurrent loads of one URL.
///
/// Place it around the loaders that use the network (retry, bandwidth), and inside of those that change requests.
///
/// ```swift
/// let cache = HTTPCache(store: DiskCache())
/// func wired(_ network: any DataLoading) -> CachedLoader { CachedLoader(network, cache: cache) }
/// ```
public final class CachedLoader: DataLoading {
    let loader: any DataLoading
    let cache: HTTPCache
    /// The running background validations, by the key of the response.
    private let running = Lock<[DataKey: Task<Void, Never>]>([:])

    /// Beyond this many concurrent validations, stale responses are served without a validation.
    static let maximumRevalidations = 8

    /// Creates a caching loader.
    ///
    /// - Parameters:
    ///   - loader: the loader that fetches what the cache cannot serve.
    ///   - cache: the cache to read and fill.
    public init(_ loader: any DataLoading, cache: HTTPCache) {
        self.loader = loader
        self.cache = cache
    }

    /// The stored response or the server's; a 504 if the request only accepts stored responses and there is none.
    ///
    /// - Parameter request: the request.
    /// - Returns: the response with its body.
    /// - Throws: the error of the wrapped loader, unless a stale response may be served; ``ImageError/Code/tooLarge`` if a stored
    ///   body exceeds the limit of the request.
    public func load(_ request: DataRequest) async throws -> DataResponse {
        var request = request
        let transaction = request.cacheTransaction
        request.cacheTransaction = nil
        guard cache.policy.mode != .off, request.isCacheRead else {
            // A request that forbids the network never reaches it, whatever the policy.
            if RequestDirectives(request).onlyIfCached { return Self.gatewayTimeout(for: request) }
            return cache.policy.mode == .off ? try await loader.load(request) : try await pass(request)
        }
        // Decide again: time has passed since the lookup, and interceptors may have changed the request.
        if let entries = cache.entries(of: transaction, for: request) {
            switch decision(for: request, entries) {
            case .revalidate(let validation): return try await exchange(request, entries).run(validating: validation)
            case .fetch: return try await exchange(request, entries).run(validating: nil)
            case .gatewayTimeout: return Self.gatewayTimeout(for: request)
            // The transaction holds no body, so look up the cache again.
            case .serve, .serveWhileRevalidating: break
            }
        }
        let found =
            try await attempt { try await self.cache.find(request) }
            ?? CacheLookup(entries: cache.emptyEntries(for: request), match: nil)
        switch (decision(for: request, found.entries), found.match) {
        case (.serve(let reply), let match?):
            return try match.response(reply, to: request)
        case (.serveWhileRevalidating(let reply, let validation), let match?):
            revalidate(exchange(request, found.entries), validation)
            return try match.response(reply, to: request)
        case (.revalidate(let validation), _):
            return try await exchange(request, found.entries).run(validating: validation)
        case (.gatewayTimeout, _):
            return Self.gatewayTimeout(for: request)
        default:
            return try await exchange(request, found.entries).run(validating: nil)
        }
    }

    private func decision(for request: DataRequest, _ entries: StoredEntries) -> HTTPCacheDecision {
        cache.policy.decision(for: request, stored: entries.responses, now: cache.now())
    }

    private func exchange(_ request: DataRequest, _ entries: StoredEntries) -> CacheExchange {
        CacheExchange(loader: loader, cache: cache, request: request, entries: entries)
    }

    /// The response of a cache that has no response and may not ask the server (RFC 9111, section 5.2.1.7).
    private static func gatewayTimeout(for request: DataRequest) -> DataResponse {
        DataResponse(url: request.url, head: HTTPResponse(status: .gatewayTimeout), body: ByteStream(Data()), tier: .disk)
    }

    /// Returns when no background validation is running, including those that start in the meantime.
    public func waitForRevalidations() async {
        while let task = running.withLock({ $0.first?.value }) { await task.value }
    }

    /// Validates in the background, at most once at a time for each response.
    private func revalidate(_ exchange: CacheExchange, _ validation: HTTPCacheValidation) {
        let key = exchange.entries.matchKey
        running.withLock { running in
            guard running[key] == nil, running.count < Self.maximumRevalidations else { return }
            running[key] = Task {
                var quiet = exchange
                quiet.request.priority = .veryLow
                // The next use repeats a failed validation.
                if let response = try? await quiet.run(validating: validation) {
                    var body = response.body.makeAsyncIterator()
                    while let chunk = try? await body.next() { _ = chunk }
                }
                self.running.withLock { $0[key] = nil }
            }
        }
    }

    /// Sends a request that the cache does not serve, and invalidates stored responses (RFC 9111, section 4.4).
    private func pass(_ request: DataRequest) async throws -> DataResponse {
        let requestedAt = cache.now()
        let response = try await loader.load(request)
        let safe: Set<HTTPRequest.Method> = [.get, .head, .options, .trace]
        guard !safe.contains(request.method), (200..<400).contains(response.head.status.code) else { return response }
        let fields = response.head.headerFields
        let others = [fields[.location], fields[.contentLocation]].map { $0.flatMap { URL(string: $0, relativeTo: request.url) } }
        for url in [request.url] + others.compactMap({ $0?.absoluteURL }) where url.hasSameOrigin(as: request.url) {
            try await attempt { try await self.cache.removeAll(for: url, as: request) }
        }
        guard request.method == .post else { return response }
        var read = exchange(request, cache.emptyEntries(for: request))
        (read.request.method, read.request.body) = (.get, nil)
        return await read.recordedPost(response, to: request, contentLocation: others[1], requestedAt: requestedAt)
    }
}

/// Returns the result of a cache operation; `nil` if it fails, which costs only a hit.
func attempt<R: Sendable>(_ body: () async throws -> R) async throws(CancellationError) -> R? {
    do {
        return try await body()
    } catch let error as CancellationError {
        throw error
    } catch {
        return nil
    }
}

extension URL {
    /// Whether scheme, host and port are equal (RFC 9110, section 4.3.1).
    fileprivate func hasSameOrigin(as other: URL) -> Bool {
        func port(_ url: URL) -> Int { url.port ?? (url.scheme?.lowercased() == "https" ? 443 : 80) }
        return scheme?.lowercased() == other.scheme?.lowercased() && host?.lowercased() == other.host?.lowercased()
            && port(self) == port(other)
    }
}
