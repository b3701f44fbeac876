/// A decoder that can show pictures while their bytes arrive.
///
/// A ``Decoding`` plug-in adopts it for the formats for which that is of use. `makeIncrementalDecoder` is called on one of
/// the loader's worker threads with the first bytes, once per load that wants previews. `embeddedThumbnail` is called
/// there with all bytes that have come so far, again when there are more, until it has an answer.
///
/// **Errors, must not**: as for ``Decoding``.
public protocol IncrementalDecoding: Decoding {
    /// Begins a decode of a picture that starts with `head`, or `nil` to decline. `head` is not consumed: the bytes are
    /// all appended afterwards, from the first.
    func makeIncrementalDecoder(for head: Data, options: DecodeOptions) throws -> (any IncrementalDecoder)?

    /// The small picture that is stored beside the real one, as Exif data have it, upright; `nil` when there is none, or
    /// when more bytes are needed to tell. By default there is none.
    func embeddedThumbnail(in head: Data, options: DecodeOptions) throws -> DecodedImage?
}

extension IncrementalDecoding {
    public func embeddedThumbnail(in head: Data, options: DecodeOptions) throws -> DecodedImage? { nil }
}

/// One picture that arrives in pieces. However it is cut, what ``finish()`` returns is what ``Decoding/decode(_:options:)``
/// would.
///
/// Called by one thread at a time, though not always the same. Work is done as bytes come, each of them once; only
/// previews cost in addition, each as much as the picture is large, so ask for them at intervals.
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
    /// Takes the next bytes and decodes what they allow.
    ///
    /// - Throws: ``ImageError`` where the picture cannot be shown, whatever follows; `CancellationError`. After a throw
    ///   nothing else is called.
    func append(_ chunk: Data) throws

    /// What can be shown now, marked as preview; `nil` where nothing was added since the last one.
    func preview() throws -> DecodedImage?

    /// The picture, once all bytes were appended.
    func finish() throws -> DecodedImage
}
