import CalotypeTesting
import ImageCore
import Testing
import __Module__

@Suite(.timeLimit(.minutes(1))) struct __Type__Tests {
    @Test func itKeepsTheContractOfEncoders() throws {
        // `opaque` lists formats without alpha, `lossy` those that change colours a little.
        try checkEncodingConformance(of: __Type__(), readBy: Reader(), lossy: [], opaque: [])
    }
}

/// Reads what the encoder writes. Use the decoder of the format instead, if there is one.
private struct Reader: Decoding {
    var formats: [ImageFormat] { [__Type__.format] }

    func format(of prefix: Data) -> ImageFormat? { __Type__.format }

    func info(of data: Data, limits: DecodingLimits) throws -> ImageInfo {
        throw ImageError(.plugInFailed, message: "The reader in the tests reads no header yet: write info(of:limits:).")
    }

    func decode(_ data: Data, options: DecodeOptions) throws -> DecodedImage {
        throw ImageError(.plugInFailed, message: "The reader in the tests reads nothing yet: write decode(_:options:) next.")
    }
}
