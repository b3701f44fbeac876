internal import HTTPTypes
public import ImageCore

/// Responses of web servers in a data cache, and the policy by which they are used. ``CachedLoader`` fills it; a loader's
/// engine asks it what needs no network.
///
/// Each response is one entry of the data cache, body and head together. Where a URL's responses vary, the first one lies in
/// the URL's own place, and the others in places that are named by a digest of the request's fields that `Vary` lists. No
/// list of variants is kept, so that none can grow or be torn; the limits of the data cache hold for all.
///
/// Entries of requests with credentials (``credentialFields``, or user and password in the URL) are apart from those
/// of all other credentials. Keys hold them as a digest alone.
///
/// ```swift
/// let cache = HTTPCache(store: DiskCache())
/// func cached(_ network: any DataLoading) -> CachedLoader { CachedLoader(network, cache: cache) }
/// ```
public struct HTTPCache: ResponseCaching {
    /// The fields that carry credentials, in lower case, where nothing else is said.
    public static let standardCredentialFields: Set<String> = [
        "authorization", "cookie", "x-api-key", "x-auth-token", "x-access-token", "x-amz-security-token",
    ]

    public let policy: HTTPCachePolicy
    /// Request fields that tell users apart, in lower case: two values never share a response, whatever `Vary` says.
    public let credentialFields: Set<String>
    let store: any DataCaching
    let maximumBodyBytes: Int
    let now: @Sendable () -> Double

    /// - Parameters:
    ///   - maximumBodyBytes: a longer body is passed on and not kept; 64 MB.
    ///   - now: seconds since 1970; by default the system's clock.
    public init(
        store: any DataCaching, policy: HTTPCachePolicy = .standard,
        credentialFields: Set<String> = HTTPCache.standardCredentialFields, maximumBodyBytes: Int = 64 << 20,
        now: @escaping @Sendable () -> Double = SystemClock.secondsSince1970
    ) {
        self.store = store
        self.policy = policy
        self.credentialFields = Set(credentialFields.map { $0.lowercased() })
        self.maximumBodyBytes = max(0, maximumBodyBytes)
        self.now = now
    }

    /// The stored response, where the policy lets it be used without the network and without a validation.
    ///
    /// - Throws: what the data cache throws.
    public func storedResponse(for request: DataRequest) async throws -> DataResponse? {
        let shelf = try await shelf(for: request)
        guard case .serve(let reply) = policy.decision(for: request, stored: shelf.responses, now: now()) else { return nil }
        return try shelf.response(reply, to: request)
    }

    /// Forgets the response that matches the request.
    ///
    /// - Throws: what the data cache throws.
    public func removeResponse(for request: DataRequest) async throws {
        let shelf = try await shelf(for: request)
        if shelf.match != nil { try await store.removeEntry(for: shelf.matchKey) }
    }

    /// Forgets every response for a URL, those without credentials and those with the credentials of `request`.
    func removeAll(for url: URL, as request: DataRequest) async throws {
        let own = baseKey(url, request.headerFields)
        let common = baseKey(url, [:])
        // The others hang on the first.
        try await store.removeEntry(for: own)
        if common != own { try await store.removeEntry(for: common) }
    }

    // MARK: Places

    /// What is stored for a request.
    func shelf(for request: DataRequest) async throws -> Shelf {
        let empty = emptyShelf(for: request)
        let baseKey = empty.baseKey
        guard let base = try await entry(baseKey) else { return empty }
        if base.response.answers(request) { return Shelf(baseKey: baseKey, matchKey: baseKey, base: base, match: base) }
        guard let vary = base.response.vary else { return Shelf(baseKey: baseKey, matchKey: baseKey, base: base) }
        let key = variantKey(baseKey, vary.names, request)
        let other = try await entry(key)
        let isCurrent = other?.generation == base.generation && other?.response.answers(request) == true
        return Shelf(baseKey: baseKey, matchKey: key, base: base, match: isCurrent ? other : nil)
    }

    /// The places of a request, with nothing in them.
    func emptyShelf(for request: DataRequest) -> Shelf {
        let key = baseKey(request.url, request.headerFields)
        return Shelf(baseKey: key, matchKey: key)
    }

    /// Stores a response, in the place of the one that matches the same requests.
    func put(_ response: StoredResponse, _ data: Data, for request: DataRequest, on shelf: Shelf) async throws {
        var entry = StoredEntry(response: response, data: data, generation: EntryMetadata.newGeneration())
        var key = shelf.baseKey
        if let base = shelf.base, let vary = response.vary, base.response.vary?.names == vary.names {
            entry.generation = base.generation
            if base.response.vary?.digest != vary.digest { key = variantKey(shelf.baseKey, vary.names, request) }
        }
        try await store.store(EntryMetadata.encode(entry), for: key)
    }

    private func entry(_ key: DataKey) async throws -> StoredEntry? {
        try await store.entry(for: key).flatMap(EntryMetadata.decode)
    }

    private func baseKey(_ url: URL, _ fields: HTTPFields) -> DataKey {
        let credentials = fields.filter { credentialFields.contains($0.name.canonicalName) }
            .map { "\($0.name.canonicalName): \($0.value)" }.sorted()
        return DataKey(resource: ImageRequest(url: url).resource.varied(by: credentials), variant: "http")
    }

    private func variantKey(_ base: DataKey, _ names: [String], _ request: DataRequest) -> DataKey {
        DataKey(resource: base.resource, variant: "http " + VaryKey.digest(of: names, in: request.headerFields))
    }
}

/// What is stored for one request: the first response of its URL, and the one that matches it.
struct Shelf: Sendable {
    var baseKey: DataKey
    /// The place of ``match``, or where it would be.
    var matchKey: DataKey
    var base: StoredEntry?
    var match: StoredEntry?

    var responses: [StoredResponse] { match.map { [$0.response] } ?? [] }

    /// The response that a reply describes. The one stored is the only one there is to choose from.
    func response(_ reply: HTTPCacheReply, to request: DataRequest) throws(ImageError) -> DataResponse {
        let data = match?.data ?? Data()
        if let limit = request.maximumBytes, reply.bytes.count > limit {
            throw ImageError.tooLarge(ImageSource.redacted(request.url), reply.bytes.count, limit)
        }
        let start = data.startIndex
        let body =
            reply.bytes.count == data.count
            ? data : data.subdata(in: start + reply.bytes.lowerBound..<start + reply.bytes.upperBound)
        return DataResponse(url: request.url, head: reply.head, body: ByteStream(body), tier: .disk)
    }
}
