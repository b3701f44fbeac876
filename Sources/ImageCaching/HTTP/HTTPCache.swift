internal import HTTPTypes
public import ImageCore

/// Responses of web servers in a data cache, and the policy by which they are used. ``CachedLoader`` fills it; the engine of an
/// image loader looks it up before it fetches.
///
/// Each response is one entry of the data cache, body and head together. Where a URL's responses vary, the first one lies in
/// the URL's own place, and the others in places that are named by a digest of the request's fields that `Vary` lists. No
/// list of variants is kept, so that none can grow or be torn; the limits of the data cache hold for all.
///
/// What a request says of who asks makes a difference: every field that is not known to be neutral (``neutralFields``), and
/// user and password in the URL. Two requests that differ there never share an entry, whatever `Vary` says. Keys hold such
/// values as a digest alone.
///
/// ```swift
/// let cache = HTTPCache(store: DiskCache())
/// func cached(_ network: any DataLoading) -> CachedLoader { CachedLoader(network, cache: cache) }
/// ```
public struct HTTPCache: ResponseCaching {
    /// The fields that say how to answer, and not whom, in lower case, where nothing else is said: content negotiation,
    /// preconditions and ranges (RFC 9110, sections 8 and 12 to 14), cache directives, the connection's own, and the numbers that
    /// tracing gives to requests.
    public static let standardNeutralFields: Set<String> = RequestFields.neutral

    public let policy: HTTPCachePolicy
    /// The request fields, in lower case, whose values matter only where `Vary` names them.
    public let neutralFields: Set<String>
    let store: any DataCaching
    let maximumBodyBytes: Int
    let now: @Sendable () -> Double
    /// The same in copies of one cache.
    let identity = Identity()

    final class Identity: Sendable {}

    /// - Parameters:
    ///   - neutralFields: a field of yours that changes with every request and means nothing to the server belongs here, or
    ///     nothing is found again.
    ///   - maximumBodyBytes: a longer body is passed on and not kept; 64 MB.
    ///   - now: seconds since 1970; by default the system's clock.
    public init(
        store: any DataCaching, policy: HTTPCachePolicy = .standard,
        neutralFields: Set<String> = HTTPCache.standardNeutralFields, maximumBodyBytes: Int = 64 << 20,
        now: @escaping @Sendable () -> Double = SystemClock.secondsSince1970
    ) {
        self.store = store
        self.policy = policy
        self.neutralFields = Set(neutralFields.map { $0.lowercased() })
        self.maximumBodyBytes = max(0, maximumBodyBytes)
        self.now = now
    }

    /// The stored response, where the policy lets it be used without the network and without a validation; otherwise a
    /// transaction with the heads and validators that are stored, for the ``CachedLoader`` of this cache.
    ///
    /// - Throws: what the data cache throws.
    public func lookUp(_ request: DataRequest) async throws -> ResponseLookup {
        guard policy.mode != .off, request.isCacheRead else { return .miss(nil) }
        let found = try await find(request)
        if let entry = found.match,
            case .serve(let reply) = policy.decision(for: request, stored: found.entries.responses, now: now())
        {
            return .hit(try entry.response(reply, to: request))
        }
        return .miss(HTTPCacheTransaction(cache: identity, entries: found.entries))
    }

    /// What a transaction knows; `nil` where it is of another cache, or another entry answers the request by now: an interceptor
    /// may have changed the fields that choose the entry. Other fields do not matter, since the decision is made from the
    /// request as it is now.
    func entries(of transaction: (any ResponseTransaction)?, for request: DataRequest) -> StoredEntries? {
        guard let transaction = transaction as? HTTPCacheTransaction, transaction.cache === identity else { return nil }
        let entries = transaction.entries
        guard noEntries(for: request).baseKey == entries.baseKey,
            matchKey(for: request, entries.baseKey, entries.base) == entries.matchKey
        else { return nil }
        return entries
    }

