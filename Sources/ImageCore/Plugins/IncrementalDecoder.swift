/// Decodes an image whose bytes arrive in chunks. The result of ``finish()`` is that of ``Decoding/decode(_:options:)``, however
/// the bytes are divided.
///
/// Called by one thread at a time, but not always the same. Each byte is decoded once, as it arrives. Each preview takes
/// additional time in proportion to the size of the image, so request previews at intervals.
///
/// ```swift
/// func decode(_ body: ByteStream, by decoder: any IncrementalDecoder, show: (DecodedImage) -> Void) async throws -> DecodedImage {
///     for try await chunk in body {
///         try decoder.append(chunk)
///         if let image = try decoder.preview() { show(image) }
///     }
///     return try decoder.finish()
/// }
/// ```
public protocol IncrementalDecoder: AnyObject, Sendable {
    /// Appends a chunk and decodes as much as possible.
    ///
    /// - Throws: ``ImageError`` if the image cannot be decoded, whatever follows; `CancellationError`. After an error no other
    ///   method is called.
    func append(_ chunk: Data) throws

    /// Returns what has been decoded, marked as a preview; `nil` if nothing was added since the last preview.
    func preview() throws -> DecodedImage?

    /// Returns the image after all bytes were appended.
    func finish() throws -> DecodedImage
}
