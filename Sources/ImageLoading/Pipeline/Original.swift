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

    init(_ entry: DataEntry, tier: CacheTier, metrics: LoadMetrics, isFetched: Bool = false, isWhole: Bool = true) {
        self.entry = entry
        self.isWhole = isWhole
        self.tier = tier
        self.metrics = metrics
        self.isFetched = isFetched
    }
}
