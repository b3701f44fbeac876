internal import ImageCore

/// Runs one processor on the image before it.
struct ProcessStage: Sendable {
    let processor: any Processing
    /// The largest image that the processor may make: as large as one that the load may decode.
    let maximumPixels: Int
    /// The options of plug-ins.
    let extra: ExtraOptions

    func process(_ image: DecodedImage, _ token: CancellationToken) throws -> DecodedImage {
        try token.check()
        var result = try processor.process(image, context: context(token))
        result.animation = (image.animation?.frames as? AnimationReader).map { reader in
            AnimatedImage(reader.processed(by: processor), clock: reader.clock)
        }
        return result
    }

    private func context(_ token: CancellationToken) -> ProcessingContext {
        var context = ProcessingContext(cancellation: token)
        (context.maximumPixels, context.extra) = (maximumPixels, extra)
        return context
    }

    /// A preview of the result; `nil` where there is none to show.
    func preview(of before: StagedImage, _ token: CancellationToken) -> StagedImage? {
        guard !token.isCancelled, !(before.isThumbnail && processor.usesPixelCoordinates),
            var image = try? processor.process(before.image, context: context(token))
        else { return nil }
        image.isPreview = true
        return StagedImage(image, tier: before.tier, isThumbnail: before.isThumbnail)
    }
}

extension ProcessStage {
    init(_ processor: any Processing, of plan: LoadPlan, _ components: Components) {
        self.init(processor: processor, maximumPixels: components.limits(plan).pixels, extra: plan.options.extra)
    }
}
