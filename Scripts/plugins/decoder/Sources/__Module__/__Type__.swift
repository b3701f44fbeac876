import ImageCore
import ImageKernels

/// Decodes files of the format `__name__`.
public struct __Type__: Decoding {
    /// The format.
    public static let format = ImageFormat(rawValue: "__name__")

    /// Creates a decoder.
    public init() {}

    public var formats: [ImageFormat] { [Self.format] }

    public func format(of prefix: Data) -> ImageFormat? {
        // Replace these letters by those that all files of the format begin with.
        prefix.starts(with: Data("__name__".utf8)) ? Self.format : nil
    }

    public func info(of data: Data, limits: DecodingLimits) throws -> ImageInfo {
        // Read the header, and throw `truncated` or `corrupt` if it is no header. Trust no number in it.
        throw ImageError(.plugInFailed, message: "__Type__ decodes nothing yet: write info(of:limits:) first.")
    }

    public func decode(_ data: Data, options: DecodeOptions) throws -> DecodedImage {
        // Check the size with `options.limits.check(_:)` before you allocate, and `options.checkCancellation()` every
        // few rows. Make a Bitmap, and return DecodedImage(bitmap, format: Self.format).
        throw ImageError(.plugInFailed, message: "__Type__ decodes no pixels yet: write decode(_:options:) next.")
    }
}
