/// An encoder: turns pixels into the bytes of a file format.
///
/// Called synchronously on a worker thread or on a thread of the caller, several at once.
///
/// **Cancelling**: look at `options.cancellation` between rows, and throw `CancellationError`.
///
/// **Errors**: throw ``ImageError``; anything else is wrapped. A failed encode returns nothing.
///
/// **Must not**: change pixels that the format can hold.
///
/// ```swift
/// struct PortableGray: Encoding {
///     var formats: [ImageFormat] { [ImageFormat(rawValue: "pgm")] }
///     func encode(_ image: DecodedImage, as format: ImageFormat, options: EncodeOptions) throws -> Data {
///         var file = Data("P5 \(image.size.width) \(image.size.height) 255\n".utf8)
///         unsafe image.bitmap.withUnsafePixels { pixels in
///             for y in 0..<image.size.height {
///                 unsafe file.append(contentsOf: pixels[y * image.bitmap.bytesPerRow..<y * image.bitmap.bytesPerRow + image.size.width])
///             }
///         }
///         return file
///     }
/// }
/// ```
public protocol Encoding: Sendable {
    /// What it writes.
    var formats: [ImageFormat] { get }

    /// The file. `format` is one of ``formats``.
    func encode(_ image: DecodedImage, as format: ImageFormat, options: EncodeOptions) throws -> Data

    /// The file of all frames of an animation; `nil` to decline before any frame is made, which formats of one picture do,
    /// and the default. Frames are asked for in order, one at a time, so that no more than two need be held.
    ///
    /// - Throws: also what making a frame throws.
    func encode(_ animation: any ImageAnimation, as format: ImageFormat, options: EncodeOptions) throws -> Data?
}

extension Encoding {
    public func encode(_ animation: any ImageAnimation, as format: ImageFormat, options: EncodeOptions) throws -> Data? { nil }
}

/// How a picture is written.
public struct EncodeOptions: Sendable {
    /// For lossy formats, 1 (smallest) to 100 (best); 85.
    public var quality = 85
    /// How hard to try to make the file small, 0 (fast) to 9; `nil` is the format's usual.
    public var effort: Int? = nil
    /// How much detail colour keeps in JPEG and AVIF; `nil` is all of it from quality 90 up, else a quarter.
    public var chroma: ChromaSampling? = nil
    /// Whether a JPEG shows coarse to fine while it arrives; `nil` leaves that to ``effort``.
    public var isProgressive: Bool? = nil
    /// Whether WebP keeps every pixel; `nil` does so at quality 100.
    public var isLossless: Bool? = nil
    /// Written as metadata, for pixels that do not stand upright: what a viewer does to them.
    public var orientation = Orientation.up
    public var cancellation: CancellationToken? = nil

    public init() {}
}

/// How many samples of colour there are for those of lightness.
public enum ChromaSampling: String, Hashable, Sendable, CaseIterable {
    /// As many: 4:4:4.
    case full
    /// Half as many across: 4:2:2.
    case half
    /// Half as many across and down: 4:2:0.
    case quarter

    /// What is usual at a quality from 1 to 100.
    public init(quality: Int) { self = quality >= 90 ? .full : .quarter }
}
