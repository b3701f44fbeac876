public import ImageCore

/// A decoder that records its decodes. Any data becomes an image of one colour, whose red value is the first byte.
///
/// Data that begins with `0xFF` is corrupt. Without a target size an image has 4 by 4 pixels.
public final class ScriptedDecoder: Decoding {
    /// The only format of the decoder.
    public static let format = ImageFormat(rawValue: "scripted")

    private let beforeDecode: (@Sendable (Data, DecodeOptions) throws -> Void)?
    private let accepts: @Sendable (Data) -> Bool
    private let log = EventLog<DecodeOptions>()

    /// Creates a decoder.
    ///
    /// - Parameters:
    ///   - beforeDecode: Called on the decoding thread with the data and the options before each decode, which it may
    ///     block or fail. By default nothing is called.
    ///   - accepts: Whether data is of the decoder's format. By default all data is.
    public init(
        beforeDecode: (@Sendable (Data, DecodeOptions) throws -> Void)? = nil,
        accepts: @escaping @Sendable (Data) -> Bool = { _ in true }
    ) {
        self.accepts = accepts
        self.beforeDecode = beforeDecode
    }

    /// The options of each decode so far, in order of their start.
    public var decodes: [DecodeOptions] { log.events }

    public var formats: [ImageFormat] { [Self.format] }

    public func format(of prefix: Data) -> ImageFormat? { accepts(prefix) ? Self.format : nil }

    public func info(of data: Data, limits: DecodingLimits) throws -> ImageInfo {
        guard accepts(data) else { throw ImageError(.unknownFormat, message: "The scripted decoder does not accept this file.") }
        return ImageInfo(format: Self.format, size: PixelSize(width: 4, height: 4))
    }

    public func decode(_ data: Data, options: DecodeOptions) throws -> DecodedImage {
        log.append(options)
        try beforeDecode?(data, options)
        guard data.first != 0xFF else { throw ImageError(.corrupt, message: "The scripted image is damaged.") }
        let size = options.targetSize ?? PixelSize(width: 4, height: 4)
        var image = try TestImages.solid(width: size.width, height: size.height, red: data.first ?? 0)
        image.format = Self.format
        return image
    }
}
