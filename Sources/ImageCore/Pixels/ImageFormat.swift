/// A file format, named openly so that plug-ins can add theirs.
public struct ImageFormat: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The short lower-case name, such as `jpeg`.
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    public static let jpeg = ImageFormat(rawValue: "jpeg")
    public static let png = ImageFormat(rawValue: "png")
    public static let webp = ImageFormat(rawValue: "webp")
    public static let avif = ImageFormat(rawValue: "avif")
    public static let gif = ImageFormat(rawValue: "gif")

    /// The media type for `Accept` and `Content-Type`, `image/` and the name.
    public var mediaType: String { "image/\(rawValue)" }

    public var description: String { rawValue }
}

/// What a file's header says of its picture. Sizes are as stored, before orientation.
public struct ImageInfo: Hashable, Sendable {
    public var format: ImageFormat
    /// Pixels as stored, before orientation.
    public var size: PixelSize
    /// Pixels of the part that is shown, before orientation, where the container shows no more (AVIF's `clap`); `nil` for all.
    public var croppedSize: PixelSize? = nil
    /// At least 1; more for an animation.
    public var frameCount: Int
    /// EXIF orientation, 1 to 8: what to do to the stored pixels to see them upright. 1 does nothing.
    public var orientation: Orientation
    public var hasAlpha: Bool
    /// Bits per channel as stored.
    public var bitDepth: Int
    public var colorModel: ColorModel
    /// The description inside the embedded ICC profile; `nil` without a profile.
    public var colorProfile: String?
    /// Progressive JPEG, interlaced PNG or GIF, layered AVIF.
    public var isProgressive: Bool

    public init(
        format: ImageFormat, size: PixelSize, frameCount: Int = 1, orientation: Orientation = .up, hasAlpha: Bool = false,
        bitDepth: Int = 8, colorModel: ColorModel = .rgb, colorProfile: String? = nil, isProgressive: Bool = false
    ) {
        self.format = format
        self.size = size
        self.frameCount = frameCount
        self.orientation = orientation
        self.hasAlpha = hasAlpha
        self.bitDepth = bitDepth
        self.colorModel = colorModel
        self.colorProfile = colorProfile
        self.isProgressive = isProgressive
    }
}

/// How a file stores colour.
public enum ColorModel: String, Hashable, Sendable {
    /// Luminance alone.
    case gray
    /// Three colours, however they are encoded (YCbCr counts as RGB).
    case rgb
    /// A palette.
    case indexed
    /// Four inks (YCCK counts as CMYK).
    case cmyk
}

/// EXIF orientation (Exif 2.32, tag 0x0112): how stored pixels are turned to stand upright.
public enum Orientation: Int, Hashable, Sendable, CaseIterable {
    /// As stored.
    case up = 1
    /// Mirrored left to right.
    case upMirrored = 2
    /// Turned by 180°.
    case down = 3
    /// Mirrored top to bottom.
    case downMirrored = 4
    /// Mirrored along the main diagonal (transposed).
    case leftMirrored = 5
    /// Turned by 90° clockwise.
    case right = 6
    /// Mirrored along the other diagonal (transversed).
    case rightMirrored = 7
    /// Turned by 90° counter-clockwise.
    case left = 8

    /// Whether standing upright exchanges width and height.
    public var swapsSides: Bool { rawValue >= 5 }

    /// The upright size of a picture stored with `size`.
    public func applied(to size: PixelSize) -> PixelSize { swapsSides ? size.transposed : size }
}
