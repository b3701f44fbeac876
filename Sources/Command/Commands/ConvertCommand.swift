internal import ArgumentParser
internal import ImageCore
internal import ImageKernels

struct ConvertCommand: AsyncParsableCommand {
    static let name = "convert"

    static let configuration = CommandConfiguration(
        commandName: name,
        abstract: "Converts an image to another format or size, and processes it.",
        discussion: """
            The extension of OUTPUT chooses the format: .jpg, .png, .webp, .avif, or .rgba for width and height as little-endian \
            32-bit numbers, followed by rows of straight 8-bit RGBA. By default the stored orientation is applied and colours \
            are converted to sRGB. An animation (GIF, APNG, WebP, AVIF) becomes an animated .webp, with the steps applied to every \
            frame; other formats, and --frame, give one frame. OUTPUT is written completely or not at all.

            Steps run in the order in which they are given, on the upright image. A step that needs a value takes it as the next \
            argument (--blur 4); an optional value follows an equals sign (--sepia, --sepia=0.5). Commas separate the parts of a value:
              --size WxH, --size Wx, --size xH     see --mode, --filter, --upscale, --gravity
              --crop X,Y,W,H, --crop WxH, --crop 16:9     the latter two at --gravity
              --process PROCESSORS     a list of any of the following, such as "resize(64x64,fill) round(12)"
            \(StepOptions.usage.map { "  " + $0 }.joined(separator: "\n"))

            Examples:
              calotype convert photo.avif photo.png
              calotype convert photo.jpg thumbnail.jpg --size 320x320 --mode fill --gravity attention --quality 80
              calotype convert photo.jpg card.png --crop 16:9 --size 640x --greyscale --round 24
              calotype convert photo.jpg soft.webp --trim --pad 800x600,white --blur 2.5 --rotate -90
              calotype convert photo.jpg marked.jpg --overlay logo.png,margin=12,opacity=0.6 --gravity bottom-right
              calotype convert animation.webp third.png --frame 2 --pixelate 8
              calotype convert animation.gif small.webp --size 160x --quality 70
            """)

    @Argument(help: "The path or the URL of the image.")
    var source: String

    @Argument(help: "The file to write; its extension chooses the format.")
    var output: String

    /// The steps in order, which ``StepOptions`` collects from the command line.
    @Option(name: .customLong(StepOptions.name), parsing: .unconditionalSingleValue, help: .hidden)
    var steps: [String] = []

    @Option(
        help: ArgumentHelp("How --size fills its box: inside it, over all of it, or stretched.", valueName: "fit|fill|exact"))
    var mode = StepList.defaultMode

    @Option(help: ArgumentHelp("The resampling filter of --size.", valueName: "name"))
    var filter = StepList.defaultFilter

    @Flag(help: "Let --size enlarge an image that is smaller than the box.")
    var upscale = false

    @Option(
        help: ArgumentHelp(
            "The part of the image that --size --mode fill and --crop keep, and where --pad and --overlay place the image: "
                + "\(GravityArgument.names).", valueName: "where"))
    var gravity: GravityArgument?

    @Option(help: ArgumentHelp("The quality of a lossy format: 1 (smallest file) to 100 (best).", valueName: "1-100"))
    var quality = OutputArguments.defaultQuality

    @Option(help: ArgumentHelp("Convert only this frame of an animation, counted from 0.", valueName: "N"))
    var frame: Int?

    @OptionGroup var limits: LimitOptions

    @Flag(help: "Keep the image as it is stored; do not apply its orientation.")
    var noOrientation = false

    @Flag(help: "Keep the colours and the colour profile of the file; do not convert to sRGB.")
    var keepProfile = false

    var stepList: StepList { StepList(steps: steps, mode: mode, filter: filter, upscales: upscale, gravity: gravity) }

    func validate() throws {
        try OutputArguments.validate(quality: quality)
        guard frame ?? 0 >= 0 else { throw ValidationError("--frame must be 0 or more.") }
        _ = try outputFormat()
        try stepList.validate()
    }

    func outputFormat() throws(ValidationError) -> ImageFormat {
        try OutputArguments.validated(ImageFormat(fileName: output), subject: "The extension of OUTPUT '\(output)'")
    }
}
