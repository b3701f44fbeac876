internal import ImageCore
internal import ImageKernels

/// Sources that have an image, and no bytes. Their image is the output of the job that gets the bytes of others.
extension Pipeline {
    /// The image that the source has.
    func makeGivenImage() async throws -> StagedImage {
        switch plan.request.source {
        case .image(let image, _): return StagedImage(image, tier: .local)
        case .imageProducer(_, let produce):
            return StagedImage(try await runner.run(.network, on: .local) { try await produce() }, tier: .local)
        case .url, .bytes, .producer: throw ImageError.noInput
        }
    }

    /// Makes of the image what a decode to the load's options returns, and runs the processor.
    func adapt(_ given: DecodedImage, _ processor: (any Processing)?) async throws -> StagedImage {
        let stage = DecodeStage(components: components, plan: plan, processor: nil)
        let image = StagedImage(
            try await runner.runOnWorker(.decode) { [job] in try stage.adapt(given, job.token) }, tier: .local)
        guard let processor else { return image }
        return try await process(image, processor)
    }
}

extension DecodeStage {
    /// Checks a given image against the limits, and applies the options of a decode that are about pixels.
    fileprivate func adapt(_ given: DecodedImage, _ token: CancellationToken) throws -> DecodedImage {
        var options = options
        options.cancellation = token
        try options.limits.check(given.size, bytesPerPixel: given.bitmap.format.bytesPerPixel)
        var image = try given.resized(for: options) { given.size } ?? given
        image.bitmap = try options.alpha == .straight ? image.bitmap.unpremultiplied() : image.bitmap.premultiplied()
        if options.convertsTo8Bit {
            image.bitmap = try image.bitmap.converted(to: image.bitmap.format.channels == 1 ? .gray8 : .rgba8)
        }
        if !plan.options.animates { image.animation = nil }
        // It may have come from another load, and is the image of this one.
        image.isPreview = false
        image.wasDecoded(from: nil, freshUntil: nil)
        return image
    }
}

extension ImageInfo {
    /// What the header of a file with that image would say.
    init(_ image: DecodedImage) {
        let bitmap = image.bitmap
        self.init(
            format: image.format ?? ImageFormat(rawValue: "bitmap"), size: image.size,
            frameCount: image.animation?.frameCount ?? 1, hasAlpha: bitmap.alpha != .opaque,
            bitDepth: 8 * bitmap.format.bytesPerPixel / bitmap.format.channels,
            colorModel: bitmap.format.channels == 1 ? .gray : .rgb)
        loopCount = image.animation?.loopCount ?? 1
    }
}

extension ImageError {
    /// The error for a load of the bytes of a source that is an image.
    static func noBytes(_ source: String) -> ImageError {
        ImageError(
            .invalidRequest,
            message: "\(source) is an image and has no bytes. Use `encoded(for:as:)` for its bytes in a format.",
            stage: .request, source: source)
    }
}
