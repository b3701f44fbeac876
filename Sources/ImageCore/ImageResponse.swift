/// A loaded image, where it was found, and how long the load took.
public struct ImageResponse: Sendable, CustomStringConvertible {
    /// The image.
    public var image: DecodedImage
    /// Where the load found the image.
    public var tier: CacheTier
    /// The times and counts of the load. All times of a hit in the memory cache are zero.
    public var metrics: LoadMetrics

    /// Creates a response.
    public init(image: DecodedImage, tier: CacheTier, metrics: LoadMetrics = LoadMetrics()) {
        (self.image, self.tier, self.metrics) = (image, tier, metrics)
    }

    /// The image and its tier, and the time if the load took any, such as `64x48 rgba8 (jpeg) from network in 31 ms`.
    public var description: String { LoadSummary(image: image, tier: tier, metrics: metrics).description }
}
