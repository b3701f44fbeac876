/// An encoder: turns pixels into the bytes of a file format.
///
/// Encoders are called synchronously on a worker thread or on a thread of the caller. Calls may run at the same time.
///
/// **Cancelling**: check `options.cancellation` between rows, and throw `CancellationError`.
///
/// **Errors**: throw ``ImageError``; other errors are wrapped as `plugInFailed`.
///
/// **What a format cannot store**: an encoder draws an image with alpha over white, rounds bits beyond the depth of the
/// format, and turns the pixels upright where the file has no place for `options.orientation`. Colours in a profile
/// that the file cannot hold it converts, or it throws `unsupportedFeature`, as for a size beyond the format.
///
/// **Must not**: change pixels that the format can represent, or read the padding of rows: a row begins each
/// `bytesPerRow`. Bitmaps have any ``PixelFormat`` and ``AlphaMode``; those with premultiplied alpha are to be
/// unpremultiplied for a format that stores straight alpha.
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
