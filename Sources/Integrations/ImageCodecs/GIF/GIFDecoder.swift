public import ImageCore
internal import ImageDecoding

/// Decodes GIF: any frame, composed on the canvas as browsers do. Pixels outside the first frame, and those that the
/// data of a frame leaves out, are transparent. An ICC profile in the application extension `ICCRGBG1` is applied.
public struct GIFDecoder: AnimationDecoding {
    /// Creates a decoder.
    public init() {}

    public var formats: [ImageFormat] { [.gif] }

    /// Returns GIF if the file begins with `GIF87a` or `GIF89a` (GIF89a, 17).
    public func format(of prefix: Data) -> ImageFormat? {
        let reader = ByteReader(prefix)
        return reader.matches("GIF87a") || reader.matches("GIF89a") ? .gif : nil
    }

    public func info(of data: Data, limits: DecodingLimits) throws -> ImageInfo {
        let file = try GIFFile(data, limits: limits)
        guard !file.frames.isEmpty else { throw ImageError.truncated(.gif) }
        var info = ImageInfo(
            format: .gif, size: file.canvas, frameCount: file.frames.count, hasAlpha: file.hasAlpha, bitDepth: 8,
            colorModel: .indexed, colorProfile: file.profile.description, isProgressive: file.isInterlaced)
        info.loopCount = file.loopCount
        return info
    }

    public func animation(of data: Data, options: DecodeOptions) throws -> any ImageAnimation {
        try ComposedAnimation(GIFFile(data, limits: options.limits), options: options)
    }

    public func decode(_ data: Data, options: DecodeOptions) throws -> DecodedImage {
        let file = try GIFFile(data, limits: options.limits)
        try options.checkCancellation()
        if options.frame == 0, let first = file.frames.first, (first.x, first.y) == (0, 0), first.size == file.canvas {
            // The frame covers the canvas, so its rows need no composition, and scaling holds only the rows of its
            // filter.
            return try ImageAssembler(file.storedImage(of: 0), options: options).assemble(file.makeRows(of: 0, options: options))
        }
        return try ComposedAnimation(file, options: options).frame(at: options.frame)
    }
}
