internal import ImageCore

/// An image on its way through the stages.
struct StagedImage: Sendable {
    let image: DecodedImage
    let tier: CacheTier
    var metrics: LoadMetrics
    /// The response that the image was made from; `nil` if it was made from an image in memory.
    var source: ResponseHead?
    /// The bytes, where a smaller image may be made from this one.
    var original: Original?
    /// Whether it is the thumbnail in the file, which has another size than the image.
    var isThumbnail = false

    init(
        _ image: DecodedImage, tier: CacheTier, metrics: LoadMetrics, source: ResponseHead? = nil, original: Original? = nil,
        isThumbnail: Bool = false
    ) {
        (self.image, self.tier, self.metrics, self.source) = (image, tier, metrics, source)
        (self.original, self.isThumbnail) = (original, isThumbnail)
    }
}
