/// What observers see of a load that ended well.
public struct LoadSummary: Sendable, CustomStringConvertible {
    /// The image; `nil` for a load of bytes, or of what a header says.
    public var image: DecodedImage?
    /// Where the load found the image or the bytes.
    public var tier: CacheTier
    /// The times and counts of the load. All times of a hit in the memory cache are zero.
    public var metrics: LoadMetrics

    /// Creates a summary.
    public init(image: DecodedImage? = nil, tier: CacheTier, metrics: LoadMetrics = LoadMetrics()) {
        (self.image, self.tier, self.metrics) = (image, tier, metrics)
    }

    /// The image or the number of bytes, the tier, and the time if the load took any, such as
    /// `64x48 rgba8 (jpeg) from network in 31 ms`.
    public var description: String {
        let time = metrics.total > .zero ? " in \(metrics.total.inSecondsOrMilliseconds)" : ""
        return "\(image.map(\.description) ?? "\(metrics.byteCount) bytes") from \(tier.rawValue)\(time)"
    }
}
