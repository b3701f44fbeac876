import ImageCore
import ImageDecoding
import TestBitmaps
import Testing

@testable import ImageCodecs

@Suite struct ColorTests {
    /// Display P3: sRGB's curve and white, with wider red and green.
    static var p3: Data { Data(bytesOfP3) }

    /// An array, because the leak checker cannot follow the pointer in `Data`. It is kept, because a profile contains
    /// its time of creation.
    private static let bytesOfP3 = Array(ColorProfile(primaries: 12, transfer: 13)?.icc ?? Data())

    /// Returns a colour of Display P3 in sRGB, clipped to the gamut.
    private func fromP3(_ color: [Int]) -> [Int] {
        let linear = color.prefix(3).map { value -> Double in
            let x = Double(value) / 255
            return x <= 0.04045 ? x / 12.92 : power((x + 0.055) / 1.055, 2.4)
        }
        return DisplayP3.toSRGB.map { row in
            let x = min(1, max(0, zip(row, linear).reduce(0) { $0 + $1.0 * $1.1 }))
            return Int(((x <= 0.0031308 ? 12.92 * x : 1.055 * power(x, 1 / 2.4) - 0.055) * 255).rounded())
        } + [255]
    }

    @Test(arguments: [ImageFormat.png, .jpeg, .webp, .avif])
    func anEmbeddedProfileIsConvertedOrKept(format: ImageFormat) throws {
        // Given: an image of one colour of Display P3.
        let source = try bitmap(16, 16, colorSpace: .icc(Self.p3)) { _, _ in [120, 180, 60, 255] }
        var options = EncodeOptions()
        options.quality = 100
        let file = try EncoderRegistry(.codecs).encode(DecodedImage(source), as: format, options: options)
        // Then: it is converted by default, and kept with its profile if the options say so.
        let converted = try DecoderRegistry(.codecs).decode(file, options: DecodeOptions()).bitmap
        #expect(converted.colorSpace == .sRGB)
        #expect(zip(converted[8, 8], fromP3([120, 180, 60])).allSatisfy { abs($0 - $1) <= 2 }, "\(converted[8, 8])")
        let kept = try DecoderRegistry(.codecs).decode(file, options: .with { $0.convertsToSRGB = false }).bitmap
        #expect(kept.colorSpace == .icc(Self.p3))
        #expect(zip(kept[8, 8], [120, 180, 60, 255]).allSatisfy { abs($0 - $1) <= 2 })
        #expect(try DecoderRegistry(.codecs).info(of: file, limits: DecodingLimits()).colorProfile != nil)
    }

    @Test
    func sixteenBitColorIsConvertedBeforeItIsRounded() throws {
        let size = PixelSize(width: 4, height: 4)
        let source = try unsafe Bitmap(size: size, format: .rgba16, alpha: .opaque, colorSpace: .icc(Self.p3)) { pixels, _ in
            let samples = unsafe pixels.bindMemory(to: UInt16.self)
            for i in 0..<samples.count { unsafe samples[i] = [30_000, 45_000, 20_000, 65_535][i % 4] }
        }
        let file = try PNGEncoder().encode(DecodedImage(source), as: .png, options: EncodeOptions())
        let deep = try PNGDecoder().decode(file, options: .with { $0.convertsTo8Bit = false }).bitmap
        let shallow = try PNGDecoder().decode(file, options: DecodeOptions()).bitmap
        #expect(deep.format == .rgba16)
        #expect(zip(deep[1, 1], shallow[1, 1]).allSatisfy { abs($0 - $1 * 257) <= 200 })
        #expect(zip(shallow[1, 1], fromP3([117, 175, 78])).allSatisfy { abs($0 - $1) <= 2 })
    }

    @Test(arguments: [false, true])
    func codePointsComeBeforeAProfile(inPieces: Bool) throws {
        // Given: a profile of Display P3, and code points of sRGB (PNG specification, third edition, 4.3).
        var builder = PNGBuilder(size: PixelSize(width: 2, height: 2), colorType: .rgb, depth: 8) { _, _ in [120, 180, 60] }
        let profile = ("iCCP", Array("P3".utf8) + [0, 0] + PNGBuilder.stored(Array(Self.p3)))
        func shown() throws -> [Int] {
            guard inPieces else { return try PNGDecoder().decode(builder.file, options: DecodeOptions()).bitmap[0, 0] }
            return try #require(PNGDecoder().previews(of: builder.file, piece: 7).last).bitmap[0, 0]
        }
        // Then:
        builder.chunks = [profile]
        #expect(try zip(shown(), fromP3([120, 180, 60])).allSatisfy { abs($0 - $1) <= 2 })
        builder.chunks = [("cICP", [1, 13, 0, 1]), profile]
        #expect(try shown() == [120, 180, 60, 255])
    }

    @Test
    func anInvalidProfileIsIgnored() throws {
        let source = try bitmap(8, 8, colorSpace: .icc(Data(repeating: 0xA5, count: 400))) { _, _ in [1, 100, 200, 255] }
        let file = try WebPEncoder().encode(DecodedImage(source), as: .webp, options: .lossless)
        let image = try WebPDecoder().decode(file, options: .with { $0.convertsToSRGB = false })
        #expect(image.bitmap.colorSpace == .sRGB)
        #expect(image.bitmap[3, 3] == [1, 100, 200, 255])
    }

