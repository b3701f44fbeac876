internal import ImageCore

/// An image on its way through the stages. A reference, since suspended jobs keep it.
final class StagedImage: Sendable {
    let image: DecodedImage
    let tier: CacheTier
    let metrics: LoadMetrics
    /// The response that the image was made from; `nil` if it was made from an image in memory.
    let source: ResponseHead?
    /// The bytes, where a smaller image may be made from this one.
    let original: Original?
    /// Whether it is the thumbnail in the file, which has another size than the image.
    let isThumbnail: Bool

    init(
        _ image: DecodedImage, tier: CacheTier, metrics: LoadMetrics, source: ResponseHead? = nil, original: Original? = nil,
        isThumbnail: Bool = false
    ) {
        (self.image, self.tier, self.metrics, self.source) = (image, tier, metrics, source)
        (self.original, self.isThumbnail) = (original, isThumbnail)
    }

    /// The same image with other metrics.
    func with(_ metrics: LoadMetrics) -> StagedImage {
        StagedImage(
            image, tier: tier, metrics: metrics, source: source, original: original, isThumbnail: isThumbnail)
    }
}
