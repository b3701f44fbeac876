import ImageCore
import ImageKernels

/// Encodes images as files of the format `__name__`.
public struct __Type__: Encoding {
    /// The format.
    public static let format = ImageFormat(rawValue: "__name__")

    /// Creates an encoder.
    public init() {}

    public var formats: [ImageFormat] { [Self.format] }

    public func encode(_ image: DecodedImage, as format: ImageFormat, options: EncodeOptions) throws -> Data {
        // Turn the pixels if the file has no place for `options.orientation`, and draw them over white if it has none
        // for alpha. A row begins each `image.bitmap.bytesPerRow`. Call `options.cancellation?.check()` every few rows.
        throw ImageError(.plugInFailed, message: "__Type__ encodes nothing yet: write encode(_:as:options:) first.")
    }
}
