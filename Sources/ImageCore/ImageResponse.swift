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

    /// The response that the image was made from, with its status, its header fields and its URL after redirects, also
    /// if the image comes from a cache. `nil` for a local source, for an image that the app stored, and if a loader
    /// without an HTTP cache had the finished image in its data cache.
    ///
    /// The bytes of the original are in the caches: a call of `data(for:)` with the same request returns them.
    public var original: OriginalResponse? { image.details.original }

    /// The image and its tier, and the time if the load took any, such as `64x48 rgba8 (jpeg) from network in 31 ms`.
    public var description: String { LoadSummary(image: image, tier: tier, metrics: metrics).description }
}
