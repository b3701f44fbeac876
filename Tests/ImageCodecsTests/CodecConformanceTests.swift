import CalotypeTesting
import ImageCore
import ImageDecoding
import TestBitmaps
import ImageCodecs
import Testing

/// The built-in codecs pass the conformance checks, and codecs that break a rule fail.
@Suite struct CodecConformanceTests {
    private func files(_ format: ImageFormat) throws -> [Data] {
        try [(1, 1), (40, 24), (100, 75)].map { width, height in
            try EncoderRegistry(.codecs).encode(DecodedImage(photo(width, height)), as: format, options: EncodeOptions())
        }
    }

    @Test func theJPEGDecoderPasses() throws { try checkDecodingConformance(of: JPEGDecoder(), files: files(.jpeg)) }
    @Test func thePNGDecoderPasses() throws { try checkDecodingConformance(of: PNGDecoder(), files: files(.png)) }
    @Test func theWebPDecoderPasses() throws { try checkDecodingConformance(of: WebPDecoder(), files: files(.webp)) }
    @Test func theAVIFDecoderPasses() throws { try checkDecodingConformance(of: AVIFDecoder(), files: files(.avif)) }

    @Test func theEncodersPass() throws {
        let encoders: [any Encoding] = [JPEGEncoder(), PNGEncoder(), WebPEncoder(), AVIFEncoder()]
        for encoder in encoders { try checkEncodingConformance(of: encoder, readBy: DecoderRegistry(.codecs)) }
    }

    @Test func aDecoderThatIgnoresLimitsFails() throws {
        let error = try #require(throws: ConformanceFailure.self) {
            try checkDecodingConformance(of: Careless(ignoresLimits: true), files: files(.png))
        }
        #expect(error.message.contains("a pixel more than the limit"))
    }

    @Test func aDecoderThatIgnoresCancellationFails() throws {
        let error = try #require(throws: ConformanceFailure.self) {
            try checkDecodingConformance(of: Careless(ignoresCancellation: true), files: files(.png))
        }
        #expect(error.message.contains("cancelled before"))
    }

    @Test func aDecoderThatAcceptsEverythingFails() throws {
        let error = try #require(throws: ConformanceFailure.self) {
            try checkDecodingConformance(of: Careless(takesAnything: true), files: files(.png))
        }
        #expect(error.message.contains("accepted 0 bytes"))
    }

    @Test func anEncoderThatLosesTheOrientationFails() throws {
        struct Upright: Encoding {
            var formats: [ImageFormat] { [.png] }
            func encode(_ image: DecodedImage, as format: ImageFormat, options: EncodeOptions) throws -> Data {
                var options = options
                options.orientation = .up
                return try PNGEncoder().encode(image, as: format, options: options)
            }
        }
        let error = try #require(throws: ConformanceFailure.self) {
            try checkEncodingConformance(of: Upright(), readBy: PNGDecoder())
        }
        #expect(error.message.contains("lost its orientation"))
    }
}

/// The PNG decoder with one fault.
private struct Careless: Decoding {
    var ignoresLimits = false
    var ignoresCancellation = false
    var takesAnything = false

    var formats: [ImageFormat] { [.png] }
    func format(of prefix: Data) -> ImageFormat? { takesAnything ? .png : PNGDecoder().format(of: prefix) }
    func info(of data: Data, limits: DecodingLimits) throws -> ImageInfo { try PNGDecoder().info(of: data, limits: limits) }
    func decode(_ data: Data, options: DecodeOptions) throws -> DecodedImage {
        var options = options
        if ignoresLimits { options.limits = DecodingLimits() }
        if ignoresCancellation { options.cancellation = nil }
        return try PNGDecoder().decode(data, options: options)
    }
}
