internal import ImageCore

/// Runs one processor on the image before it.
struct ProcessStage: Sendable {
    let processor: any Processing

    func process(_ image: DecodedImage, _ token: CancellationToken) throws -> DecodedImage {
        try token.check()
        return try processor.process(image, context: ProcessingContext(cancellation: token))
    }

    /// A preview of the result; `nil` where there is none to show.
    func preview(of before: StagedImage, _ token: CancellationToken) -> StagedImage? {
        guard !token.isCancelled, !(before.isThumbnail && processor.usesPixelCoordinates),
            var image = try? processor.process(before.image, context: ProcessingContext(cancellation: token))
        else { return nil }
        image.isPreview = true
        return StagedImage(image, tier: before.tier, metrics: before.metrics, isThumbnail: before.isThumbnail)
    }
}
