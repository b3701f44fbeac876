internal import HTTPTypes
public import ImageCore

/// HTTP responses in a data cache, and the policy for using them. ``CachedLoader`` fills the cache; the engine looks it
/// up before it fetches.
///
/// Each response is one entry of the data cache, with its response headers and body. If the responses of a URL vary,
/// the first one is stored under the primary key of the URL, and the others under secondary keys, which contain a
/// digest of the request fields that `Vary` lists. There is no list of variants; the limits of the data cache apply to
/// all of them.
///
/// Requests of different users never share an entry, whatever `Vary` says: every request field that is not known to be
/// neutral (``neutralFields``), user and password in the URL, and what interceptors declare, are part of the key. Keys
/// contain only digests of such values.
///
/// ```swift
/// let cache = HTTPCache(store: DiskCache())
/// func cached(_ network: any DataLoading) -> CachedLoader { CachedLoader(network, cache: cache) }
/// ```
public struct HTTPCache: ResponseCaching {
    /// The default of ``neutralFields``, in lower case: content negotiation, preconditions and ranges (RFC 9110,
    /// sections 8 and 12 to 14), cache directives, the fields of the connection, and request numbers for tracing.
    public static let standardNeutralFields: Set<String> = RequestFields.neutral

    /// The policy that decides what is stored and served.
    public let policy: HTTPCachePolicy
    /// The request fields, in lower case, that do not identify the user. Their values are part of a key only if `Vary`
    /// lists them.
    public let neutralFields: Set<String>
    let store: any DataCaching
    let maximumStoredBytes: Int
    /// Whether what is stored for a URL may be served; by default it may. A loader with a source policy forbids URLs
    /// that other loaders may have stored.
    package var allowsServing: @Sendable (URL) -> Bool = { _ in true }
    let now: @Sendable () -> Double
    /// Copies of one cache share it, so that it also identifies the cache.
    let exchanges = OpenExchanges()
    /// What may still be stored after the cache was cleared. Copies of one cache share it.
    let stores = StoreGate()

    /// Creates a cache.
    ///
    /// - Parameters:
    ///   - store: the data cache that holds the entries.
    ///   - policy: decides what is stored and served; the standard policy by default.
    ///   - neutralFields: the request fields that do not identify the user. Add each of your fields that changes with
    ///     every request and does not affect the response; otherwise no lookup finds an entry.
    ///   - maximumStoredBytes: larger bodies are not stored; 64 MB by default.
    ///   - now: the current time in seconds since 1970; by default the system's clock.
    public init(
        store: any DataCaching, policy: HTTPCachePolicy = .standard,
        neutralFields: Set<String> = HTTPCache.standardNeutralFields, maximumStoredBytes: Int = 64 << 20,
        now: @escaping @Sendable () -> Double = SystemClock.secondsSince1970
    ) {
        self.store = store
        self.policy = policy
        self.neutralFields = Set(neutralFields.map { $0.lowercased() })
        self.maximumStoredBytes = max(0, maximumStoredBytes)
        self.now = now
    }

    /// The stored response, if the policy allows serving it without waiting for the network, and a transaction if it is
    /// stale and must be revalidated; otherwise a transaction with the stored response headers for the ``CachedLoader``
    /// of this cache.
    ///
    /// - Throws: the error of the data cache.
    public func lookUp(_ request: DataRequest) async throws -> ResponseLookup {
        guard policy.mode != .off, request.isCacheRead, allowsServing(request.url) else { return .miss(nil) }
        let found = try await find(request)
        switch (policy.decision(for: request, stored: found.entries.match, now: now()), found.match) {
        case (.serve(let reply), let match?):
            return .hit(try match.response(reply, to: request))
        case (.serveWhileRevalidating(let reply, _), let match?):
            return .hit(try match.response(reply, to: request), revalidating: HTTPCacheRevalidation())
        default:
            return .miss(HTTPCacheTransaction(cache: exchanges, entries: found.entries))
        }
    }

    public func allowsStandIn(
        _ transaction: any ResponseTransaction, for request: DataRequest, after error: ImageError
    ) -> Bool {
        guard let match = (transaction as? HTTPCacheTransaction)?.entries.match else { return false }
        return reply(in: match, to: request, after: error) != nil
    }

    public func standIn(for request: DataRequest, after error: ImageError) async throws -> DataResponse? {
        guard let match = try await find(request).match else { return nil }
        return try reply(in: match.response, to: request, after: error).map { try match.response($0, to: request) }
    }

    private func reply(in stored: StoredResponse, to request: DataRequest, after error: ImageError) -> HTTPCacheReply? {
        HTTPCacheFailure(error).flatMap { policy.staleReply(for: request, stored: stored, after: $0, now: now()) }
    }

    /// The entries of a transaction; `nil` if it belongs to another cache, or if an interceptor has changed the fields
    /// that select the entry. Other changes do not matter, since the decision is made again.
    func entries(of transaction: (any ResponseTransaction)?, for request: DataRequest) -> StoredEntries? {
        guard let transaction = transaction as? HTTPCacheTransaction, transaction.cache === exchanges else { return nil }
        let entries = transaction.entries
        guard emptyEntries(for: request).primaryKey == entries.primaryKey,
            matchKey(for: request, entries.primaryKey, entries.primary) == entries.matchKey
        else { return nil }
        return entries
    }

