/// An encoder: turns pixels into the bytes of a file format.
///
/// Encoders are called synchronously on a worker thread or on a thread of the caller. Calls may run at the same time.
///
/// **Cancelling**: check `options.cancellation` between rows, and throw `CancellationError`.
///
/// **Errors**: throw ``ImageError``; other errors are wrapped.
///
/// **Must not**: change pixels that the format can represent.
///
/// ```swift
/// struct PortableGray: Encoding {
///     var formats: [ImageFormat] { [ImageFormat(rawValue: "pgm")] }
///     func encode(_ image: DecodedImage, as format: ImageFormat, options: EncodeOptions) throws -> Data {
///         var file = Data("P5 \(image.size.width) \(image.size.height) 255\n".utf8)
///         unsafe image.bitmap.withUnsafePixels { pixels in
///             for y in 0..<image.size.height {
///                 let row = y * image.bitmap.bytesPerRow
///                 unsafe file.append(contentsOf: pixels[row..<row + image.size.width])
///             }
///         }
///         return file
///     }
/// }
/// ```
public protocol Encoding: Sendable {
    /// The formats that the encoder writes.
    var formats: [ImageFormat] { get }

    /// Encodes an image.
    ///
    /// - Parameters:
    ///   - image: the image.
    ///   - format: one of ``formats``.
    ///   - options: how to encode the image.
    /// - Returns: the file.
    func encode(_ image: DecodedImage, as format: ImageFormat, options: EncodeOptions) throws -> Data

    /// Encodes all frames of an animation. Requests one frame at a time, in order, so that at most two frames are in
    /// memory.
    ///
    /// - Returns: the file; `nil`, the default, if the format has no animations. Then no frame is requested.
    /// - Throws: also what a frame of the animation throws.
    func encode(_ animation: any ImageAnimation, as format: ImageFormat, options: EncodeOptions) throws -> Data?
}

extension Encoding {
    public func encode(_ animation: any ImageAnimation, as format: ImageFormat, options: EncodeOptions) throws -> Data? { nil }
}
