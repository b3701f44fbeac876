internal import ImageCore
internal import ImageKernels

/// Turns bytes into pixels.
struct DecodeStage: Sendable {
    let components: Components
    let plan: LoadPlan
    /// The processor that runs on the image at once, if there is one; it may need less than the full image.
    let processor: (any Processing)?

    /// Decodes the image.
    ///
    /// - Parameter larger: the image at a larger size, decoded from the same bytes for another load.
    /// - Returns: the image, and the processor that must still run on it.
    func decode(
        _ original: Original, from larger: StagedImage?, _ token: CancellationToken
    ) throws -> (image: DecodedImage, next: (any Processing)?) {
        let data = original.entry.data
        guard !data.isEmpty else {
            throw ImageError(.emptyFile, message: "\(plan.request) is empty: there are no bytes to decode.")
        }
        var options = options
        options.cancellation = token
        let decoder = components.decoder
        var next = processor
        if let processor { (options, next) = decoder.reducing(data, options: options, for: processor) }
        var scaled: DecodedImage?
        if let larger, !larger.image.isPartial, let box = larger.box {
            scaled = try larger.image.resized(for: options, decodedTo: box) {
                try decoder.decodedSize(of: data, options: options)
            }
        }
        var image = try scaled ?? decoder.decodeToTargetSize(data, options: options)
        image.animation = isAnimated(data) ? animation(of: data, options) : nil
        return (image, next)
    }

    private func isAnimated(_ data: Data) -> Bool {
        guard components.decoder is any AnimationDecoding, plan.options.animates, plan.options.frame == 0 else { return false }
        return ((try? components.decoder.info(of: data, limits: options.limits))?.frameCount ?? 1) > 1
    }

    private func animation(of data: Data, _ options: DecodeOptions) -> AnimatedImage? {
        var options = options
        options.cancellation = nil
        return AnimationReader(data, options: options, components.animations).map { AnimatedImage($0, clock: $0.clock) }
    }

    /// The options for the decoder, without a cancellation token.
    var options: DecodeOptions {
        var options = plan.decoding
        options.limits = components.limits(plan)
        return options
    }
}
