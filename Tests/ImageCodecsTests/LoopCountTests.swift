import ImageCore
import ImageDecoding
import TestBitmaps
import Testing

@testable import ImageCodecs

/// A loop count means the same in every format, and survives a conversion (FEATURES 10.6).
@Suite struct LoopCountTests {
    private func gif(_ loops: Int) -> Data {
        let frame = GIFBuilder.frame(width: 1, height: 1, [0])
        // Without the extension, a GIF is shown once.
        let repeats = loops == 0 ? 0 : loops - 1
        let parts = loops == 1 ? Data() : GIFBuilder.application("NETSCAPE2.0", [[1, UInt8(repeats), 0]])
        return GIFBuilder(screen: PixelSize(1), blocks: [parts, frame, frame]).file
    }

    private func png(_ loops: Int) -> Data {
        let size = PixelSize(width: 1, height: 1)
        func control(_ sequence: Int) -> [UInt8] { big(sequence) + big(1) + big(1) + big(0) + big(0) + [0, 1, 0, 10, 0, 0] }
        var builder = PNGBuilder(size: size, colorType: .rgb, depth: 8) { _, _ in [1, 2, 3] }
        builder.chunks = [("acTL", big(2) + big(loops)), ("fcTL", control(0))]
        return Data(builder.file.dropLast(12)) + PNGBuilder.chunk("fcTL", control(1))
            + PNGBuilder.chunk("fdAT", big(2) + PNGBuilder.stored([0, 9, 9, 9])) + PNGBuilder.chunk("IEND", [])
    }

    /// Its edit list repeats a segment, and the duration of its track says how often.
    private func avif(_ loops: Int) throws -> Data {
        var file = FileBoxes.seed("avif/sequence.avif")
        let edits = try #require(file.range(of: "moov", "trak", "edts", "elst"))
        let head = try #require(file.range(of: "moov", "trak", "tkhd"))
        file[edits.lowerBound + 3] = 1
        let segment = try #require(ByteReader(file[edits]).uint64(at: 8))
        let duration = loops == 0 ? Data(repeating: 0xFF, count: 8) : FileBoxes.big(segment * loops, 8)
        file.replaceSubrange((head.lowerBound + 28)..<(head.lowerBound + 36), with: duration)
        return file
    }

    private func webp(_ loops: Int) throws -> Data {
        final class Frames: ImageAnimation {
            let image: DecodedImage, loopCount: Int
            let durations = [Duration.milliseconds(100), .milliseconds(100)]
            init(_ image: DecodedImage, _ loopCount: Int) { (self.image, self.loopCount) = (image, loopCount) }
            func frame(at index: Int) -> DecodedImage { image }
        }
        let image = DecodedImage(try bitmap(2, 2, alpha: .opaque) { _, _ in [1, 2, 3, 255] })
        return try #require(try WebPEncoder().encode(Frames(image, loops), as: .webp, options: EncodeOptions()))
    }

    @Test(arguments: [ImageFormat.gif, .png, .avif, .webp], [0, 1, 3])
    func aLoopCountSurvivesEveryConversion(format: ImageFormat, loops: Int) throws {
        let file = try [ImageFormat.gif: gif(loops), .png: png(loops), .avif: avif(loops), .webp: webp(loops)][format]
        let (decoders, encoders) = (DecoderRegistry(.codecs), EncoderRegistry(.codecs))
        let animation = try decoders.animation(of: #require(file), options: DecodeOptions())
        #expect(animation.loopCount == loops)
        #expect(try decoders.info(of: #require(file), limits: DecodingLimits()).loopCount == loops)
        var written: [ImageFormat] = []
        for other in encoders.formats {
            guard let made = try encoders.encode(animation, as: other, options: EncodeOptions()) else { continue }
            #expect(try decoders.animation(of: made, options: DecodeOptions()).loopCount == loops)
            #expect(try decoders.info(of: made, limits: DecodingLimits()).loopCount == loops)
            written.append(other)
        }
        #expect(written == [.webp])
    }

    @Test func aStillImageIsShownOnce() throws {
        let frame = GIFBuilder.frame(width: 1, height: 1, [0])
        let file = GIFBuilder(
            screen: PixelSize(1), blocks: [GIFBuilder.application("NETSCAPE2.0", [[1, 0, 0]]), frame]
        ).file
        #expect(try DecoderRegistry(.codecs).info(of: file, limits: DecodingLimits()).loopCount == 1)
        #expect(try DecoderRegistry(.codecs).animation(of: file, options: DecodeOptions()).loopCount == 1)
    }
}
