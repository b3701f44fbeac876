/// A file format. Plug-ins may add formats.
public struct ImageFormat: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The short name in lower case, such as `jpeg`.
    public let rawValue: String

    /// Creates the format with a short name in lower case.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// JPEG (ITU-T T.81), and JFIF and EXIF files.
    public static let jpeg = ImageFormat(rawValue: "jpeg")
    /// PNG, and APNG for animations (W3C, third edition).
    public static let png = ImageFormat(rawValue: "png")
    /// WebP (RFC 9649), lossy, lossless and animated.
    public static let webp = ImageFormat(rawValue: "webp")
    /// AVIF (AOMedia), still images and sequences.
    public static let avif = ImageFormat(rawValue: "avif")
    /// GIF87a and GIF89a, animations too.
    public static let gif = ImageFormat(rawValue: "gif")

    /// The media type for `Accept` and `Content-Type`: `image/` and the name.
    public var mediaType: String { "image/\(rawValue)" }

    public var description: String { rawValue }
}
