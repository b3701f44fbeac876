/// A decoder that can show an image while its bytes arrive.
///
/// A ``Decoding`` plug-in may conform to this protocol. ``makeIncrementalDecoder(for:options:)`` is called on a worker
/// thread with the first bytes, once per load with previews. ``embeddedThumbnail(in:options:)`` is called there with
/// all bytes that have arrived, and again when more have arrived, until it returns an image.
///
/// **Errors, must not**: as for ``Decoding``.
public protocol IncrementalDecoding: Decoding {
    /// Begins previews of a file.
    ///
    /// - Parameters:
    ///   - prefix: the first bytes of the file.
    ///   - options: how to decode the image.
    /// - Returns: `nil` if the file has no previews.
    func makeIncrementalDecoder(for prefix: Data, options: DecodeOptions) throws -> (any IncrementalDecoder)?

    /// Returns the thumbnail that the file contains, for example in its Exif data, upright.
    ///
    /// - Parameters:
    ///   - prefix: the first bytes of the file.
    ///   - options: how to decode the thumbnail.
    /// - Returns: `nil`, the default, if there is no thumbnail or more bytes are needed.
    func embeddedThumbnail(in prefix: Data, options: DecodeOptions) throws -> DecodedImage?
}

extension IncrementalDecoding {
    public func embeddedThumbnail(in prefix: Data, options: DecodeOptions) throws -> DecodedImage? { nil }
}
