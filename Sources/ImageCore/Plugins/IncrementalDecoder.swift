/// Makes previews of an image whose bytes arrive in chunks. The complete file is decoded by
/// ``Decoding/decode(_:options:)``.
///
/// Called by one thread at a time, but not always the same. A decoder should decode each byte once, and take additional
/// time in proportion to the size of the image for each preview; the loader asks for previews at intervals.
///
/// ```swift
/// func show(
///     _ body: ByteStream, by decoder: any IncrementalDecoder, _ show: (DecodedImage) -> Void
/// ) async throws -> Data {
///     var file = Data()
///     for try await chunk in body {
///         file.append(chunk)
///         if let image = try decoder.preview(of: file) { show(image) }
///     }
///     return file
/// }
/// ```
public protocol IncrementalDecoder: AnyObject {
    /// Returns the image so far, marked as a preview; `nil` if it would not differ from the last preview.
    ///
    /// A preview has the size of the complete image, or any size of the same proportions. Rows and parts that have not
    /// arrived are transparent, so that an opaque image may have previews with alpha, and in another pixel format.
    ///
    /// - Parameter prefix: all bytes that have arrived. They begin with those of the previous call.
    /// - Throws: ``ImageError`` if there are no more previews; `CancellationError`. After an error the method is not
    ///   called again. The decode of the complete file reports damage.
    func preview(of prefix: Data) throws -> DecodedImage?
}
