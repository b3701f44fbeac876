internal import ImageCore
internal import ImageNetworking

/// Prevents a response cache from serving URLs that a source policy forbids, because other loaders may have stored them.
struct PolicyCheckedResponses: ResponseCaching {
    let cache: any ResponseCaching
    let policy: SourcePolicy

    /// Returns a miss for a forbidden URL. The loader then rejects the fetch and names the reason.
    func lookUp(_ request: DataRequest) async throws -> ResponseLookup {
        guard (try? policy.check(request.url)) != nil else { return .miss(nil) }
        return try await cache.lookUp(request)
    }

    func store(_ entry: DataEntry, for request: DataRequest) async throws { try await cache.store(entry, for: request) }

    func removeResponses(for url: URL) async throws { try await cache.removeResponses(for: url) }

    func removeAll() async throws { try await cache.removeAll() }

    func removeResponse(for request: DataRequest) async throws { try await cache.removeResponse(for: request) }
}
