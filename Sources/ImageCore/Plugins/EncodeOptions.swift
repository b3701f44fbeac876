/// How to encode an image.
public struct EncodeOptions: Sendable {
    /// The quality of lossy formats, from 1 (smallest) to 100 (best); 85.
    public var quality = 85
    /// How much time to spend on a small file, from 0 (fast) to 9; `nil`, the default, is the usual effort of the
    /// format.
    public var effort: Int? = nil
    /// The chroma subsampling of JPEG and AVIF; `nil`, the default, is full from quality 90, else quarter.
    public var chroma: ChromaSampling? = nil
    /// Whether a JPEG is progressive; `nil`, the default, decides by ``effort``.
    public var isProgressive: Bool? = nil
    /// Whether a WebP is lossless; `nil`, the default, is lossless at quality 100.
    public var isLossless: Bool? = nil
    /// The orientation to store in the file, for pixels that are not upright; ``Orientation/up``.
    public var orientation = Orientation.up
    /// The options of plug-ins; all at their defaults.
    public var extra = ExtraOptions()
    /// Cancels the encode; `nil`, the default, for an encode that cannot be cancelled.
    public var cancellation: CancellationToken? = nil

    /// Creates the default options.
    public init() {}
}
