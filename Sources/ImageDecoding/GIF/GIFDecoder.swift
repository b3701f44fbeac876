public import ImageCore

/// GIF by giflib: any frame, composed on the canvas as browsers do. Pixels outside the first frame are transparent.
public struct GIFDecoder: Decoding {
    public init() {}

    public var formats: [ImageFormat] { [.gif] }

    /// GIF where the file begins with `GIF87a` or `GIF89a` (GIF89a, 17).
    public func format(of head: Data) -> ImageFormat? {
        let reader = ByteReader(head)
        return reader.matches("GIF87a") || reader.matches("GIF89a") ? .gif : nil
    }

    public func info(of data: Data, limits: DecodingLimits) throws -> ImageInfo {
        let file = try GIFFile(data, limits: limits)
        guard !file.frames.isEmpty else { throw ImageError.truncated(.gif) }
        return ImageInfo(
            format: .gif, size: file.canvas, frameCount: file.frames.count, hasAlpha: file.hasAlpha, bitDepth: 8,
            colorModel: .indexed, isProgressive: file.isInterlaced)
    }

    public func decode(_ data: Data, options: DecodeOptions) throws -> DecodedImage {
        let file = try GIFFile(data, limits: options.limits)
        let frames = try ComposedFrames(file, options: options)
        try options.checkFrame(of: file.frames.count)
        try options.checkCancellation()
        return try frames.frame(at: options.frame, options: options)
    }
}
