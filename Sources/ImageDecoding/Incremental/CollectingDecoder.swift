package import ImageCore

/// Collects the bytes for a decoder that is not incremental, and decodes at the end. Has no previews.
// @unchecked because the protocol allows only one thread at a time.
package final class CollectingDecoder: IncrementalDecoder, @unchecked Sendable {
    private let decoder: any Decoding
    private let options: DecodeOptions
    private var data = Data()

    package init(_ decoder: any Decoding, options: DecodeOptions) {
        self.decoder = decoder
        self.options = options
    }

    package func append(_ chunk: Data) throws {
        try options.checkCancellation()
        data.append(chunk)
    }

    package func preview() throws -> DecodedImage? { nil }

    package func finish() throws -> DecodedImage { try decoder.decode(data, options: options) }
}
