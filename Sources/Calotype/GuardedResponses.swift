internal import ImageCore
internal import ImageNetworking

/// Keeps what a policy forbids from being answered out of a store that other loaders may have filled.
struct GuardedResponses: ResponseCaching {
    let cache: any ResponseCaching
    let policy: SourcePolicy

    /// A miss for a forbidden URL: the fetch that follows is refused, with the reason.
    func lookUp(_ request: DataRequest) async throws -> ResponseLookup {
        guard (try? policy.check(request.url)) != nil else { return .miss(nil) }
        return try await cache.lookUp(request)
    }

    func removeResponse(for request: DataRequest) async throws { try await cache.removeResponse(for: request) }
}
