internal import HTTPTypes
public import ImageCore

/// Serves requests from an ``HTTPCache`` if its policy allows that, and stores what it fetches: a private HTTP cache around a
/// loader (RFC 9111).
///
/// A body is recorded while it is read, and stored once its end is reached and its length is as announced. A body that fails, is
/// cancelled or is dropped is not stored. A stale response is validated with a conditional request, and a 304 reuses the stored
/// bytes. A successful request with an unsafe method (any but GET, HEAD, OPTIONS, QUERY and TRACE) removes the stored responses
/// for its URL, and for `Location` and `Content-Location` on the same origin.
///
/// If the request carries the transaction of a lookup in this cache (``HTTPCache/lookUp(_:)``), the loader continues from it and
/// does not look up the cache again.
///
/// A response within its `stale-while-revalidate` window is served, and revalidated once in the background with the lowest priority:
/// at most 8 at a time, the others wait. If the lookup has served it already, the request that carries its transaction is that
/// revalidation: once the stored response is up to date, it gets a 202 without a body. An engine sends such requests when its queue
/// allows, so that its loader has no background of its own (`revalidatesInBackground`).
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
    private let revalidatesInBackground: Bool
    private let revalidations = RevalidationQueue()

    /// Creates a caching loader.
    ///
    /// - Parameters:
    ///   - loader: the loader that fetches what the cache cannot serve.
    ///   - cache: the cache to read and fill.
    ///   - revalidatesInBackground: whether a request may get a stale response that is revalidated in the background; `true` by
    ///     default. Pass `false` to the network layer of an ``/ImageLoading/ImageLoader``, which serves stale responses and
    ///     schedules their revalidations itself.
    public init(_ loader: any DataLoading, cache: HTTPCache, revalidatesInBackground: Bool = true) {
        self.loader = loader
        self.cache = cache
        self.revalidatesInBackground = revalidatesInBackground
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
            if RequestDirectives(request).control.onlyIfCached { return Self.empty(.gatewayTimeout, for: request) }
            return cache.policy.mode == .off ? try await loader.load(request) : try await pass(request)
        }
        // Decide again: time has passed since the lookup, and interceptors may have changed the request.
        var known: CacheLookup?
        if let entries = cache.entries(of: transaction, for: request) {
            if let transaction = transaction as? HTTPCacheTransaction, transaction.isRevalidation {
                await revalidate(request)
                return Self.empty(.accepted, for: request)
            }
            known = CacheLookup(entries: entries, match: nil)
        }
        // A transaction holds no body that could be served.
        if known.map({ decision(for: request, $0.entries).serves }) ?? true {
            known = try await attempt { try await self.cache.find(request) }
        }
        let found = known ?? CacheLookup(entries: cache.emptyEntries(for: request), match: nil)
        switch (decision(for: request, found.entries), found.match) {
        case (.serve(let reply), let match?):
            return try match.response(reply, to: request)
        case (.serveWhileRevalidating(let reply, _), let match?) where revalidatesInBackground:
            revalidations.add(found.entries.matchKey) { [self, request] in await revalidate(request) }
            return try match.response(reply, to: request)
        case (.serveWhileRevalidating(_, let validation?), _), (.revalidate(let validation), _):
            return try await exchange(request, found.entries).run(validating: validation)
        case (.gatewayTimeout, _):
            // The request only accepts a stored response (RFC 9111, section 5.2.1.7).
            return Self.empty(.gatewayTimeout, for: request)
        default:
            return try await exchange(request, found.entries).run(validating: nil)
        }
    }

    private func decision(for request: DataRequest, _ entries: StoredEntries) -> HTTPCacheDecision {
        cache.policy.decision(for: request, stored: entries.match, now: cache.now())
    }

    private func exchange(_ request: DataRequest, _ entries: StoredEntries) -> CacheExchange {
        CacheExchange(loader: loader, cache: cache, request: request, entries: entries)
    }

    /// A response that the cache makes itself.
    private static func empty(_ status: HTTPResponse.Status, for request: DataRequest) -> DataResponse {
        DataResponse(url: request.url, head: HTTPResponse(status: status), body: ByteStream(Data()), tier: .disk)
    }

    /// Returns when no background revalidation runs or waits, including those that start in the meantime.
    public func waitForRevalidations() async { await revalidations.waitUntilIdle() }

    /// Revalidates a stored response that was served stale.
    private func revalidate(_ request: DataRequest) async {
        var request = request
        request.priority = .veryLow
        // The deadline is that of a load that has its response.
        request.deadline = nil
        // Another request may have refreshed or removed the response in the meantime.
        guard let entries = try? await cache.find(request).entries, entries.match != nil else { return }
        // The next use repeats a failed revalidation.
        let response: DataResponse?
        switch decision(for: request, entries) {
        case .serveWhileRevalidating(_, let validation?), .revalidate(let validation):
            response = try? await exchange(request, entries).run(validating: validation)
        case .serveWhileRevalidating(_, nil), .fetch:
            response = try? await exchange(request.withoutPreconditions, entries).run(validating: nil)
        case .serve, .gatewayTimeout: return
        }
        guard var body = response?.body.makeAsyncIterator() else { return }
        while let chunk = try? await body.next() { _ = chunk }
    }

    /// The safe methods that may load an image (RFC 9110, section 9.2.1; HTTP Method Registry).
    private static let safeMethods: Set<String> = ["GET", "HEAD", "OPTIONS", "QUERY", "TRACE"]

    /// Sends a request that the cache does not serve, and invalidates stored responses (RFC 9111, section 4.4).
    private func pass(_ request: DataRequest) async throws -> DataResponse {
        let requestedAt = cache.now()
        let response = try await loader.load(request)
        guard !Self.safeMethods.contains(request.method.rawValue), (200..<400).contains(response.head.status.code) else {
            return response
        }
        let fields = response.head.headerFields
        let others = [fields[.location], fields[.contentLocation]].map { $0.flatMap { URL(string: $0, relativeTo: request.url) } }
        for url in [request.url] + others.compactMap({ $0?.absoluteURL }) where url.origin == request.url.origin {
            // First, so that no exchange under way stores its response after the removal.
            cache.exchanges.resourceHasChanged(at: url)
            try await attempt { try await self.cache.removeAll(for: url, as: request) }
        }
        guard request.method == .post else { return response }
        var read = exchange(request, cache.emptyEntries(for: request))
        (read.request.method, read.request.body) = (.get, nil)
        return await read.recordedPost(response, to: request, contentLocation: others[1], requestedAt: requestedAt)
    }
}

extension DataRequest {
    /// The request without the preconditions of the caller, whose response would have no body.
    fileprivate var withoutPreconditions: DataRequest {
        var request = self
        (request.headerFields[.ifNoneMatch], request.headerFields[.ifModifiedSince]) = (nil, nil)
        return request
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
