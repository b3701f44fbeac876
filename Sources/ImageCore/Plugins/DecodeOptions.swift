/// How to decode an image, and within which limits.
public struct DecodeOptions: Sendable {
    /// The box to scale down to, in pixels of the upright image; `nil` keeps the full size.
    public var targetSize: PixelSize? = nil
    /// How the image fills ``targetSize``; ``ImageContentMode/fit``.
    public var contentMode: ImageContentMode = .fit
    /// Whether the stored orientation is applied; `true`.
    public var appliesOrientation = true
    /// Whether colours are converted to sRGB; `true`. Otherwise the bitmap keeps the colour profile of the file.
    public var convertsToSRGB = true
    /// Whether images with more than 8 bits per channel are reduced to 8 bits; `true`. Otherwise they have a 16-bit
    /// format.
    public var convertsTo8Bit = true
    /// The alpha mode of images with transparency: `.premultiplied`, the default, or `.straight` for the pixels as
    /// stored.
    public var alpha: AlphaMode = .premultiplied
    /// Whether a truncated file results in a partial image instead of an error; `false`.
    public var allowsPartial = false
    /// The frame of an animation, from 0; 0.
    public var frame = 0
    /// The options of plug-ins; all at their defaults.
    public var extra = ExtraOptions()
    /// The limits that the file must not exceed.
    public var limits = DecodingLimits()
    /// Cancels the decode; `nil`, the default, for a decode that cannot be cancelled.
    public var cancellation: CancellationToken? = nil

    /// Creates the default options.
    public init() {}

    /// Throws `CancellationError` if the decode was cancelled.
    public func checkCancellation() throws(CancellationError) { try cancellation?.check() }
}
