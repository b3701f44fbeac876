internal import HTTPTypes
public import ImageCore

/// Serves requests from an ``HTTPCache`` if its policy allows that, and stores what it fetches: a private HTTP cache
/// around a loader (RFC 9111).
///
/// A stale response is validated with a conditional request, and a 304 reuses the stored bytes. A request with a range
/// or preconditions of its own is left to the server. A successful request with an unsafe method (any but GET, HEAD,
/// OPTIONS, QUERY and TRACE) removes the stored responses for its URL and its cache key, and for `Location` and
/// `Content-Location` on the same origin.
///
/// **Storing**: if the request has ``/ImageCore/DataRequest/defersStoring``, the loader stores no successful response
/// by itself. It sets ``/ImageCore/DataResponse/commit`` of each that its policy allows to store, and of a stored
/// response that a 304 has confirmed (its tier is then the disk). The caller passes the whole body once that has proved
/// to be an image. The engine does so.
///
/// Without it, a body is recorded while it is read, and stored once its end is reached and its length is as announced.
/// A body that fails, is cancelled or is dropped is not stored. The loader cannot tell an image from another body with
/// the status 200.
///
/// Either way a response with an error status or an empty body never replaces or removes a stored success, unless it is
/// a 410 (Gone). Where none is stored, an error response that may be stored is kept for minutes at most.
///
/// **Stale responses**: an engine gets a response within its `stale-while-revalidate` window from
/// ``HTTPCache/lookUp(_:)``, and sends a request that revalidates it as work of its own. The loader has no background:
/// it validates such a response before it returns.
///
/// If the request carries the transaction of a lookup in this cache, the loader continues from it and does not look up
/// the cache again.
///
/// A failing data cache costs hits and never fails a load. Several loaders may share one cache: each entry is written
/// atomically, and the last one wins. The engine, not this loader, coalesces concurrent loads of one URL.
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

    /// Creates a caching loader.
    ///
    /// - Parameters:
    ///   - loader: the loader that fetches what the cache cannot serve.
    ///   - cache: the cache to read and fill.
    public init(_ loader: any DataLoading, cache: HTTPCache) {
        self.loader = loader
        self.cache = cache
    }

    public func version(of url: URL) -> String? { loader.version(of: url) }

    /// The stored response or the server's; a 504 if the request only accepts stored responses and there is none.
    ///
    /// - Parameter request: the request.
    /// - Returns: the response with its body, and what stores it if the request defers that.
    /// - Throws: the error of the wrapped loader, unless a stale response may be served; ``ImageError/Code/tooLarge``
    ///   if a stored body exceeds the limit of the request.
    public func load(_ request: DataRequest) async throws -> DataResponse {
        var request = request
        let transaction = request.cacheTransaction
        request.cacheTransaction = nil
        guard cache.policy.mode != .off, request.isCacheRead else {
            // A request that forbids the network never reaches it, whatever the policy.
            if RequestDirectives(request).control.onlyIfCached { return Self.gatewayTimeout(request) }
            return cache.policy.mode == .off ? try await loader.load(request) : try await pass(request)
        }
        // Decide again: time has passed since the lookup, and interceptors may have changed the request.
        var found = cache.entries(of: transaction, for: request).map { CacheLookup(entries: $0, match: nil) }
        // A transaction holds no body that could be served.
        switch found.map({ decision(for: request, $0.entries) }) {
        case nil, .serve, .serveWhileRevalidating:
            found = try await ignoringCacheErrors { try await self.cache.find(request) }
        case .revalidate, .fetch, .gatewayTimeout: break
        }
        let entries = found?.entries ?? cache.emptyEntries(for: request)
        switch decision(for: request, entries) {
        case .serve(let reply):
            guard let match = found?.match else { fallthrough }
            return try match.response(reply, to: request)
        case .fetch: return try await exchange(request, entries).run(validating: nil)
        case .serveWhileRevalidating(_, let fields): return try await exchange(request, entries).run(validating: fields)
        case .revalidate(let fields): return try await exchange(request, entries).run(validating: fields)
        case .gatewayTimeout: return Self.gatewayTimeout(request)
        }
    }

    private func decision(for request: DataRequest, _ entries: StoredEntries) -> HTTPCacheDecision {
        cache.policy.decision(for: request, stored: entries.match, now: cache.now())
    }

    private func exchange(_ request: DataRequest, _ entries: StoredEntries) -> CacheExchange {
        CacheExchange(loader: loader, cache: cache, request: request, entries: entries)
    }

    /// The request only accepts a stored response, and there is none (RFC 9111, section 5.2.1.7).
    private static func gatewayTimeout(_ request: DataRequest) -> DataResponse {
        DataResponse(url: request.url, head: HTTPResponse(status: .gatewayTimeout), body: ByteStream(Data()), tier: .disk)
    }

    /// The safe methods that may load an image (RFC 9110, section 9.2.1; HTTP Method Registry).
    private static let safeMethods: Set<String> = ["GET", "HEAD", "OPTIONS", "QUERY", "TRACE"]

    /// Sends a request that the cache does not serve, and invalidates stored responses (RFC 9111, section 4.4).
    private func pass(_ request: DataRequest) async throws -> DataResponse {
        let response = try await loader.load(request)
        guard !Self.safeMethods.contains(request.method.rawValue), (200..<400).contains(response.head.status.code) else {
            return response
        }
        let fields = response.head.headerFields
        let others = [fields[.location], fields[.contentLocation]].map {
            $0.flatMap { URL(string: URL.percentEncodingInvalidBytes(of: $0.utf8), relativeTo: request.url) }
        }
        let urls = [request.url] + others.compactMap { $0?.absoluteURL }.filter { $0.origin == request.url.origin }
        let changed = (request.cacheKey == nil ? [] : [request.resource]) + urls.map { ImageRequest(url: $0).resource }
        for resource in changed {
            // First, so that no exchange under way stores its response after the removal.
            cache.exchanges.hasChanged(resource)
            try await ignoringCacheErrors { try await self.cache.removeResponses(of: resource) }
        }
        return response
    }
}

/// Returns the result of a cache operation; `nil` if it fails, which costs only a hit.
///
/// - Throws: `CancellationError` if the task is cancelled, not if only the cache says so.
func ignoringCacheErrors<R: Sendable>(_ body: () async throws -> R) async throws(CancellationError) -> R? {
    do {
        return try await body()
    } catch {
        guard !Task.isCancelled else { throw CancellationError() }
        return nil
    }
}
