internal import ArgumentParser
internal import ImageCore
internal import ImageKernels

/// The words of a ``Conversion``.
struct ConvertCommand: AsyncParsableCommand {
    static let name = "convert"

    static let configuration = CommandConfiguration(
        commandName: name,
        abstract: "Converts an image: format, size, part, look.",
        discussion: """
            OUTPUT's extension chooses the format: .jpg, .png, .webp, .avif, or .rgba for width and height as little-endian \
            32-bit numbers and then rows of straight 8-bit RGBA. By default the stored orientation is applied and colours \
            become sRGB. An animation (GIF, APNG, WebP, AVIF) becomes an animated .webp, its steps carried out on every frame; \
            in other formats, and with --frame, one frame is written. The output is written whole or not at all.

            Steps run in the order in which they are given, on the upright image. A step that needs a value takes it as the next \
            argument (--blur 4); an optional value follows an equals sign (--sepia, --sepia=0.5). The parts of a value are \
            separated by commas:
              --size WxH, --size Wx, --size xH     see --mode, --filter, --upscale, --gravity
              --crop X,Y,W,H, --crop WxH, --crop 16:9     the latter two at --gravity
              --process PROCESSORS     a list of any of the following, such as "resize(64x64,fill) round(12)"
            \(ProcessorFlags.usage.map { "  " + $0 }.joined(separator: "\n"))

            Examples:
              calotype convert photo.avif photo.png
              calotype convert photo.jpg thumbnail.jpg --size 320x320 --mode fill --gravity attention --quality 80
              calotype convert photo.jpg card.png --crop 16:9 --size 640x --greyscale --round 24
              calotype convert photo.jpg soft.webp --trim --pad 800x600,white --blur 2.5 --rotate -90
              calotype convert photo.jpg marked.jpg --overlay logo.png,margin=12,opacity=0.6 --gravity bottom-right
              calotype convert animation.webp third.png --frame 2 --pixelate 8
              calotype convert animation.gif small.webp --size 160x --quality 70
            """)

    @Argument(help: "A path or a URL.")
    var source: String

    @Argument(help: "The file to write.")
    var output: String

    /// What ``ProcessorFlags`` makes of the steps on the command line, in order.
    @Option(name: .customLong(ProcessorFlags.stepOption), parsing: .unconditionalSingleValue, help: .hidden)
    var steps: [String] = []

    @Option(help: ArgumentHelp("How --size fills its box.", valueName: "fit|fill|exact"))
    var mode = StepList.defaultMode

    @Option(help: ArgumentHelp("The filter of --size: \(ResampleFilter.names).", valueName: "name"))
    var filter = StepList.defaultFilter

    @Flag(help: "--size enlarges an image that is smaller.")
    var upscale = false

    @Option(
        help: ArgumentHelp(
            "What --size --mode fill, --crop, --pad and --overlay hold on to: \(GravityArgument.names).", valueName: "where"))
    var gravity: GravityArgument?

    @Option(help: ArgumentHelp("For lossy formats: 1 (smallest) to 100 (best).", valueName: "1-100"))
    var quality = Conversion.defaultQuality

    @Option(help: ArgumentHelp("One frame of an animation, from 0.", valueName: "N"))
    var frame: Int?

    @OptionGroup var limits: LimitOptions

    @Flag(help: "Leave the image as it is stored.")
    var noOrientation = false

    @Flag(help: "Leave colours as they are, with the profile that the file brings.")
    var keepProfile = false

    func validate() throws { try conversion.validate() }

    func run() async throws { try await conversion.run() }

    private var conversion: Conversion {
        var conversion = Conversion(source: source, output: output)
        conversion.steps = StepList(steps: steps, mode: mode, filter: filter, upscales: upscale, gravity: gravity)
        conversion.quality = quality
        conversion.frame = frame
        conversion.limits = limits.decoding
        conversion.appliesOrientation = !noOrientation
        conversion.convertsToSRGB = !keepProfile
        return conversion
    }
}

/// `--size` and `--mode`, as `load` takes them.
struct ResizeOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The box to resize into, in pixels; one side may be left out.", valueName: "WxH"))
    var size: SizeArgument?

    @Option(help: ArgumentHelp("How the image fills the box.", valueName: "fit|fill|exact"))
    var mode: ContentMode = .fit
}

extension ResampleFilter {
    fileprivate static var names: String { allCases.map(\.rawValue).joined(separator: ", ") }
}
