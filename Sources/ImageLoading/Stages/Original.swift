internal import ImageCore

/// The encoded bytes of an image, and where they came from.
final class Original: Sendable {
    private let body: FetchedBody
    let metrics: LoadMetrics
    /// The work that got the bytes; late loads find them there until they are stored.
    let work: WorkID

    init(_ body: FetchedBody, of work: WorkID, metrics: LoadMetrics) {
        (self.body, self.work, self.metrics) = (body, work, metrics)
    }

    var entry: DataEntry { body.entry }
    var tier: CacheTier { body.tier }

    /// Whether these are all bytes, not just the first ones, which hold the header.
    var isWhole: Bool { body.isWhole }

    /// The headers of the response that had the bytes.
    var responseHead: ResponseHead? {
        body.url.map { ResponseHead(url: $0, head: entry.head, receivedAt: entry.storedAt) }
    }

    /// The same bytes, for work that found them fetched by other work.
    func coalesced() -> Original {
        var metrics = metrics
        metrics.isCoalesced = true
        return Original(body, of: work, metrics: metrics)
    }

    /// Whether the caller is the first that stores the bytes.
    func claimStoring() -> Bool { body.claimStoring() }

    /// Whether the caller is the first that removes the bytes from their cache: another may have stored sound ones since.
    func claimRemoval() -> Bool { body.claimRemoval() }
}
