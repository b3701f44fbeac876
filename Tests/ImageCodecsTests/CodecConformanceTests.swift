import CalotypeTesting
import ImageCore
import ImageDecoding
import TestBitmaps
import ImageCodecs
import Testing

/// The built-in codecs pass the conformance checks.
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
}
