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

    var processedImageRules: (any ProcessedImageRules)? {
        cache.processedImageRules.map { PolicyCheckedImages(rules: $0, policy: policy) }
    }
}

/// Prevents finished images from being used for URLs that a source policy forbids.
private struct PolicyCheckedImages: ProcessedImageRules {
    let rules: any ProcessedImageRules
    let policy: SourcePolicy

    func entry(for image: DataEntry, madeFrom source: ResponseHead, to request: DataRequest) -> DataEntry? {
        rules.entry(for: image, madeFrom: source, to: request)
    }

    func use(of image: DataEntry, for request: DataRequest) -> ProcessedImageUse {
        (try? policy.check(request.url)) == nil ? .none : rules.use(of: image, for: request)
    }

    func confirmed(_ image: DataEntry, by response: ResponseHead, to request: DataRequest) -> DataEntry? {
        rules.confirmed(image, by: response, to: request)
    }

    func allowsStaleUse(of image: DataEntry, for request: DataRequest, after error: ImageError) -> Bool {
        rules.allowsStaleUse(of: image, for: request, after: error)
    }
}
