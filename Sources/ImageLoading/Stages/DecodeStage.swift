internal import ImageCore

/// Turns bytes into pixels.
struct DecodeStage: Sendable {
    let parts: LoaderParts
    let plan: LoadPlan
    /// The processor that runs on the image at once, if there is one; it may need less than the full image.
    let processor: (any Processing)?

    /// What the image is made of.
    struct Input: Sendable {
        let original: Original
        /// The image at a larger size, decoded from the same bytes for another load.
        var larger: DecodedImage?
        /// What previews of the image have decoded.
        var begun: PreviewSession.Begun?
    }

    /// - Returns: the image, and the processor that must still run on it.
    func decode(_ input: Input, _ token: CancellationToken) throws -> (DecodedImage, (any Processing)?) {
        try token.check()
        let data = input.original.entry.data
        guard !data.isEmpty else {
            throw ImageError(.emptyFile, message: "\(plan.request) is empty: there are no bytes to decode.")
        }
        if let begun = input.begun {
            // Previews have decoded most of it.
            token.onCancel { begun.token.cancel() }
            try begun.decoder.append(data.dropFirst(begun.consumed))
            return (try begun.decoder.finish(), begun.processor)
        }
        var options = options
        options.cancellation = token
        let decoder = parts.decoder
        if let larger = input.larger, let image = try decoder.decode(data, from: larger, options: options) {
            return (image, processor)
        }
        guard let processor else { return (try decoder.decode(data, options: options), nil) }
        let (reduced, next) = decoder.reducing(data, options: options, for: processor)
        return (try decoder.decode(data, options: reduced), next)
    }

    /// The options for the decoder, without a cancellation token.
    var options: DecodeOptions {
        var options = DecodeOptions()
        options.targetSize = plan.options.targetSize
        options.contentMode = plan.options.contentMode
        options.appliesOrientation = plan.options.appliesOrientation
        options.convertsToSRGB = plan.options.convertsToSRGB
        options.convertsTo8Bit = plan.options.convertsTo8Bit
        options.alpha = plan.options.decodedAlpha
        options.frame = plan.options.frame
        options.allowsPartial = plan.options.allowsPartial
        options.extra = plan.options.extra
        options.limits = parts.limits(plan)
        return options
    }
}
