public import ImageCore

/// A decoder that counts: any bytes become a picture of one colour, which the first byte names.
///
/// Bytes that begin with `0xFF` are corrupt. A beforeDecode, if given, is called on the worker thread before each decode, so
/// that a test can hold one.
public final class ScriptedDecoder: Decoding {
    public static let format = ImageFormat(rawValue: "scripted")

    private let beforeDecode: (@Sendable (Data, DecodeOptions) throws -> Void)?
    private let accepts: @Sendable (Data) -> Bool
    private let log = EventLog<DecodeOptions>()

    /// - Parameter accepts: which files it accepts by their header; the others are of an unknown format. All by default.
    public init(
        beforeDecode: (@Sendable (Data, DecodeOptions) throws -> Void)? = nil,
        accepts: @escaping @Sendable (Data) -> Bool = { _ in true }
    ) {
        self.accepts = accepts
        self.beforeDecode = beforeDecode
    }

    /// The options of every decode that was begun.
    public var decodes: [DecodeOptions] { log.events }

    public var formats: [ImageFormat] { [Self.format] }

    public func format(of head: Data) -> ImageFormat? { accepts(head) ? Self.format : nil }

    public func info(of data: Data, limits: DecodingLimits) throws -> ImageInfo {
        guard accepts(data) else { throw ImageError(.unknownFormat, message: "The scripted decoder does not know this file.") }
        return ImageInfo(format: Self.format, size: PixelSize(width: 4, height: 4))
    }

    public func decode(_ data: Data, options: DecodeOptions) throws -> DecodedImage {
        log.append(options)
        try beforeDecode?(data, options)
        guard data.first != 0xFF else { throw ImageError(.corrupt, message: "The scripted picture is damaged.") }
        let size = options.targetSize ?? PixelSize(width: 4, height: 4)
        var image = try TestImages.solid(width: size.width, height: size.height, red: data.first ?? 0)
        image.format = Self.format
        return image
    }
}
