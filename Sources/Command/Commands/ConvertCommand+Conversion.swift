internal import CalotypeSystem
internal import ImageCodecs
internal import ImageCore
internal import ImageDecoding
internal import ImageNetworking
internal import ImageProcessing

extension ConvertCommand {
    /// Converts the image. Reports a failure, and then throws ``ExitStatus``.
    func run() async throws {
        var failures = Failures()
        do {
            let data = try await SourceReader().bytes(of: SourceArgument(source))
            try AtomicFile.write(try converted(data), to: output)
        } catch {
            let isOutput = (error as? ImageError)?.code == .fileUnwritable
            failures.report(error, source: isOutput ? output : SourceArgument.displayName(of: source))
        }
        try failures.throwIfAny()
    }

    private var decodeOptions: DecodeOptions {
        var options = DecodeOptions()
        options.appliesOrientation = !noOrientation
        options.convertsToSRGB = !keepProfile
        options.frame = frame ?? 0
        options.limits = limits.decoding
        return options
    }

    /// The bytes of the converted file.
    private func converted(_ data: Data) throws -> Data {
        let (decoders, encoders, format) = (DecoderRegistry(.codecs), EncoderRegistry(.codecs), try outputFormat())
        let processors = try stepList.processors { overlayPath in
            var options = DecodeOptions()
            options.limits = limits.decoding
            return try decoders.decode(FileLoader(maximumResponseBytes: .max).contents(ofFile: overlayPath), options: options)
        }
        let info = try decoders.info(of: data, limits: limits.decoding.withoutPixelLimit)
        var options = decodeOptions
        // No format that is written has CMYK, so that its profile would be lost.
        if info.colorModel == .cmyk { options.convertsToSRGB = true }
        var run = ProcessingRun.runs(of: processors).map(\.processor)
        if let first = run.first {
            // An image that is only reduced is scaled while it is decoded, so that memory never holds the full size.
            (options, run[0]) = decoders.reducing(data, options: options, for: first)
        } else {
            // Without processing, the pixels are written as they are stored.
            options.alpha = .straight
        }
        var context = ProcessingContext()
        context.maximumPixels = limits.decoding.pixels
        context.threads = ProcessorCount.usable
        var encoding = EncodeOptions()
        encoding.quality = quality
        // A frame that the user chose is an image.
        if frame == nil, info.frameCount > 1 {
            let animation = ProcessedAnimation(
                try decoders.animation(of: data, options: options), processors: run, context: context)
            if let file = try encoders.encode(animation, as: format, options: encoding) { return file }
        }
        var image = try decoders.decode(data, options: options)
        for processor in run { image = try processor.process(image, context: context) }
        return try encoders.encode(image, as: format, options: encoding)
    }
}