    /// Forgets the response that matches the request.
    ///
    /// - Throws: what the data cache throws.
    public func removeResponse(for request: DataRequest) async throws {
        let entries = try await find(request).entries
        if entries.match != nil { try await remove(entries.matchKey) }
    }

    func remove(_ key: DataKey) async throws { try await store.removeEntry(for: key) }

    /// Forgets the responses for a URL that `request` could have changed: those of anybody, and those of who sent it.
    ///
    /// Who changes something sends fields that who reads does not, such as a token against forgery, and the places of a
    /// user are not listed. So a place is forgotten where it has all fields of the request, all but one, one, or none.
    func removeAll(for url: URL, as request: DataRequest) async throws {
        let fields = request.headerFields
        let names = Array(tellingNames(in: fields).prefix(Self.mostTellingFields))
        let others = names.flatMap { name in [[name], names.filter { $0 != name }] }
        // The variants hang on the first.
        for key in Set(([[], names] + others).map { baseKey(url, fields, telling: $0) }) {
            try await remove(key)
        }
    }

    /// Beyond this many fields not every place that they could make is looked for.
    private static let mostTellingFields = 16

    // MARK: Places

    /// Looks up what is stored for a request.
    func find(_ request: DataRequest) async throws -> CacheLookup {
        var entries = noEntries(for: request)
        guard let first = try await entry(entries.baseKey) else { return CacheLookup(entries: entries, match: nil) }
        let base = StoredEntries.Base(generation: first.generation, vary: first.response.vary)
        let matchKey = matchKey(for: request, entries.baseKey, base)
        entries = StoredEntries(baseKey: entries.baseKey, matchKey: matchKey, base: base)
        let match = matchKey == entries.baseKey ? first : try await entry(matchKey)
        guard let match, match.generation == base.generation, match.response.answers(request) else {
            return CacheLookup(entries: entries, match: nil)
        }
        entries.match = match.response
        return CacheLookup(entries: entries, match: match)
    }

    /// The key of the response that matches a request, given the first response of the URL.
    private func matchKey(for request: DataRequest, _ baseKey: DataKey, _ base: StoredEntries.Base?) -> DataKey {
        guard let vary = base?.vary, !vary.matches(request.headerFields) else { return baseKey }
        return variantKey(baseKey, vary.names, request)
    }

    /// The places of a request, with nothing in them.
    func noEntries(for request: DataRequest) -> StoredEntries {
        let fields = request.headerFields
        let key = baseKey(request.url, fields, telling: tellingNames(in: fields))
        return StoredEntries(baseKey: key, matchKey: key)
    }

    /// Stores a response, in the place of the one that matches the same requests.
    func put(_ response: StoredResponse, _ data: Data, for request: DataRequest, on entries: StoredEntries) async throws {
        var entry = StoredEntry(response: response, data: data, generation: EntryMetadata.newGeneration())
        var key = entries.baseKey
        if let base = entries.base, let vary = response.vary, base.vary?.names == vary.names {
            entry.generation = base.generation
            if base.vary?.digest != vary.digest { key = variantKey(entries.baseKey, vary.names, request) }
        }
        try await store.store(EntryMetadata.encode(entry), for: key)
    }

    private func entry(_ key: DataKey) async throws -> StoredEntry? {
        try await store.entry(for: key).flatMap(EntryMetadata.decode)
    }

    private func baseKey(_ url: URL, _ fields: HTTPFields, telling names: [String]) -> DataKey {
        let resource = ImageRequest(url: url).resource
        return DataKey(
            resource: names.isEmpty ? resource : resource.varied(by: [VaryKey.digest(of: names, in: fields)]), variant: "http")
    }

    /// The fields that say who asks, in lower case, sorted, each once.
    private func tellingNames(in fields: HTTPFields) -> [String] {
        Set(fields.lazy.map(\.name.canonicalName).filter { !neutralFields.contains($0) }).sorted()
    }

    private func variantKey(_ base: DataKey, _ names: [String], _ request: DataRequest) -> DataKey {
        DataKey(resource: base.resource, variant: "http " + VaryKey.digest(of: names, in: request.headerFields))
    }
}
