import ImageCore
import ImageDecoding
import TestBitmaps
import Testing

@testable import ImageCodecs

@Suite struct HDRTests {
    /// A PNG of one 16-bit colour with code points.
    private func file(_ primaries: Int, _ transfer: Int, _ codes: [Int]) -> Data {
        var builder = PNGBuilder(size: PixelSize(width: 2, height: 2), colorType: .rgb, depth: 16) { _, _ in codes }
        builder.chunks = [("cICP", [UInt8(primaries), UInt8(transfer), 0, 1])]
        return builder.file
    }

    @Test
    func toneMappingAgreesWithAnotherProgram() throws {
        let lines = DecodingVectors.lines("hdr")
        #expect(lines.count == 40)
        for fields in lines {
            let (codes, expected) = (DecodingVectors.numbers(fields[2]), DecodingVectors.numbers(fields[3]))
            let file = file(Int(fields[0]) ?? 0, Int(fields[1]) ?? 0, codes)
            let pixel = try DecoderRegistry(.codecs).decode(file, options: DecodeOptions()).bitmap[1, 1]
            #expect(zip(pixel, expected).allSatisfy { abs($0 - $1) <= 2 }, "\(fields): \(pixel)")
            #expect(pixel[3] == 255)
        }
    }

    @Test
    func brighterCodesAreNeverDarker() throws {
        for transfer in [16, 18] {
            let builder = PNGBuilder(size: PixelSize(width: 256, height: 1), colorType: .gray, depth: 16) { x, _ in [x * 257] }
            var gray = builder
            gray.chunks = [("cICP", [9, UInt8(transfer), 0, 1])]
            let bitmap = try DecoderRegistry(.codecs).decode(gray.file, options: DecodeOptions()).bitmap
            #expect(bitmap.format == .gray8)
            let values = bitmap.all.map { $0[0] }
            #expect(values == values.sorted())
            #expect(values.first == 0)
            #expect(values.last == 255)
            #expect(Set(values).count > 120)
        }
    }

    @Test
    func lightBeyondThePeakKeepsItsHue() throws {
        // Given: colours of one hue with the primaries of BT.709, in PQ. The brightest channel has 1,000 cd/m² and
        // more.
        func code(_ light: Double) -> Int {
            let p = power(light / 10_000, 2610.0 / 16384)
            return Int((power((3424.0 / 4096 + 2413.0 / 128 * p) / (1 + 2392.0 / 128 * p), 2523.0 / 32) * 65535).rounded())
        }
        let lights = [1000.0, 1500, 4000, 10_000].map { [$0, $0 * 0.5, $0 * 0.1] }
        let shown = try lights.map {
            try DecoderRegistry(.codecs).decode(file(1, 16, $0.map(code)), options: DecodeOptions()).bitmap[0, 0]
        }
        for color in shown {
            #expect(zip(color, shown[0]).allSatisfy { abs($0 - $1) <= 1 }, "\(shown)")
        }
        #expect(shown[0][0] >= 254)
        #expect(abs(shown[0][1] - 188) <= 2)
    }

    @Test
    func unspecifiedPrimariesAreThoseOfSRGB() throws {
        let codes = [40000, 30000, 20000]
        func shown(_ primaries: Int, _ transfer: Int) throws -> [Int] {
            try DecoderRegistry(.codecs).decode(file(primaries, transfer, codes), options: DecodeOptions()).bitmap[0, 0]
        }
        #expect(try shown(2, 16) == shown(1, 16))
        // Without code points, colours are unchanged.
        #expect(try shown(2, 2) == codes.map { Int((Double($0) / 257).rounded()) } + [255])
    }

    @Test
    func keptColorsHaveAProfile() throws {
        let file = file(9, 16, [40000, 30000, 20000])
        let image = try DecoderRegistry(.codecs).decode(
            file, options: .with { ($0.convertsToSRGB, $0.convertsTo8Bit) = (false, false) })
        #expect(image.bitmap[0, 0] == [40000, 30000, 20000, 65535])
        if case .icc(let icc) = image.bitmap.colorSpace {
            #expect(ColorProfile(embedded: icc) == .icc(icc))
        } else {
            Issue.record("no profile")
        }
    }

    @Test
    func previewsAreMappedAlike() throws {
        let file = file(9, 18, [50000, 20000, 48000])
        let whole = try DecoderRegistry(.codecs).decode(file, options: DecodeOptions()).bitmap
        let last = try #require(PNGDecoder().previews(of: file, piece: 1).last)
        #expect(last.bitmap.isSame(as: whole))
    }

    @Test(
        .enabled(if: Corpus.root != nil, "no corpus at CALOTYPE_CORPUS or ../shared/corpus"),
        arguments: ["gen-pq-12bit-444", "gen-hlg-10bit", "lavif-seine_hdr_rec2020", "lavif-colors_hdr_p3"])
    func photographsKeepColorAndBrightness(name: String) throws {
        let file = try Corpus(root: Corpus.root ?? "").data("avif/hdr/\(name).avif")
        let shown = try DecoderRegistry(.codecs).decode(file, options: DecodeOptions()).bitmap
        #expect(shown.format == .rgba8)
        let values = shown.all.flatMap { $0.prefix(3) }
        #expect(values.reduce(0, +) / values.count > 50)
        // The range is from nearly black to nearly white.
        #expect((values.min() ?? 0) < 40)
        #expect((values.max() ?? 0) > 220)
        let kept = try DecoderRegistry(.codecs).decode(
            file, options: .with { ($0.convertsToSRGB, $0.convertsTo8Bit) = (false, false) })
        #expect(kept.bitmap.format == .rgba16)
        #expect(kept.bitmap.colorSpace != .sRGB)
    }
}
