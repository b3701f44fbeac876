internal import ImageCore

/// The bytes of a source, and what was done about them.
final class FetchedBody: Sendable {
    let entry: DataEntry
    let tier: CacheTier
    let retries: Int
    /// Whether these are all bytes, not just the first ones, which hold the header.
    let isWhole: Bool
    /// The URL of the response, after redirects; `nil` for bytes without a response.
    let url: URL?
    /// What was done about the bytes, once for all work that uses them.
    private let claims: Lock<(isStored: Bool, isRemoved: Bool)>

    /// - Parameter isStored: whether a cache has the bytes, or must not have them.
    init(
        entry: DataEntry, tier: CacheTier, retries: Int = 0, isWhole: Bool = true, isStored: Bool = true, url: URL? = nil
    ) {
        (self.entry, self.tier, self.retries, self.isWhole, self.url) = (entry, tier, retries, isWhole, url)
        claims = Lock((isStored, false))
    }

    /// Whether the caller is the first that stores the bytes.
    func claimStoring() -> Bool {
        claims.withLock { claims in
            defer { claims.isStored = true }
            return !claims.isStored
        }
    }

    /// Whether the caller is the first that removes the bytes from their cache.
    func claimRemoval() -> Bool {
        claims.withLock { claims in
            defer { claims.isRemoved = true }
            return !claims.isRemoved
        }
    }
}
