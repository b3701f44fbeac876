public import ImageCore

/// An animation, frame by frame and on demand: GIF, APNG, WebP and AVIF sequences.
///
/// Frames come composed on the canvas, with the disposal and blending of the format as browsers understand them, turned
/// upright, in sRGB and scaled by the same options as ``Decoding/decode(_:options:)``. Only one canvas is held (two where
/// frames are undone, three for a moment), not the frames: asking for the next frame decodes that one alone. Going back
/// starts at the last frame that stands by itself, and keeps some canvases on the way, 64 MB of them at most, so that who
/// plays backwards decodes each frame a few times only. Frames of AVIF are decoded from the last key frame
/// on, or from the first frame where that fails.
///
/// To be used by one task at a time.
public final class AnimationDecoder: ImageAnimation {
    /// Of the file.
    public let format: ImageFormat
    /// How long each frame shows, in seconds, as the file has it: 0 where it leaves that open. Browsers show frames of
    /// up to 0.01 s for 0.1 s.
    public let durations: [Double]
    /// How often the animation is shown; 0 for ever, `nil` where the file does not say.
    public let loopCount: Int?

    private let options: DecodeOptions
    private let frames: any FrameProviding

    /// - Parameters:
    ///   - data: the whole file.
    ///   - options: for every frame; `frame` does not count. With `allowsPartial`, frames that are damaged, or drawn on a damaged
    ///     one, are partial images instead of errors.
    /// - Throws: ``ImageError`` where the file is not readable, beyond the limits or of a format without animations;
    ///   a still picture is an animation of one frame.
    public init(_ data: Data, options: DecodeOptions = DecodeOptions()) throws {
        self.options = options
        if AVIFDecoder().format(of: data) != nil {
            frames = try AVIFSequence(data, options: options)
            format = .avif
        } else {
            let source = try Self.source(of: data, limits: options.limits)
            frames = try ComposedFrames(source, options: options)
            format = source.format
        }
        durations = frames.durations
        loopCount = frames.loopCount
    }

    /// How many frames there are, at least 1.
    public var frameCount: Int { durations.count }

    /// A frame, from 0.
    ///
    /// - Throws: ``ImageError`` where it is not there or damaged; `CancellationError`.
    public func frame(at index: Int) throws -> DecodedImage {
        var options = options
        options.frame = index
        try options.checkFrame(of: frameCount)
        return try frames.frame(at: index, options: options)
    }

    private static func source(of data: Data, limits: DecodingLimits) throws -> any AnimationSource {
        if GIFDecoder().format(of: data) != nil { return try GIFFile(data, limits: limits) }
        if PNGDecoder().format(of: data) != nil { return try APNGFile(data, limits: limits) }
        if WebPDecoder().format(of: data) != nil { return try WebPAnimation(data, limits: limits) }
        throw ImageError(.unsupportedFeature, message: "The file is not of a format that has animations (gif, png, webp, avif).")
    }
}

/// What an animation's frames are taken from.
protocol FrameProviding: AnyObject {
    var durations: [Double] { get }
    var loopCount: Int? { get }
    func frame(at index: Int, options: DecodeOptions) throws -> DecodedImage
}

/// Frames that are composed on a canvas here.
final class ComposedFrames: FrameProviding {
    private let compositor: Compositor

    init(_ source: any AnimationSource, options: DecodeOptions) throws(ImageError) {
        guard !source.frames.isEmpty else { throw .truncated(source.format) }
        compositor = try Compositor(source, options: options)
    }

    var durations: [Double] { compositor.source.frames.map(\.seconds) }
    var loopCount: Int? { compositor.source.loopCount }

    func frame(at index: Int, options: DecodeOptions) throws -> DecodedImage {
        try compositor.show(index)
        var picture = StoredPicture(format: compositor.source.format, size: compositor.source.canvas, layout: .rgba8)
        picture.orientation = options.applied(compositor.source.orientation)
        picture.hasAlpha = true
        return try PictureAssembler(picture, options: options).assemble(CanvasRows(compositor))
    }
}

extension DecodeOptions {
    /// For the pixels of one frame, as they lie on the canvas: whole, straight, not turned.
    var forFramePixels: DecodeOptions {
        var options = self
        options.targetSize = nil
        options.appliesOrientation = false
        options.convertsTo8Bit = true
        options.alpha = .straight
        options.allowsPartial = true
        options.frame = 0
        return options
    }
}
