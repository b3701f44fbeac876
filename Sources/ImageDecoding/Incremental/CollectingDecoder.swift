package import ImageCore

/// For decoders that have no use for pieces: collects the bytes, shows nothing, and decodes at the end.
// @unchecked because the protocol has its calls made by one thread at a time.
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
