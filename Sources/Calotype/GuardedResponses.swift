internal import ImageCore
internal import ImageNetworking

/// Keeps what a policy forbids from being answered out of a store that other loaders may have filled.
struct GuardedResponses: ResponseCaching {
    let cache: any ResponseCaching
    let policy: SourcePolicy

    /// Nothing for a forbidden URL: the fetch that follows is refused, with the reason.
    func storedResponse(for request: DataRequest) async throws -> DataResponse? {
        guard (try? policy.check(request.url)) != nil else { return nil }
        return try await cache.storedResponse(for: request)
    }

    func removeResponse(for request: DataRequest) async throws { try await cache.removeResponse(for: request) }
}
