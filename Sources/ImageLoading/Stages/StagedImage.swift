internal import ImageCore

/// An image on its way through the stages.
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
        self.image = image
        self.source = source
        self.isThumbnail = isThumbnail
        self.tier = tier
        self.metrics = metrics
        self.original = original
    }

    /// The same image, for work that found it begun by other work.
    func coalesced() -> StagedImage {
        var metrics = metrics
        metrics.isCoalesced = true
        return StagedImage(
            image, tier: tier, metrics: metrics, source: source, original: original, isThumbnail: isThumbnail)
    }
}
