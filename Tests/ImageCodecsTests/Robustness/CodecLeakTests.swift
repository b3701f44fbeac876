import CCalotypeHeapUsage
import ImageCore
import ImageDecoding
import TestBitmaps
import Testing

@testable import ImageCodecs

/// What a decode or an encode allocates is free afterwards. The sanitizers find leaks too, but only where they run.
@Suite(.timeLimit(.minutes(1))) struct CodecLeakTests {
    private static let rounds = 40

    /// Fails if each round leaves bytes on the heap. The first rounds fill caches.
    private func checkLeaks(_ round: () throws -> Void) rethrows {
        for _ in 0..<8 { try round() }
        let before = clt_heap_bytes()
        for _ in 0..<Self.rounds { try round() }
        let after = clt_heap_bytes()
        // Other threads of the process may have allocated something.
        #expect(after < before + 160 * Self.rounds, "\(Int(after) - Int(before)) bytes")
    }

    @Test(arguments: [
        "avif/grid.avif", "avif/sequence.avif", "gif/animated.gif", "gif/profile.gif", "jpeg/cmyk.jpg", "jpeg/metadata.jpg",
        "jpeg/progressive.jpg", "png/animated.png", "png/metadata.png", "webp/animated.webp", "webp/metadata.webp",
    ])
    func aDecodeLeavesNothingOnTheHeap(path: String) throws {
        let file = FileBoxes.seed(path)
        let decoders = DecoderRegistry(.codecs)
        try checkLeaks {
            let info = try decoders.info(of: file, limits: DecodingLimits())
            _ = try decoders.decode(file, options: DecodeOptions())
            guard info.frameCount > 1 else { return }
            _ = try decoders.animation(of: file, options: DecodeOptions()).frame(at: info.frameCount - 1)
        }
    }

    @Test(arguments: EncoderRegistry(.codecs).formats)
    func anEncodeLeavesNothingOnTheHeap(format: ImageFormat) throws {
        let (image, encoders) = (
            try DecoderRegistry(.codecs).decode(FileBoxes.seed("jpeg/metadata.jpg"), options: DecodeOptions()),
            EncoderRegistry(.codecs)
        )
        try checkLeaks { _ = try encoders.encode(image, as: format, options: EncodeOptions()) }
    }

    @Test func anEncodedAnimationLeavesNothingOnTheHeap() throws {
        let animation = try DecoderRegistry(.codecs).animation(of: FileBoxes.seed("png/animated.png"), options: DecodeOptions())
        try checkLeaks { _ = try WebPEncoder().encode(animation, as: .webp, options: EncodeOptions()) }
    }
}
