/// A file format. Plug-ins may add formats.
public struct ImageFormat: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The short name in lower case, such as `jpeg`.
    public let rawValue: String

    /// Creates the format with a short name in lower case.
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let jpeg = ImageFormat(rawValue: "jpeg")
    public static let png = ImageFormat(rawValue: "png")
    public static let webp = ImageFormat(rawValue: "webp")
    public static let avif = ImageFormat(rawValue: "avif")
    public static let gif = ImageFormat(rawValue: "gif")

    /// The media type for `Accept` and `Content-Type`: `image/` and the name.
    public var mediaType: String { "image/\(rawValue)" }

    public var description: String { rawValue }
}