    @Test
    func transparentColorsAreConvertedBeforePremultiplication() throws {
        let source = try bitmap(8, 8, alpha: .straight, colorSpace: .icc(Self.p3)) { x, _ in [120, 180, 60, UInt8(x * 30)] }
        let file = try PNGEncoder().encode(DecodedImage(source), as: .png, options: EncodeOptions())
        let straight = try PNGDecoder().decode(file, options: .with { $0.alpha = .straight }).bitmap
        for x in 1..<8 {
            #expect(zip(straight[x, 0].prefix(3), fromP3([120, 180, 60])).allSatisfy { abs($0 - $1) <= 1 })
            #expect(straight[x, 0][3] == x * 30)
        }
    }

    @Test(arguments: [11, 3])
    func aMatrixThatCannotBeConvertedIsAnUnsupportedFeature(matrix: Int) throws {
        var options = EncodeOptions()
        (options.chroma, options.effort) = (.full, 0)
        let file = try AVIFEncoder().encode(DecodedImage(try photo(16, 16)), as: .avif, options: options)
        let patched = FileBoxes.edit(file, ["meta"]) { meta in
            // Four bytes of version and flags precede the boxes of `meta`.
            meta.prefix(4)
                + FileBoxes.edit(Data(meta.dropFirst(4)), ["iprp", "ipco", "colr"]) { colors in
                    colors.prefix(8) + FileBoxes.big(matrix, 2) + colors.dropFirst(10)
                }
        }
        #expect(patched.count == file.count)
        let error = #expect(throws: ImageError.self) { try AVIFDecoder().decode(patched, options: DecodeOptions()) }
        #expect(error?.code == .unsupportedFeature)
        #expect(error?.message.contains("matrix") == true)
        #expect(error?.message.contains(": .") == false)
    }

    @Test
    func gammaWithOtherPrimariesIsNotTheCurveOfSRGB() throws {
        var builder = PNGBuilder(size: PixelSize(width: 2, height: 2), colorType: .rgb, depth: 8) { _, _ in [20, 20, 20] }
        func shown() throws -> [Int] { try PNGDecoder().decode(builder.file, options: DecodeOptions()).bitmap[0, 0] }
        let gamma = ("gAMA", big(45_455))
        // With sRGB's primaries, or none, encoders write 1 / 2.2 for sRGB's curve.
        builder.chunks = [gamma]
        #expect(try shown() == [20, 20, 20, 255])
        let p3 = [31270, 32900, 68000, 32000, 26500, 69000, 15000, 6000]
        builder.chunks = [gamma, ("cHRM", p3.flatMap(big))]
        let light = power(20.0 / 255, 2.2)
        let expected = Int(((1.055 * power(light, 1 / 2.4) - 0.055) * 255).rounded())
        let color = try shown()
        #expect(color.prefix(3).allSatisfy { abs($0 - expected) <= 1 }, "\(color), not \(expected)")
    }

    @Test
    func aProfileInAGIFIsConvertedOrKept() throws {
        // Given: a GIF with a profile in sub-blocks before its first frame, and a PNG of the same pixels with that
        // profile.
        let plain = FileBoxes.seed("gif/still.gif")
        let flags = plain[10]
        let start = 13 + (flags & 0x80 == 0 ? 0 : 3 << (Int(flags & 7) + 1))
        var block = Data([0x21, 0xFF, 11]) + Data("ICCRGBG1012".utf8)
        var rest = Self.p3[...]
        while !rest.isEmpty {
            let part = rest.prefix(255)
            block += [UInt8(part.count)] + part
            rest = rest.dropFirst(part.count)
        }
        let file = plain.prefix(start) + block + [0] + plain.dropFirst(start)
        let stored = try GIFDecoder().decode(plain, options: .with { $0.alpha = .straight }).bitmap
        let twin = try bitmap(stored.width, stored.height, alpha: .straight, colorSpace: .icc(Self.p3)) { x, y in
            stored[x, y].map { UInt8($0) }
        }
        let png = try PNGEncoder().encode(DecodedImage(twin), as: .png, options: EncodeOptions())
        // Then:
        let options = DecodeOptions.with { $0.alpha = .straight }
        let expected = try PNGDecoder().decode(png, options: options).bitmap
        #expect(expected.difference(to: stored).largest > 10)
        #expect(try GIFDecoder().decode(file, options: options).bitmap.difference(to: expected).largest <= 1)
        let animation = try DecoderRegistry(.codecs).animation(of: file, options: options)
        #expect(try animation.frame(at: 0).bitmap.difference(to: expected).largest <= 1)
        let kept = try GIFDecoder().decode(file, options: .with { ($0.alpha, $0.convertsToSRGB) = (.straight, false) }).bitmap
        #expect(kept.colorSpace == .icc(Self.p3))
        #expect(kept.all == stored.all)
        #expect(try GIFDecoder().info(of: file, limits: DecodingLimits()).colorProfile != nil)
        let small = DecodeOptions.with { ($0.alpha, $0.limits.metadataBytes) = (.straight, Self.p3.count - 1) }
        #expect(try GIFDecoder().decode(file, options: small).bitmap.all == stored.all)
    }
}

extension EncodeOptions {
    static var lossless: EncodeOptions {
        var options = EncodeOptions()
        options.quality = 100
        return options
    }
}