    /// Finished images follow the same policy as the responses that they were made from.
    public var processedImageRules: (any ProcessedImageRules)? { HTTPImageRules(cache: self) }

    /// Removes the stored response that matches the request.
    ///
    /// - Throws: the error of the data cache.
    public func removeResponse(for request: DataRequest) async throws {
        let entries = try await find(request).entries
        if entries.match != nil { try await store.removeEntry(for: entries.matchKey) }
    }

    public func store(_ entry: DataEntry, for request: DataRequest) async throws {
        let response = StoredResponse(entry.head, to: request, requestedAt: entry.storedAt, receivedAt: entry.storedAt)
        guard response.isWhole(byteCount: entry.data.count), entry.data.count <= maximumStoredBytes,
            policy.allowsStoring(response, for: request)
        else { return }
        _ = try await put(response, entry.data, on: find(request).entries)
    }

    public func removeResponses(of resource: ResourceKey) async throws { try await store.removeEntries(of: resource) }

    /// Removes everything from the data cache.
    public func removeAll() async throws {
        stores.close()
        await stores.earlierStoresEnded()
        try await store.removeAll()
    }

    // MARK: Keys

    /// Looks up what is stored for a request.
    func find(_ request: DataRequest) async throws -> CacheLookup {
        var entries = emptyEntries(for: request)
        guard let first = try await entry(entries.primaryKey) else { return CacheLookup(entries: entries, match: nil) }
        let primary = StoredEntries.PrimaryEntry(
            generation: first.generation, vary: first.response.vary,
            mayHideImages: first.response.vary != nil || first.response.head.status.kind == .successful)
        (entries.primary, entries.matchKey) = (primary, matchKey(for: request, entries.primaryKey, primary))
        let match = entries.matchKey == entries.primaryKey ? first : try await entry(entries.matchKey)
        guard let match, match.generation == primary.generation, match.response.answers(request) else {
            return CacheLookup(entries: entries, match: nil)
        }
        entries.match = match.response
        return CacheLookup(entries: entries, match: match)
    }

    /// The key of the response that matches a request, given the primary entry of the URL.
    private func matchKey(for request: DataRequest, _ primaryKey: DataKey, _ primary: StoredEntries.PrimaryEntry?) -> DataKey {
        guard let vary = primary?.vary, !vary.matches(request.headerFields) else { return primaryKey }
        return secondaryKey(primaryKey, VaryKey.digest(of: vary.names, in: request.headerFields))
    }

    /// The keys of a request, without entries.
    func emptyEntries(for request: DataRequest) -> StoredEntries {
        let key = primaryKey(request, identifiedBy: identifyingHeaders(of: request))
        return StoredEntries(primaryKey: key, matchKey: key, storeEpoch: stores.epoch)
    }

    /// Stores a response, replacing the one that matches the same requests. Returns its key.
    ///
    /// - Parameter isUpdate: whether the data is that of the match in `entries`, whose head alone has changed.
    func put(
        _ response: StoredResponse, _ data: Data, on entries: StoredEntries, isUpdate: Bool = false
    ) async throws -> DataKey {
        var stored = StoredEntry(response: response, data: data, generation: EntryMetadata.newGeneration())
        var key = entries.primaryKey
        if let primary = entries.primary, let vary = response.vary, primary.vary?.names == vary.names {
            stored.generation = primary.generation
            if primary.vary?.digest != vary.digest { key = secondaryKey(entries.primaryKey, vary.digest) }
        }
        let entry = EntryMetadata.encode(stored)
        try await stores.store(entries.storeEpoch) {
            if isUpdate, key == entries.matchKey {
                try await store.updateEntry(entry, for: key)
            } else {
                try await store.store(entry, for: key)
            }
        }
        return key
    }

    // MARK: Parts of keys

    private func entry(_ key: DataKey) async throws -> StoredEntry? {
        try await store.entry(for: key).flatMap(EntryMetadata.decode)
    }

    private func primaryKey(_ request: DataRequest, identifiedBy names: [String]) -> DataKey {
        let fields = names.isEmpty ? [] : [VaryKey.digest(of: names, in: request.headerFields)]
        return DataKey(resource: request.resource.varied(by: fields + request.identities), variant: "http")
    }

    /// The names of the request fields that may identify the user and for which no declared identity stands, in lower
    /// case, sorted and unique.
    private func identifyingHeaders(of request: DataRequest) -> [String] {
        let names = request.headerFields.lazy.map(\.name.canonicalName)
        return Set(names.filter { !neutralFields.contains($0) && !request.identifiedFields.contains($0) }).sorted()
    }

    private func secondaryKey(_ primary: DataKey, _ digest: String) -> DataKey {
        DataKey(resource: primary.resource, variant: "http " + digest)
    }
}
