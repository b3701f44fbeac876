/// A decoder: turns the bytes of one or more file formats into pixels.
///
/// Every call is synchronous and made on one of the loader's own worker threads, not on Swift's cooperative pool; only
/// `format(of:)`, which peeks, may be called from any thread. Several calls run at once, so a decoder holds no state between
/// them. `format(of:)` is called for every image, newest plug-in first; `info` and `decode` only for bytes that it accepted.
///
/// **Cancelling**: look at `options.cancellation` between rows or blocks, and throw `CancellationError`.
///
/// **Errors**: throw ``ImageError`` (`corrupt`, `truncated`, `tooLarge`, `unsupportedFeature`); anything else is wrapped.
///
/// **Must not**: allocate before the header was checked against `options.limits`, trust any size in the file, or return
/// a damaged picture as whole.
///
/// ```swift
/// struct OnePixel: Decoding {
///     static let dot = ImageFormat(rawValue: "dot")
///     var formats: [ImageFormat] { [Self.dot] }
///     func format(of head: Data) -> ImageFormat? { head.starts(with: [0xD0, 0x07]) ? Self.dot : nil }
///     func info(of data: Data, limits: DecodingLimits) throws -> ImageInfo {
///         ImageInfo(format: Self.dot, size: PixelSize(width: 1, height: 1))
///     }
///     func decode(_ data: Data, options: DecodeOptions) throws -> DecodedImage {
///         let size = PixelSize(width: 1, height: 1)
///         return DecodedImage(
///             try unsafe Bitmap(size: size, format: .gray8, alpha: .opaque) { pixels, _ in unsafe pixels[0] = 7 })
///     }
/// }
/// ```
public protocol Decoding: Sendable {
    /// What it reads; listed in `Accept`.
    var formats: [ImageFormat] { get }

    /// The format of a file that begins with `head`, or `nil` to decline. Only peeks.
    ///
    /// - Parameter head: the first bytes, at least 64 unless the file is shorter, possibly all of them.
    func format(of head: Data) -> ImageFormat?

    /// What the header says. Reads no pixels.
    func info(of data: Data, limits: DecodingLimits) throws -> ImageInfo

    /// What the header says, where `head`, the beginning of a file, holds all that ``info(of:limits:)`` would look at;
    /// `nil` when more of it is needed, as it is by default. Lets the engine stop a transfer early.
    func info(ofPrefix head: Data, limits: DecodingLimits) throws -> ImageInfo?

    /// The picture: upright and in sRGB unless the options say otherwise. With a target size, it may be returned at any
    /// size from there to the full one; the smallest that is cheap is best, the registry does the rest.
    func decode(_ data: Data, options: DecodeOptions) throws -> DecodedImage

    /// What ``decode(_:options:)`` would return, made of `larger`, which it has returned for the same bytes and options
    /// but for a target size at least twice as large on both sides; `nil`, as it is by default, to decline, where the
    /// difference could be seen. Lets several sizes that are wanted at once share one decode.
    func decode(_ data: Data, from larger: DecodedImage, options: DecodeOptions) throws -> DecodedImage?
}

extension Decoding {
    public func info(ofPrefix head: Data, limits: DecodingLimits) throws -> ImageInfo? { nil }

    public func decode(_ data: Data, from larger: DecodedImage, options: DecodeOptions) throws -> DecodedImage? { nil }
}

/// What a decode should produce, and what it may take.
public struct DecodeOptions: Sendable {
    /// The box to scale down to, in pixels of the upright picture; `nil` keeps the full size.
    public var targetSize: PixelSize? = nil
    public var contentMode: ContentMode = .fit
    /// Whether stored orientation is applied.
    public var appliesOrientation = true
    /// Whether colours are converted to sRGB; otherwise an embedded profile stays with the bitmap.
    public var convertsToSRGB = true
    /// Whether 8-bit pixels are returned for deeper pictures. 16-bit formats are only returned without it.
    public var convertsTo8Bit = true
    /// How transparency is returned: `.premultiplied`, or `.straight` for pixels as stored.
    public var alpha: AlphaMode = .premultiplied
    /// Whether a file that ends early gives the part that is there, marked partial.
    public var allowsPartial = false
    /// Which frame of an animation, from 0.
    public var frame = 0
    public var limits = DecodingLimits()
    public var cancellation: CancellationToken? = nil

    public init() {}

    /// Throws `CancellationError` when the result is no longer wanted.
    public func checkCancellation() throws(CancellationError) { try cancellation?.check() }
}

/// Bounds that are checked against the header before the first allocation.
public struct DecodingLimits: Hashable, Sendable {
    /// Width × height as stored; 268,435,456 (16,384 × 16,384). Of a JPEG in one scan that is scaled down while it is decoded,
    /// width × height of the result.
    public var pixels = 1 << 28
    /// Bytes of decoded pixels, the decoder's own working memory included where it can be known; 1 GiB.
    public var decodedBytes = 1 << 30
    /// Frames of an animation; 10,000.
    public var frames = 10_000
    /// Scans of a progressive JPEG; 500.
    public var scans = 500
    /// Bytes of one piece of metadata, once decompressed; 16 MiB.
    public var metadataBytes = 1 << 24

    public init() {}

    /// For reading a header alone; a decode of the same file then applies the limit.
    package var withoutPixelLimit: DecodingLimits {
        var limits = self
        limits.pixels = .max
        return limits
    }

    /// Throws ``ImageError/Code/tooLarge`` when a picture of that size is beyond the limits.
    public func check(_ size: PixelSize, bytesPerPixel: Int = 4) throws(ImageError) {
        guard let count = size.pixelCount, count <= pixels, count <= decodedBytes / max(1, bytesPerPixel) else {
            throw ImageError(
                .tooLarge,
                message:
                    "The image of \(size) pixels is larger than the limit of \(pixels) pixels or \(decodedBytes) bytes; raise the limit to load it."
            )
        }
    }
}
