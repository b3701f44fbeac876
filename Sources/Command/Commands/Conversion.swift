internal import ArgumentParser
internal import ImageCore
internal import ImageCodecs
internal import ImageDecoding
internal import ImageNetworking
internal import ImageProcessing

/// What `convert` does: one image, read, changed and written.
struct Conversion {
    static let defaultQuality = 85

    /// A path or a URL.
    let source: String
    /// The file to write; its extension chooses the format.
    let output: String
    var steps = StepList()
    /// For lossy formats, 1 to 100.
    var quality = defaultQuality
    /// One frame of an animation, from 0; `nil` for all that the output's format can hold.
    var frame: Int?
    /// Of every decode, and of what steps make.
    var limits = DecodingLimits()
    var appliesOrientation = true
    var convertsToSRGB = true

    init(source: String, output: String) {
        (self.source, self.output) = (source, output)
    }

    /// - Throws: `ValidationError` that says what cannot be meant.
    func validate() throws {
        try Conversion.check(quality: quality)
        guard frame ?? 0 >= 0 else { throw ValidationError("--frame must not be negative.") }
        _ = try outputFormat()
        try steps.validate()
    }

    /// Reports what fails, and then throws ``ExitStatus``.
    func run() async throws {
        var failures = Failures()
        var name = SourceArgument.name(of: source)
        do {
            let source = try SourceArgument(source)
            name = source.name
            let data = try await SourceReader().bytes(of: source)
            if try outputFormat() == .rgba, steps.steps.isEmpty, AtomicFile.hidesPieces(at: output), try isStill(data) {
                try writePixels(of: data)
            } else {
                try AtomicFile.write(try converted(data), to: output)
            }
        } catch {
            if (error as? ImageError)?.code == .fileUnwritable { name = output }
            failures.add(name, error)
        }
        try failures.throwIfAny()
    }

    private var decoding: DecodeOptions {
        var options = DecodeOptions()
        options.appliesOrientation = appliesOrientation
        options.convertsToSRGB = convertsToSRGB
        options.frame = frame ?? 0
        options.limits = limits
        return options
    }

    /// Whether the output is one image: a frame that was chosen, or a file with one frame.
    private func isStill(_ data: Data) throws -> Bool {
        try frame != nil || DecoderRegistry(.codecs).info(of: data, limits: limits.withoutPixelLimit).frameCount == 1
    }

    /// Writes pixels row by row as they are decoded, so that neither the image nor the file lies in memory.
    private func writePixels(of data: Data) throws {
        var options = decoding
        options.alpha = .straight
        try AtomicFile.write(to: output) { file in
            try DecoderRegistry(.codecs).decodeRows(data, options: options) { rows in
                if rows.first == 0 { try unsafe RGBAEncoder.header(rows.size).withUnsafeBytes { try unsafe file.append($0) } }
                try unsafe rows.forEachPiece { try unsafe file.append($0) }
            }
        }
    }

    private func converted(_ data: Data) throws -> Data {
        var options = decoding
        // An overlay's image is a file's path.
        let processors = try steps.processors { path in
            var options = DecodeOptions()
            options.limits = limits
            return try DecoderRegistry(.codecs).decode(FileLoader(maximumBytes: .max).contents(ofFile: path), options: options)
        }
        var run = ProcessingRun.runs(of: processors).map(\.processor)
        if let first = run.first {
            // An image that is only made smaller is scaled while it is decoded: the large one never lies in memory.
            (options, run[0]) = DecoderRegistry(.codecs).reducing(data, options: options, for: first)
        } else {
            // Pixels that nothing is computed with stay as they are stored.
            options.alpha = .straight
        }
        var context = ProcessingContext()
        context.maximumPixels = max(context.maximumPixels, limits.pixels)
        context.threads = ProcessInfo.processInfo.activeProcessorCount
        var encoding = EncodeOptions()
        encoding.quality = quality
        let (encoders, format) = (EncoderRegistry(.codecs), try outputFormat())
        if try !isStill(data),
            let file = try encoders.encode(
                ProcessedAnimation(
                    DecoderRegistry(.codecs).animation(of: data, options: options), processors: run, context: context),
                as: format,
                options: encoding)
        {
            return file
        }
        var image = try DecoderRegistry(.codecs).decode(data, options: options)
        for processor in run { image = try processor.process(image, context: context) }
        return try encoders.encode(image, as: format, options: encoding)
    }

    private func outputFormat() throws(ValidationError) -> ImageFormat {
        try Conversion.check(format: ImageFormat(fileName: output), of: "The extension of OUTPUT '\(output)'")
    }

    /// - Throws: `ValidationError` for a format that cannot be written; `subject` says where it was named.
    static func check(format: ImageFormat?, of subject: String) throws(ValidationError) -> ImageFormat {
        let formats = EncoderRegistry(.codecs).formats
        guard let format, formats.contains(format) else {
            let known = formats.map(\.fileExtension).joined(separator: ", ")
            throw ValidationError("\(subject) must be one of \(known).")
        }
        return format
    }

    static func check(quality: Int) throws(ValidationError) {
        guard (1...100).contains(quality) else { throw ValidationError("--quality must be from 1 to 100, not \(quality).") }
    }
}
