internal import ImageCore

/// The encoded bytes of an image, and where they came from.
final class Original: Sendable {
    let entry: DataEntry
    let tier: CacheTier
    let metrics: LoadMetrics
    /// Whether this load fetched the bytes over the network.
    let isFetched: Bool
    /// Whether these are all bytes, not just the first ones, which hold the header.
    let isWhole: Bool
    /// The URL of the response, after redirects; `nil` for bytes without a response.
    private let url: URL?
    /// The work that got the bytes; late loads find them there until they are stored.
    let work: WorkID
    private let claims: Claims

    /// - Parameter isStored: whether a cache has the bytes, or must not have them.
    init(
        _ entry: DataEntry, of work: WorkID, tier: CacheTier, metrics: LoadMetrics, isFetched: Bool = false,
        isWhole: Bool = true, isStored: Bool = true, url: URL? = nil
    ) {
        self.entry = entry
        self.url = url
        self.work = work
        claims = Claims(isStored: isStored)
        self.isWhole = isWhole
        self.tier = tier
        self.metrics = metrics
        self.isFetched = isFetched
    }

    /// The same bytes, for work that found them fetched by other work.
    private init(coalescing other: Original) {
        (entry, work, tier, isFetched, isWhole, url) = (
            other.entry, other.work, other.tier, other.isFetched, other.isWhole, other.url
        )
        var metrics = other.metrics
        metrics.isCoalesced = true
        self.metrics = metrics
        claims = other.claims
    }

    /// The headers of the response that had the bytes.
    var responseHead: ResponseHead? { url.map { ResponseHead(url: $0, head: entry.head, receivedAt: entry.storedAt) } }

    func coalesced() -> Original { Original(coalescing: self) }

    /// Whether the caller is the first that stores the bytes.
    func claimStoring() -> Bool { claims.claimStoring() }

    /// Whether the caller is the first that removes the bytes from their cache: another may have stored sound ones since.
    func claimRemoval() -> Bool { claims.claimRemoval() }

    /// What was done about the bytes, once for all work that uses them.
    private final class Claims: Sendable {
        private let state: Lock<(isStored: Bool, isRemoved: Bool)>

        init(isStored: Bool) { state = Lock((isStored, false)) }

        func claimStoring() -> Bool {
            state.withLock { state in
                defer { state.isStored = true }
                return !state.isStored
            }
        }

        func claimRemoval() -> Bool {
            state.withLock { state in
                defer { state.isRemoved = true }
                return !state.isRemoved
            }
        }
    }
}
