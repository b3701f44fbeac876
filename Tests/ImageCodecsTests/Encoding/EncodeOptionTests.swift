import ImageCore
import ImageDecoding
import TestBitmaps
import ImageCodecs
import Testing

@Suite struct EncodeOptionTests {
    private func encode(_ format: ImageFormat, _ change: (inout EncodeOptions) -> Void) throws -> Data {
        var options = EncodeOptions()
        change(&options)
        return try EncoderRegistry(.codecs).encode(DecodedImage(try photo(64, 40)), as: format, options: options)
    }

    @Test(arguments: Orientation.allCases)
    func orientationIsWrittenForViewersToApply(orientation: Orientation) throws {
        for format in [ImageFormat.jpeg, .png, .webp, .avif] {
            let file = try encode(format) { ($0.orientation, $0.effort) = (orientation, 0) }
            let info = try DecoderRegistry(.codecs).info(of: file, limits: DecodingLimits())
            #expect(info.orientation == orientation, "\(format)")
            #expect(info.size == PixelSize(width: 64, height: 40))
            let shown = try DecoderRegistry(.codecs).decode(file, options: DecodeOptions())
            #expect(shown.size == orientation.applied(to: info.size), "\(format)")
        }
    }

    /// Horizontal and vertical factors of the first component, from SOF (T.81, B.2.2).
    private func sampling(of file: Data) -> UInt8? {
        let bytes = Array(file)
        let start = (2..<(bytes.count - 1)).first { bytes[$0] == 0xFF && [0xC0, 0xC2].contains(bytes[$0 + 1]) }
        return start.map { bytes[$0 + 11] }
    }

    @Test
    func chromaSamplingFollowsTheOption() throws {
        for (chroma, factors) in [(ChromaSampling.full, UInt8(0x11)), (.half, 0x21), (.quarter, 0x22)] {
            for quality in [50, 95] {
                #expect(sampling(of: try encode(.jpeg) { ($0.chroma, $0.quality) = (chroma, quality) }) == factors)
            }
            #expect(
                try DecoderRegistry(.codecs).decode(encode(.avif) { $0.chroma = chroma }, options: DecodeOptions()).size.width
                    == 64)
        }
        #expect(sampling(of: try encode(.jpeg) { $0.quality = 90 }) == 0x11)
        #expect(sampling(of: try encode(.jpeg) { $0.quality = 89 }) == 0x22)
        let sizes = try [ChromaSampling.full, .half, .quarter].map { chroma in try encode(.avif) { $0.chroma = chroma }.count }
        #expect(sizes[0] > sizes[2])
    }

    @Test
    func progressiveAndLosslessFollowTheOptions() throws {
        func isProgressive(_ change: (inout EncodeOptions) -> Void) throws -> Bool {
            try JPEGDecoder().info(of: encode(.jpeg, change), limits: DecodingLimits()).isProgressive
        }
        #expect(try isProgressive { $0.isProgressive = true })
        #expect(try isProgressive { $0.effort = 9 })
        #expect(try !isProgressive { ($0.effort, $0.isProgressive) = (9, false) })
        let source = try photo(64, 40)
        let kept = try DecoderRegistry(.codecs).decode(encode(.webp) { $0.isLossless = true }, options: DecodeOptions()).bitmap
        #expect(kept.all == source.all)
        let lost = try DecoderRegistry(.codecs).decode(
            encode(.webp) { ($0.isLossless, $0.quality) = (false, 100) }, options: DecodeOptions())
        #expect(lost.bitmap.all != source.all)
    }

    @Test
    func effortMakesFilesSmaller() throws {
        for format in [ImageFormat.png, .webp] {
            let (fast, slow) = (try encode(format) { $0.effort = 0 }.count, try encode(format) { $0.effort = 9 }.count)
            #expect(slow < fast, "\(format)")
        }
    }

    @Test(arguments: [ImageFormat.jpeg, .png, .webp, .avif])
    func aKeptProfileIsEmbedded(format: ImageFormat) throws {
        let source = try bitmap(24, 16, colorSpace: .icc(ColorTests.p3)) { x, y in [UInt8(x * 9), UInt8(y * 9), 90, 255] }
        let file = try EncoderRegistry(.codecs).encode(DecodedImage(source), as: format, options: EncodeOptions())
        let back = try DecoderRegistry(.codecs).decode(file, options: .with { $0.convertsToSRGB = false })
        #expect(back.bitmap.colorSpace == .icc(ColorTests.p3))
    }
}
