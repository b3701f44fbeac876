/// What the header of an image file states.
public struct ImageInfo: Hashable, Sendable, CustomStringConvertible {
    /// The format of the file.
    public var format: ImageFormat
    /// The size in pixels as stored, before the orientation is applied.
    public var size: PixelSize
    /// The size in pixels of the visible part, before the orientation is applied, if the container crops the image
    /// (AVIF's `clap`); `nil` otherwise.
    public var croppedSize: PixelSize? = nil
    /// The number of frames, at least 1; an animation has more.
    public var frameCount: Int
    /// How often an animation is shown in all; 0 for ever, 1 for a still image.
    public var loopCount = 1
    /// The orientation of the stored pixels.
    public var orientation: Orientation
    /// Whether the image has an alpha channel.
    public var hasAlpha: Bool
    /// The bits per channel as stored.
    public var bitDepth: Int
    /// How the file stores colour.
    public var colorModel: ColorModel
    /// The description in the ICC profile that the file contains; `nil` without a profile.
    public var colorProfile: String?
    /// Whether the image can be shown coarsely before all bytes have arrived: progressive JPEG, interlaced PNG or GIF,
    /// layered AVIF.
    public var isProgressive: Bool

    /// Creates the information about a file, by default of a still, opaque, upright 8-bit RGB image.
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
        (self.colorModel, self.colorProfile, self.isProgressive) = (colorModel, colorProfile, isProgressive)
    }

    /// Size, format and colour, and everything that is not usual, such as
    /// `64x48 jpeg, 8-bit rgb, alpha, 12 frames, orientation right, progressive, profile “Display P3”`.
    public var description: String {
        var parts = ["\(size) \(format)", "\(bitDepth)-bit \(colorModel.rawValue)"]
        if hasAlpha { parts.append("alpha") }
        if let croppedSize { parts.append("cropped to \(croppedSize)") }
        if frameCount > 1 { parts.append("\(frameCount) frames") }
        if frameCount > 1, loopCount != 1 { parts.append(loopCount == 0 ? "endless" : "\(loopCount) loops") }
        if orientation != .up { parts.append("orientation \(orientation)") }
        if isProgressive { parts.append("progressive") }
        if let colorProfile { parts.append("profile “\(colorProfile)”") }
        return parts.joined(separator: ", ")
    }
}
