/// A decoded picture and what is known of where it came from.
public struct DecodedImage: Sendable {
    public var bitmap: Bitmap
    /// The format that it was decoded from; `nil` when it was made in memory.
    public var format: ImageFormat?
    /// Whether the file ended early and the rest of the picture is missing (``DecodeOptions/allowsPartial``).
    public var isPartial: Bool
    /// Whether this is a preview of a picture that is still loading.
    public var isPreview: Bool

    public init(_ bitmap: Bitmap, format: ImageFormat? = nil, isPartial: Bool = false, isPreview: Bool = false) {
        self.bitmap = bitmap
        self.format = format
        self.isPartial = isPartial
        self.isPreview = isPreview
    }

    /// Pixels.
    public var size: PixelSize { bitmap.size }

    /// What it weighs in a memory cache, in bytes.
    public var cost: Int { bitmap.byteCount }

    /// The same image with other pixels: what a processor returns.
    public func with(_ bitmap: Bitmap) -> DecodedImage {
        var copy = self
        copy.bitmap = bitmap
        return copy
    }
}
