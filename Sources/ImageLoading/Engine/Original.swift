internal import ImageCore

/// The encoded bytes of an image, where they came from, and how they are stored. A reference, since suspended jobs keep
/// it.
final class Original: Sendable {
    /// The bytes, with the head of their response.
    let entry: DataEntry
    let tier: CacheTier
    /// Whether these are all bytes, not just the first ones, which hold the header.
    let isWhole: Bool
    /// The URL of the response, after redirects; `nil` for bytes without a response.
    let url: URL?
    /// The job that got the bytes; late loads find them there until they are stored.
    let job: JobID
    let metrics: LoadMetrics
    /// What stores the bytes once they have proved to be an image; `nil` if a cache has them, or must not have them.
    let commit: Commit?

    init(
        entry: DataEntry, tier: CacheTier, isWhole: Bool = true, url: URL? = nil, job: JobID, metrics: LoadMetrics,
        commit: Commit? = nil
    ) {
        (self.entry, self.tier, self.isWhole, self.url) = (entry, tier, isWhole, url)
        (self.job, self.metrics, self.commit) = (job, metrics, commit)
    }

    /// The same bytes with other metrics.
    func with(_ metrics: LoadMetrics) -> Original {
        Original(entry: entry, tier: tier, isWhole: isWhole, url: url, job: job, metrics: metrics, commit: commit)
    }

    /// The headers of the response that had the bytes.
    var responseHead: ResponseHead? {
        url.map { ResponseHead(url: $0, head: entry.head, receivedAt: entry.storedAt) }
    }
}

/// Stores the bytes of a fetch, once, whichever of the jobs that use them is the first to accept them.
final class Commit: Sendable {
    typealias Body = @Sendable () async throws -> Void

    private let body: Lock<Body?>

    init(_ body: @escaping Body) { self.body = Lock(body) }

    /// The call that stores the bytes, for the first caller.
    func take() -> Body? { body.withLock { $0.take() } }
}
