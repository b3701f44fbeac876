/// A decoded image: its pixels, and what is known about its source. Two images are equal if they share their pixels.
public struct DecodedImage: Sendable, Equatable, CustomStringConvertible {
    /// The pixels.
    public var bitmap: Bitmap
    /// The format of the file; `nil` if the image was made in memory.
    public var format: ImageFormat?
    /// Whether the file was truncated or damaged and pixels are missing (``DecodeOptions/allowsPartial``).
    public var isPartial: Bool
    /// Whether this is a preview of an image that is still loading.
    public var isPreview: Bool
    /// The animation of which this image is the first frame; `nil` for a still image. Loads set it; see
    /// ``LoadOptions/animates``.
    public var animation: AnimatedImage?
    private var sharedDetails: SharedDetails?

    /// What few readers ask for. All copies of the image share it, so that a hit in memory copies little.
    package struct Details: Sendable {
        /// Until when a memory cache may serve the image without asking its server, in seconds since 1970; `nil` if
        /// that is not known (``LoadOptions/memoryFollowsFreshness``).
        package var freshUntil: Double?
        /// When a load decoded the image, in seconds since 1970; `nil` if that is not known
        /// (``LoadOptions/memoryLifetime``).
        package var decodedAt: Double?
        /// The response that a load made the image from; `nil` if there was none.
        package var original: OriginalResponse?
        fileprivate var values = ImageValues()

        package init() {}
    }

    private final class SharedDetails: Sendable {
        let details: Details

        init(_ details: Details) { self.details = details }
    }

    /// Creates an image, by default complete and without a format.
    public init(_ bitmap: Bitmap, format: ImageFormat? = nil, isPartial: Bool = false, isPreview: Bool = false) {
        (self.bitmap, self.format, self.isPartial, self.isPreview) = (bitmap, format, isPartial, isPreview)
    }

    /// What a load and the plug-ins know of the image.
    package var details: Details {
        get { sharedDetails?.details ?? Details() }
        set { sharedDetails = SharedDetails(newValue) }
    }

    /// Takes over what the load knows of the image that this one was made from.
    package mutating func takeOrigin(of before: DecodedImage) {
        var details = before.details
        details.values = values
        self.details = details
    }

    /// What the decoder and the processors attached to the image; none by default.
    public var values: ImageValues {
        get { sharedDetails?.details.values ?? ImageValues() }
        set { details.values = newValue }
    }

    public static func == (a: DecodedImage, b: DecodedImage) -> Bool {
        a.bitmap == b.bitmap && a.format == b.format && a.isPartial == b.isPartial && a.isPreview == b.isPreview
            && a.animation == b.animation && a.details.freshUntil == b.details.freshUntil
    }

    /// The size in pixels.
    public var size: PixelSize { bitmap.size }

    /// The size in bytes, as a memory cache counts it: the pixels, and the file of an animation.
    public var cost: Int { bitmap.byteCount + (animation?.frames.byteCount ?? 0) }

    /// The bitmap, the format, and whether the image is animated, partial or a preview, such as
    /// `64x48 rgba8 (jpeg, preview)`.
    public var description: String {
        var notes: [String] = []
        if let format { notes.append(format.rawValue) }
        if let animation { notes.append("\(animation.frameCount) frames") }
        if isPartial { notes.append("partial") }
        if isPreview { notes.append("preview") }
        return notes.isEmpty ? "\(bitmap)" : "\(bitmap) (\(notes.joined(separator: ", ")))"
    }

    /// Returns the image with other pixels, as a processor does.
    public func with(_ bitmap: Bitmap) -> DecodedImage {
        var copy = self
        copy.bitmap = bitmap
        return copy
    }
}
