/// A decoder: turns the bytes of one or more file formats into pixels.
///
/// The loader calls a decoder synchronously on its worker threads, never on Swift's cooperative pool; only
/// ``format(of:)`` may be called on any thread. Calls may run at the same time, so a decoder has no state between them.
/// ``format(of:)`` is called for every image, the newest plug-in first, and the other methods only for bytes that it
/// accepted.
///
/// **Cancelling**: check `options.cancellation` between rows or blocks, and throw `CancellationError`.
///
/// **Errors**: throw ``ImageError`` (`corrupt`, `truncated`, `tooLarge`, `unsupportedFeature`). Other errors are
/// wrapped.
///
/// **Must not**: allocate before it has checked the header against `options.limits`, trust a size in the file, or
/// return a damaged image as complete.
///
/// ```swift
/// struct OnePixel: Decoding {
///     static let dot = ImageFormat(rawValue: "dot")
///     var formats: [ImageFormat] { [Self.dot] }
///     func format(of prefix: Data) -> ImageFormat? { prefix.starts(with: [0xD0, 0x07]) ? Self.dot : nil }
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
    /// The formats that the decoder reads. They are listed in the `Accept` field of requests.
    var formats: [ImageFormat] { get }

    /// Returns the format of a file; `nil` to decline the file.
    ///
    /// - Parameter prefix: the first bytes of the file: at least 64 unless the file is shorter, at most all of them.
    func format(of prefix: Data) -> ImageFormat?

    /// Returns what the header of a file states. Reads no pixels.
    func info(of data: Data, limits: DecodingLimits) throws -> ImageInfo

    /// Returns the result of ``info(of:limits:)`` if the first bytes of a file contain everything that it reads, so
    /// that the engine can stop the transfer early.
    ///
    /// - Returns: `nil`, the default, if more bytes are needed.
    func info(ofPrefix prefix: Data, limits: DecodingLimits) throws -> ImageInfo?

    /// Decodes a file. The image is upright and in sRGB unless the options say otherwise.
    ///
    /// With a target size, the image may have any size from the target size to the full size, and shows all of the full
    /// image. Return the smallest one that takes little work; the loader then resamples it, and crops it for
    /// ``ImageContentMode/fill``. A decoder may also return the result itself, in exactly the size that it has
    /// (``ResizeGeometry``), cropped in the middle.
    func decode(_ data: Data, options: DecodeOptions) throws -> DecodedImage
}

extension Decoding {
    public func info(ofPrefix prefix: Data, limits: DecodingLimits) throws -> ImageInfo? { nil }
}
