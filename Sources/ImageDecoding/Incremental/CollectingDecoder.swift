package import ImageCore

/// Makes previews of a file whose bytes arrive in pieces.
package protocol PreviewSource: AnyObject {
    /// Returns the image so far, or `nil` if it would not differ from the last one.
    ///
    /// - Parameter file: all bytes that have arrived. They begin with those of the previous call.
    /// - Throws: an error after which there are no more previews. The decode of the complete file reports errors.
    func preview(of file: Data) throws -> DecodedImage?
}

/// Collects the bytes of a file, and decodes it at the end, so that the image is the same however the bytes arrive.
// @unchecked because the protocol allows only one thread at a time.
package final class CollectingDecoder: IncrementalDecoder, @unchecked Sendable {
    private let decoder: any Decoding
    private let options: DecodeOptions
    private var previews: (any PreviewSource)?
    private var data = Data()

    /// - Parameter previews: makes the previews of the first frame; `nil` for none.
    package init(_ decoder: any Decoding, options: DecodeOptions, previews: (any PreviewSource)? = nil) {
        (self.decoder, self.options) = (decoder, options)
        self.previews = options.frame == 0 ? previews : nil
    }

    package func append(_ chunk: Data) throws {
        try options.checkCancellation()
        data.append(chunk)
    }

    package func preview() throws -> DecodedImage? {
        do {
            return try previews?.preview(of: data)
        } catch is ImageError {
            previews = nil
            return nil
        }
    }

    package func finish() throws -> DecodedImage {
        // Frees the memory of the previews before the decode.
        previews = nil
        return try decoder.decode(data, options: options)
    }
}
