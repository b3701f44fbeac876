/// A file format. Plug-ins may add formats. Formats with equal ``rawValue`` are equal.
public struct ImageFormat: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// What others call a format.
    private final class Names: Sendable {
        let mediaType: String
        let fileExtensions: [String]
        let displayName: String

        init(_ mediaType: String, _ fileExtensions: [String], _ displayName: String) {
            (self.mediaType, self.fileExtensions, self.displayName) = (mediaType, fileExtensions, displayName)
        }
    }

    /// The short name in lower case, such as `jpeg`.
    public let rawValue: String
    /// `nil` where all names follow from the short one. An object, which keeps the format small.
    private let names: Names?

    /// Creates a format whose other names follow from its short name in lower case.
    public init(rawValue: String) { (self.rawValue, names) = (rawValue, nil) }

    /// Creates a format.
    ///
    /// - Parameters:
    ///   - rawValue: the short name in lower case, which is the identity of the format.
    ///   - mediaType: the media type (RFC 6838) in lower case, such as `image/x-portable-graymap`.
    ///   - fileExtensions: the extensions of its files in lower case without a dot, the usual one first; the short name
    ///     if there is none.
    ///   - displayName: the name for people, such as `PGM`.
    public init(rawValue: String, mediaType: String, fileExtensions: [String], displayName: String) {
        self.rawValue = rawValue
        names = Names(mediaType, fileExtensions.isEmpty ? [rawValue] : fileExtensions, displayName)
    }

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

    /// The media type for `Accept` and `Content-Type`; `image/` and the short name.
    public var mediaType: String { names?.mediaType ?? "image/\(rawValue)" }

    /// The extensions of its files in lower case, the usual one first; the short name, and `jpg`, `jpeg` and `jpe` for
    /// ``jpeg``.
    public var fileExtensions: [String] { names?.fileExtensions ?? (self == .jpeg ? ["jpg", "jpeg", "jpe"] : [rawValue]) }

    /// The name for people; the short name in capitals, and `WebP` for ``webp``.
    public var displayName: String { names?.displayName ?? (self == .webp ? "WebP" : rawValue.uppercased()) }

    public var description: String { rawValue }

    public static func == (a: ImageFormat, b: ImageFormat) -> Bool { a.rawValue == b.rawValue }
    public func hash(into hasher: inout Hasher) { hasher.combine(rawValue) }
}
