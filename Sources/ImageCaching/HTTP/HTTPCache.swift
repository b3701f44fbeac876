internal import HTTPTypes
public import ImageCore

/// Responses of web servers in a data cache, and the policy by which they are used. ``CachedLoader`` fills it; a loader's
/// engine asks it what needs no network.
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
    private let looks = RecentLooks()

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

    /// The stored response, where the policy lets it be used without the network and without a validation.
    ///
    /// - Throws: what the data cache throws.
    public func storedResponse(for request: DataRequest) async throws -> DataResponse? {
        let entries = try await entries(for: request)
        switch policy.decision(for: request, stored: entries.responses, now: now()) {
        case .serve(let reply): return try entries.response(reply, to: request)
        case .revalidate, .serveWhileRevalidating: looks.note(entries, for: request, at: now())
        case .fetch, .gatewayTimeout: break
        }
        return nil
    }

    /// Lets go of the bodies that are held for validations that are about to begin; for when ``store`` is emptied.
    public func forgetLooks() { looks.forgetAll() }

    /// Forgets the response that matches the request.
    ///
    /// - Throws: what the data cache throws.
    public func removeResponse(for request: DataRequest) async throws {
        let entries = try await entries(for: request)
        if entries.match != nil { try await remove(entries.matchKey) }
    }

    /// Empties a place.
    func remove(_ key: DataKey) async throws {
        looks.forget(key)
        try await store.removeEntry(for: key)
    }

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

    /// What is stored for a request, as it was found a moment ago or is found now.
    func recentEntries(for request: DataRequest) async throws -> StoredEntries {
        let empty = noEntries(for: request)
        if let found = looks.take(empty.baseKey, request.headerFields, at: now()) { return found }
        return try await filled(empty, for: request)
    }

    /// What is stored for a request.
    private func entries(for request: DataRequest) async throws -> StoredEntries {
        try await filled(noEntries(for: request), for: request)
    }

    private func filled(_ empty: StoredEntries, for request: DataRequest) async throws -> StoredEntries {
        let baseKey = empty.baseKey
        guard let base = try await entry(baseKey) else { return empty }
        if base.response.answers(request) { return StoredEntries(baseKey: baseKey, matchKey: baseKey, base: base, match: base) }
        guard let vary = base.response.vary else { return StoredEntries(baseKey: baseKey, matchKey: baseKey, base: base) }
        let key = variantKey(baseKey, vary.names, request)
        let other = try await entry(key)
        let isCurrent = other?.generation == base.generation && other?.response.answers(request) == true
        return StoredEntries(baseKey: baseKey, matchKey: key, base: base, match: isCurrent ? other : nil)
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
        if let base = entries.base, let vary = response.vary, base.response.vary?.names == vary.names {
            entry.generation = base.generation
            if base.response.vary?.digest != vary.digest { key = variantKey(entries.baseKey, vary.names, request) }
        }
        looks.forget(entries.baseKey)
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
