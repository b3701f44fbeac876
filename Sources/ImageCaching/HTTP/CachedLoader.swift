internal import HTTPTypes
public import ImageCore

/// Answers requests from an ``HTTPCache`` where its policy allows, and keeps what it fetches: a private HTTP cache around a
/// loader (RFC 9111).
///
/// A body is stored while it is read, once its end was reached and it is as long as the server announced; what breaks off,
/// is cancelled or dropped is not stored. What is past its time is validated with a conditional request, and a 304
/// takes the stored bytes. Requests that change things on the server (any method but GET, HEAD, OPTIONS and TRACE) forget
/// what is stored for their URL, and for `Location` and `Content-Location` on the same origin.
///
/// Where the request comes with the transaction of a lookup in this cache (``HTTPCache/lookUp(_:)``), the loader completes the
/// exchange from it and does not look the cache up again.
///
/// A failing data cache costs hits and never a load. Several loaders may share one cache: each entry is written at once,
/// whole, and the last one wins. Loads of one URL at the same time are merged by the engine, not here.
///
/// Put it around the parts that talk to the network (retry, bandwidth), and inside of what changes requests.
///
/// ```swift
/// let cache = HTTPCache(store: DiskCache())
/// func wired(_ network: any DataLoading) -> CachedLoader { CachedLoader(network, cache: cache) }
/// ```
public final class CachedLoader: DataLoading {
    let loader: any DataLoading
    let cache: HTTPCache
    /// The background validations that run, by the place that they are about.
    private let running = Lock<[DataKey: Task<Void, Never>]>([:])

    /// Background validations at a time; beyond that, stale responses are served and not validated.
    static let mostRevalidations = 8

    public init(_ loader: any DataLoading, cache: HTTPCache) {
        self.loader = loader
        self.cache = cache
    }

    /// The stored response, or the server's; a 504 where only what is stored was asked for.
    ///
    /// - Throws: what the wrapped loader throws, unless a stored response may stand in; ``ImageError/Code/tooLarge`` for a
    ///   stored body over the request's limit.
    public func load(_ request: DataRequest) async throws -> DataResponse {
        var request = request
        let transaction = request.cacheTransaction
        request.cacheTransaction = nil
        guard cache.policy.mode != .off, request.isCacheRead else {
            // Who wants no network gets none, whatever the policy.
            if RequestDirectives(request).onlyIfCached { return Self.nothing(for: request) }
            return cache.policy.mode == .off ? try await loader.load(request) : try await pass(request)
        }
        // The decision is made again: time has passed since the lookup, and interceptors may have changed the request.
        if let entries = cache.entries(of: transaction, for: request) {
            switch decision(for: request, entries) {
            case .revalidate(let validation): return try await exchange(request, entries).run(asking: validation)
            case .fetch: return try await exchange(request, entries).run(asking: nil)
            case .gatewayTimeout: return Self.nothing(for: request)
            // The transaction has no body to serve.
            case .serve, .serveWhileRevalidating: break
            }
        }
        let found =
            try await attempt { try await self.cache.find(request) }
            ?? CacheLookup(entries: cache.noEntries(for: request), match: nil)
        switch (decision(for: request, found.entries), found.match) {
        case (.serve(let reply), let match?):
            return try match.response(reply, to: request)
        case (.serveWhileRevalidating(let reply, let validation), let match?):
            revalidate(exchange(request, found.entries), validation)
            return try match.response(reply, to: request)
        case (.revalidate(let validation), _):
            return try await exchange(request, found.entries).run(asking: validation)
        case (.gatewayTimeout, _):
            return Self.nothing(for: request)
        default:
            return try await exchange(request, found.entries).run(asking: nil)
        }
    }

    private func decision(for request: DataRequest, _ entries: StoredEntries) -> HTTPCacheDecision {
        cache.policy.decision(for: request, stored: entries.responses, now: cache.now())
    }

    private func exchange(_ request: DataRequest, _ entries: StoredEntries) -> CacheExchange {
        CacheExchange(loader: loader, cache: cache, request: request, entries: entries)
    }

    /// What a cache answers that has nothing, and may not ask (RFC 9111, section 5.2.1.7).
    private static func nothing(for request: DataRequest) -> DataResponse {
        DataResponse(url: request.url, head: HTTPResponse(status: .gatewayTimeout), body: ByteStream(Data()), tier: .disk)
    }

    /// Returns when no background validation runs any more, those that begin meanwhile included.
    public func finishRevalidations() async {
        while let task = running.withLock({ $0.first?.value }) { await task.value }
    }

    /// Validates in the background, once at a time for each place.
    private func revalidate(_ exchange: CacheExchange, _ validation: HTTPCacheValidation) {
        let key = exchange.entries.matchKey
        running.withLock { running in
            guard running[key] == nil, running.count < Self.mostRevalidations else { return }
            running[key] = Task {
                var quiet = exchange
                quiet.request.priority = .veryLow
                // What fails is tried again with the next use.
                if let response = try? await quiet.run(asking: validation) {
                    var body = response.body.makeAsyncIterator()
                    while let chunk = try? await body.next() { _ = chunk }
                }
                self.running.withLock { $0[key] = nil }
            }
        }
    }

    /// A request that is not answered from the cache, and what its answer means for what is stored (RFC 9111, section 4.4).
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
        var read = exchange(request, cache.noEntries(for: request))
        (read.request.method, read.request.body) = (.get, nil)
        return await read.recordedPost(response, to: request, contentLocation: others[1], requestedAt: requestedAt)
    }
}

/// What the cache behind does, `nil` where it fails: that costs a hit and nothing else.
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
    /// Scheme, host and port are the same (RFC 9110, section 4.3.1).
    fileprivate func hasSameOrigin(as other: URL) -> Bool {
        func port(_ url: URL) -> Int { url.port ?? (url.scheme?.lowercased() == "https" ? 443 : 80) }
        return scheme?.lowercased() == other.scheme?.lowercased() && host?.lowercased() == other.host?.lowercased()
            && port(self) == port(other)
    }
}
