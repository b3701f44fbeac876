import ImageCore
import ImageDecoding
import ProjectFiles
import TestBitmaps
import ImageCodecs
import Testing

/// Limits that cannot be checked against the header: frames, and the decompressed size of metadata.
@Suite struct LimitTests {
    @Test(arguments: ["png/animated.png", "webp/animated.webp", "avif/sequence.avif", "gif/animated.gif"])
    func moreFramesThanTheLimitAreRefused(path: String) throws {
        let file = try Data(contentsOf: ProjectFiles.fuzzSeeds.appending(path: path))
        var options = DecodeOptions()
        options.limits.frames = 3
        #expect(try DecoderRegistry(.codecs).animation(of: file, options: options).frameCount == 3)
        options.limits.frames = 2
        #expect(throws: ImageError.self) { try DecoderRegistry(.codecs).animation(of: file, options: options) }
        options.limits.frames = 3
        options.limits.imageBytes = 20 * 13 * 4
        #expect(throws: ImageError.self) {
            let animation = try DecoderRegistry(.codecs).animation(of: file, options: options)
            _ = try animation.frame(at: 1)
        }
    }

    /// A megabyte of zeros, compressed by zlib to a kilobyte.
    private func bomb(_ name: String, prefix: [UInt8]) throws -> Data {
        // The data of a long grey row is a zlib stream of zeros.
        let source = try unsafe Bitmap(size: PixelSize(width: 60_000, height: 400), format: .gray8, alpha: .opaque) { _, _ in }
        let file = try PNGEncoder().encode(DecodedImage(source), as: .png, options: EncodeOptions())
        var stream: [UInt8] = []
        var offset = 8
        let bytes = Array(file)
        while offset + 8 <= bytes.count {
            let count = bytes[offset..<(offset + 4)].reduce(0) { $0 << 8 | Int($1) }
            if Array(bytes[(offset + 4)..<(offset + 8)]) == Array("IDAT".utf8) {
                stream += bytes[(offset + 8)..<(offset + 8 + count)]
            }
            offset += 12 + count
        }
        #expect(stream.count < 200_000)
        var builder = PNGBuilder(size: PixelSize(width: 3, height: 3), colorType: .rgb, depth: 8) { x, y in [x, y, 9] }
        builder.chunks = [(name, prefix + stream)]
        return builder.file
    }

    /// The bytes before the stream: a keyword, and the other fields of the chunk.
    static let compressed: [(name: String, prefix: [UInt8])] = [
        ("iCCP", [0x70, 0, 0]), ("zTXt", [0x74, 0, 0]), ("iTXt", [0x74, 0, 1, 0, 0, 0]),
    ]

    @Test(arguments: compressed)
    func metadataThatDecompressesBeyondTheLimitIsSkipped(name: String, prefix: [UInt8]) throws {
        let file = try bomb(name, prefix: prefix)
        let options = DecodeOptions.with { $0.limits.metadataBytes = 100_000 }
        let image = try PNGDecoder().decode(file, options: options)
        #expect(image.bitmap[2, 1] == [2, 1, 9, 255])
        let preview = try #require(PNGDecoder().previews(of: file, piece: 1000, options: options).last)
        #expect(preview.bitmap.isSame(as: image.bitmap))
    }

    @Test
    func aProfileInPiecesBeyondTheLimitIsIgnored() throws {
        let source = try bitmap(8, 8, colorSpace: .icc(ColorTests.p3)) { x, _ in [UInt8(x * 20), 9, 9, 255] }
        let file = try JPEGEncoder().encode(DecodedImage(source), as: .jpeg, options: EncodeOptions())
        let small = DecodeOptions.with { ($0.convertsToSRGB, $0.limits.metadataBytes) = (false, ColorTests.p3.count - 1) }
        #expect(try JPEGDecoder().decode(file, options: small).bitmap.colorSpace == .sRGB)
        let enough = DecodeOptions.with { ($0.convertsToSRGB, $0.limits.metadataBytes) = (false, ColorTests.p3.count) }
        #expect(try JPEGDecoder().decode(file, options: enough).bitmap.colorSpace == .icc(ColorTests.p3))
    }

    @Test
    func aFrameThatFillsTheScreenIsTheSameStillAndAnimated() throws {
        for name in ["still.gif", "interlaced.gif", "animated.gif"] {
            let file = try Data(contentsOf: ProjectFiles.fuzzSeeds.appending(path: "gif/" + name))
            for target in [nil, PixelSize(width: 7, height: 7)] {
                let options = DecodeOptions.with { $0.targetSize = target }
                let composed = try DecoderRegistry(.codecs).animation(of: file, options: options).frame(at: 0).bitmap
                let streamed = try GIFDecoder().decode(file, options: options).bitmap
                #expect(streamed.difference(to: composed).largest <= 1, "\(name)")
            }
        }
    }
}
