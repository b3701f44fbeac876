public import ImageCore

/// Decodes all data to the same image of one pixel, at once.
public struct InstantDecoder: Decoding {
    private static let format = ImageFormat(rawValue: "instant")

    private let image: DecodedImage

    public init() throws { image = try .onePixel() }

    public var formats: [ImageFormat] { [Self.format] }

    public func format(of prefix: Data) -> ImageFormat? { Self.format }

    public func info(of data: Data, limits: DecodingLimits) throws -> ImageInfo {
        ImageInfo(format: Self.format, size: image.size)
    }

    public func decode(_ data: Data, options: DecodeOptions) throws -> DecodedImage { image }
}

extension DecodedImage {
    /// A new image of one grey pixel.
    public static func onePixel() throws -> DecodedImage {
        DecodedImage(try unsafe Bitmap(size: PixelSize(width: 1, height: 1), format: .gray8, alpha: .opaque) { _, _ in })
    }
}
