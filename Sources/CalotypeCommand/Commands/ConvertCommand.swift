internal import ArgumentParser
internal import ImageCore
internal import ImageDecoding
internal import ImageKernels
internal import ImageProcessing

struct ConvertCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "convert",
        abstract: "Converts a picture: format, size, part.",
        discussion: """
            OUTPUT's extension chooses the format: .jpg, .png, .webp, .avif, or .rgba for width and height as little-endian \
            32-bit numbers and then rows of straight 8-bit RGBA. By default the stored orientation is applied and colours \
            become sRGB. A crop is taken from the upright picture, before it is resized. The output is written whole or \
            not at all.

            Examples:
              calotype convert photo.avif photo.png
              calotype convert photo.jpg thumbnail.jpg --size 320x320 --mode fill --quality 80
              calotype convert animation.webp third.png --frame 2
              calotype convert photo.jpg card.png --process "resize(640x400,fill) grayscale round(24)"

            PROCESSORS are any of these, in any order, with spaces between:
              \(ProcessorList.usage.joined(separator: "\n  "))
            """)

    @Argument(help: "A path or a URL.")
    var source: String

    @Argument(help: "The file to write.")
    var output: String

    @OptionGroup var resize: ResizeOptions

    @Option(help: ArgumentHelp("The filter of the resize: \(ResampleFilter.names).", valueName: "name"))
    var filter: ResampleFilter = .lanczos3

    @Option(help: ArgumentHelp("Take a part, in pixels of the upright picture.", valueName: "X,Y,W,H"))
    var crop: CropArgument?

    @Option(help: ArgumentHelp("Processors to run in order, after crop and resize.", valueName: "processors"))
    var process: String?

    @Option(help: ArgumentHelp("For lossy formats: 1 (smallest) to 100 (best).", valueName: "1-100"))
    var quality = 85

    @Option(help: ArgumentHelp("The frame of an animation, from 0.", valueName: "N"))
    var frame = 0

    @Flag(help: "Leave the picture as it is stored.")
    var noOrientation = false

    @Flag(help: "Leave colours as they are, with the profile that the file brings.")
    var keepProfile = false

    @Flag(help: "Enlarge a picture that is smaller than the size.")
    var upscale = false

    func validate() throws {
        guard (1...100).contains(quality) else { throw ValidationError("--quality must be from 1 to 100, not \(quality).") }
        guard frame >= 0 else { throw ValidationError("--frame must not be negative.") }
        _ = try outputFormat()
        do {
            _ = try processors()
        } catch let error as ImageError where error.category == .caller {
            throw ValidationError("--process: \(error.message)")
        }
    }

    func run() async throws {
        var failures = Failures()
        var name = source
        do {
            let source = try SourceArgument(source)
            name = source.name
            let data = try await SourceReader().bytes(of: source)
            let file = try converted(data)
            name = output
            try AtomicFile.write(file, to: output)
        } catch {
            failures.add(name, error)
        }
        try failures.throwIfAny()
    }

    private func converted(_ data: Data) throws -> Data {
        var options = DecodeOptions()
        options.appliesOrientation = !noOrientation
        options.convertsToSRGB = !keepProfile
        options.frame = frame
        // Pixels that nothing is computed with stay as they are stored.
        if resize.size == nil, crop == nil, process == nil { options.alpha = .straight }
        // A picture that is only made smaller is scaled while it is decoded: the large one never lies in memory.
        if let width = resize.size?.width, let height = resize.size?.height, crop == nil, filter == .lanczos3, !upscale {
            options.targetSize = PixelSize(width: width, height: height)
            options.contentMode = resize.mode
        }
        var image = try DecoderRegistry().decode(data, options: options)
        let context = ProcessingContext()
        if let crop {
            image = try Crop(x: crop.x, y: crop.y, width: crop.width, height: crop.height).process(image, context: context)
        }
        if let size = resize.size, options.targetSize == nil {
            image = try Resize(width: size.width, height: size.height, mode: resize.mode, filter: filter, upscales: upscale)
                .process(image, context: context)
        }
        for processor in try processors() { image = try processor.process(image, context: context) }
        var encoding = EncodeOptions()
        encoding.quality = quality
        return try EncoderRegistry().encode(image, as: try outputFormat(), options: encoding)
    }

    /// An overlay's picture is a file's path.
    private func processors() throws -> [any Processing] {
        try ProcessorList.parse(process ?? "") { path in
            guard let data = FileManager.default.contents(atPath: path) else {
                throw ImageError(.fileUnreadable, message: "There is no file \(path) that can be read.")
            }
            return try DecoderRegistry().decode(data, options: DecodeOptions())
        }
    }

    private func outputFormat() throws(ValidationError) -> ImageFormat {
        let formats = EncoderRegistry().formats
        guard let format = ImageFormat(fileName: output), formats.contains(format) else {
            let known = formats.map(\.fileExtension).joined(separator: ", ")
            throw ValidationError("The extension of OUTPUT '\(output)' must be one of \(known).")
        }
        return format
    }
}

/// `--size` and `--mode`, as `convert` and `load` take them.
struct ResizeOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The box to resize into, in pixels; one side may be left out.", valueName: "WxH"))
    var size: SizeArgument?

    @Option(help: ArgumentHelp("How the picture fills the box.", valueName: "fit|fill|exact"))
    var mode: ContentMode = .fit
}

extension ResampleFilter {
    fileprivate static var names: String { allCases.map(\.rawValue).joined(separator: ", ") }
}
