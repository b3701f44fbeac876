public import ImageCore

/// Rejects requests that a ``SourcePolicy`` does not allow, and responses from a URL that it does not allow after
/// redirects.
///
/// `CurlLoader` checks each redirect and each address before it connects, by its own
/// `Configuration.sourcePolicy`; another network layer must do the same. Timeout and deadline are passed on.
public struct GuardedLoader: DataLoading {
    private let loader: any DataLoading
    private let policy: SourcePolicy

    /// Wraps a loader.
    public init(_ loader: any DataLoading, policy: SourcePolicy) {
        self.loader = loader
        self.policy = policy
    }

    /// What the wrapped loader returns.
    ///
    /// - Throws: ``ImageError/Code/sourceForbidden``, and what the loader throws.
    public func load(_ request: DataRequest) async throws -> DataResponse {
        try policy.check(request.url)
        let response = try await loader.load(request)
        if response.url != request.url { try policy.check(response.url) }
        return response
    }

    /// What the wrapped loader says; `nil` for a source that the policy forbids.
    public func version(of url: URL) -> String? { (try? policy.check(url)).flatMap { loader.version(of: url) } }
}
