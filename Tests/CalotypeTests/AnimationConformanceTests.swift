import Calotype
import CalotypeTesting
import Foundation
import Testing

/// The decoders of animations pass the conformance check (FEATURES 9.5).
@Suite struct AnimationConformance {
    @Test func theGIFDecoderPasses() throws { try checkDecodingConformance(of: GIFDecoder(), files: [#require(flagGIF)]) }

    @Test func theWebPDecoderPasses() throws {
        let frames = try GIFDecoder().animation(of: #require(flagGIF), options: DecodeOptions())
        let file = try WebPEncoder().encode(frames, as: .webp, options: EncodeOptions())
        try checkDecodingConformance(of: WebPDecoder(), files: [#require(file)])
    }
}
