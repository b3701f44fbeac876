import CCalotypeAVIF
import CCalotypeCodec
import Foundation
import ImageCodecs
import ImageCore
import ImageDecoding
import ImageKernels
import TestBitmaps
import Testing

/// Profiles of grey, and profiles that do not fit their pixels (FEATURES 8.3, 10.6).
@Suite struct ProfileFitTests {
    private let registry = DecoderRegistry(.codecs)

    private static func iCCP(_ icc: Data) -> (String, [UInt8]) {
        ("iCCP", Array("a".utf8) + [0, 0] + PNGBuilder.stored(Array(icc)))
    }

    /// The sRGB code of a level of linear light, both from 0 to 255.
    private func encoded(_ level: Double) -> Int {
        let light = level / 255
        return Int((255 * (light <= 0.0031308 ? 12.92 * light : 1.055 * power(light, 1 / 2.4) - 0.055)).rounded())
    }

    @Test(arguments: [8, 16], [(PNGBuilder.ColorType.gray, false), (.gray, true), (.grayAlpha, false)])
    func aLinearGrayProfileIsExactInShadowsToo(depth: Int, kind: (type: PNGBuilder.ColorType, isTransparent: Bool)) throws {
        let (type, isTransparent) = kind
        let (most, unit) = (depth == 8 ? 255 : 65535, depth == 8 ? 1 : 257)
        var builder = PNGBuilder(size: PixelSize(width: 256, height: 4), colorType: type, depth: depth) { x, y in
            type == .gray ? [x * unit] : [x * unit, y == 0 ? most : 200 * unit]
        }
        builder.chunks = [Self.iCCP(TestProfiles.gray(gamma: 1))]
        // A transparent colour gives grey without an alpha channel its alpha.
        if isTransparent { builder.chunks.append(("tRNS", [UInt8(255 * unit >> 8), UInt8(255 * unit & 255)])) }
        for options in [
            DecodeOptions.with { $0.alpha = .straight }, .with { ($0.alpha, $0.convertsTo8Bit) = (.straight, false) },
        ] {
            let bitmap = try registry.decode(builder.file, options: options).bitmap
            let isWide = depth == 16 && !options.convertsTo8Bit
            for x in 0..<255 {
                let expected = encoded(Double(x)) * (isWide ? 257 : 1)
                #expect(bitmap[x, 0].prefix(3).allSatisfy { abs($0 - expected) <= (isWide ? 257 : 1) }, "\(x): \(bitmap[x, 0])")
                if bitmap.format.channels == 4 { #expect(bitmap[x, 3][3] == (type == .gray ? 255 : 200) * (isWide ? 257 : 1)) }
            }
        }
        // A thumbnail in which every level is four pixels wide.
        let small = try registry.decode(
            builder.file, options: .with { ($0.alpha, $0.targetSize) = (.straight, PixelSize(width: 128, height: 2)) }
        ).bitmap
        for x in 2..<120 { #expect(abs(small[x, 0][0] - encoded(Double(2 * x) + 0.5)) <= 2, "\(x): \(small[x, 0])") }
    }

    /// The colours without blue are as in sRGB.
    @Test func aProfileThatChangesBlueAloneIsConverted() throws {
        var builder = PNGBuilder(size: PixelSize(width: 2, height: 1), colorType: .rgb, depth: 8) { x, _ in
            x == 0 ? [0, 0, 128] : [0, 128, 0]
        }
        builder.chunks = [Self.iCCP(TestProfiles.linearBlue)]
        let bitmap = try registry.decode(builder.file, options: DecodeOptions()).bitmap
        #expect(abs(bitmap[0, 0][2] - encoded(128)) <= 1)
        #expect(zip(bitmap[1, 0], [0, 128, 0, 255]).allSatisfy { abs($0 - $1) <= 1 })
    }

    /// Encodes a monochrome AVIF of one level with a profile of linear grey.
    private func monochrome(level: UInt8, alpha: UInt8) throws -> Data {
        let source = try bitmap(32, 32, alpha: .straight) { _, _ in [level, level, level, alpha] }
        let icc = Array(TestProfiles.gray(gamma: 1))
        var (bytes, count) = unsafe (UnsafeMutablePointer<UInt8>?.none, 0)
        let status = unsafe source.withUnsafePixels { pixels in
            unsafe clt_avif_encode(
                pixels.baseAddress?.assumingMemoryBound(to: UInt8.self), source.bytesPerRow, 32, 32, alpha == 255, true, 1, 1,
                100, 9,
                0, -1, icc, icc.count, &bytes, &count)
        }
        #expect(status == CLT_OK)
        defer { unsafe clt_avif_free(bytes) }
        return unsafe bytes.map { unsafe Data(bytes: $0, count: count) } ?? Data()
    }

    @Test(arguments: [UInt8(255), 128])
    func aGrayProfileAppliesToMonochromeAVIF(alpha: UInt8) throws {
        let file = try monochrome(level: 60, alpha: alpha)
        for box in [nil, PixelSize(width: 9, height: 9)] {
            let shown = try registry.decode(file, options: .with { ($0.alpha, $0.targetSize) = (.straight, box) }).bitmap
            #expect(shown.format == (alpha == 255 ? .gray8 : .rgba8))
            #expect(abs(shown[4, 4][0] - encoded(60)) <= 3, "\(shown[4, 4])")
            let kept = try registry.decode(
                file, options: .with { ($0.alpha, $0.targetSize, $0.convertsToSRGB) = (.straight, box, false) })
            #expect(abs(kept.bitmap[4, 4][0] - 60) <= 2)
            #expect(kept.bitmap.colorSpace != .sRGB)
            for format in [ImageFormat.png, .webp] {
                let written = try EncoderRegistry(.codecs).encode(kept, as: format, options: .lossless)
                let back = try registry.decode(written, options: .with { $0.alpha = .straight }).bitmap
                #expect(abs(back[4, 4][0] - encoded(60)) <= 3)
            }
        }
    }

    private static let profiles: [(String, Data)] = [
        ("gray", TestProfiles.gray(gamma: 1.8)), ("rgb", TestProfiles.rgb(gamma: 1.8)), ("cmyk", TestProfiles.cmyk),
        ("lab", TestProfiles.lab), ("damaged", Data(repeating: 7, count: 300)),
    ]

    /// Every layout of pixels: PNG of each colour type, and JPEG with one, three and four components.
    private static func files(_ icc: Data) -> [(String, Data)] {
        let pngs = PNGBuilder.ColorType.allCases.flatMap { type in
            type.depths.filter { $0 >= 8 }.map { depth -> (String, Data) in
                var builder = PNGBuilder(size: PixelSize(width: 8, height: 8), colorType: type, depth: depth) { x, _ in
                    if type == .palette { return [x % 2] }
                    let colors = [10 + 20 * x, 90, 200].prefix(type.channels < 3 ? 1 : 3)
                    return (colors + (type.channels % 2 == 0 ? [100] : [])).map { $0 * (depth == 8 ? 1 : 257) }
                }
                builder.chunks = [iCCP(icc)]
                if type == .palette { builder.chunks.append(("PLTE", [10, 90, 200, 9, 9, 9])) }
                return ("png \(type) \(depth)", builder.file)
            }
        }
        let segment = Array("ICC_PROFILE".utf8) + [0, 1, 1] + icc
        return pngs
            + [1, 3, 4].map { count in
                let builder = JPEGBuilder(
                    blocks: PixelSize(width: 1, height: 1), components: count, segments: [(0xE2, segment)]
                ) { _, _ in Array([100, 128, 90, 200].prefix(count)) }
                return ("jpeg \(count)", builder.file)
            }
    }

    @Test(arguments: profiles)
    func aKeptProfileLooksLikeTheConvertedImage(name: String, icc: Data) throws {
        // The command converts CMYK.
        for (kind, file) in Self.files(icc) where kind != "jpeg 4" || name != "cmyk" {
            let shown = try registry.decode(file, options: .with { $0.alpha = .straight }).bitmap
            for options in [
                DecodeOptions.with { ($0.alpha, $0.convertsToSRGB) = (.straight, false) },
                .with { ($0.convertsToSRGB, $0.targetSize) = (false, PixelSize(width: 4, height: 4)) },
            ] {
                let kept = try registry.decode(file, options: options)
                for format in [ImageFormat.png, .jpeg, .webp, .avif] {
                    var encoding = EncodeOptions()
                    (encoding.quality, encoding.effort) = (100, 0)
                    let written = try EncoderRegistry(.codecs).encode(kept, as: format, options: encoding)
                    let back = try registry.decode(written, options: .with { $0.alpha = .straight }).bitmap
                    guard options.targetSize == nil, format != .jpeg || shown.alpha == .opaque else { continue }
                    let (a, b) = (try back.convertedToRGBA8().all, try shown.convertedToRGBA8().all)
                    let largest = zip(a, b).flatMap { zip($0, $1).map { abs($0 - $1) } }.max() ?? 0
                    #expect(largest <= (format == .png ? 2 : 6), "\(name), \(kind) as \(format): \(largest) \(a[0]) \(b[0])")
                }
            }
        }
    }

    @Test(arguments: [nil, 0, 2])
    func aCMYKJPEGWithAProfileIsOpaque(adobe: Int?) throws {
        let segment = Array("ICC_PROFILE".utf8) + [0, 1, 1] + TestProfiles.cmyk
        let file = JPEGBuilder(
            blocks: PixelSize(width: 4, height: 4), components: 4, adobeTransform: adobe, segments: [(0xE2, segment)]
        ) { x, _ in adobe == 2 ? [100, 128, 128, 255] : [250, 40 * x, 100, 200] }.file
        for box in [nil, PixelSize(width: 8, height: 8)] {
            let bitmap = try registry.decode(file, options: .with { $0.targetSize = box }).bitmap
            #expect(bitmap.alpha == .opaque)
            #expect(bitmap.all.allSatisfy { $0[3] == 255 })
            // A bitmap has no inks, to which the profile could apply.
            let kept = try registry.decode(file, options: .with { ($0.targetSize, $0.convertsToSRGB) = (box, false) }).bitmap
            #expect(kept.alpha == .opaque && kept.colorSpace == .sRGB)
        }
    }

    @Test
    func gammaWithTheColorsOfAWideGamutIsConverted() throws {
        // Given: the primaries of ProPhoto RGB, whose blue is next to y = 0, and the gamma that sRGB's files declare
        // too.
        var builder = PNGBuilder(size: PixelSize(width: 256, height: 1), colorType: .rgb, depth: 8) { x, _ in [x, x, x] }
        let colors = [34_567, 35_850, 73_470, 26_530, 15_960, 84_040, 3_660, 10].flatMap(big)
        builder.chunks = [("gAMA", big(45_455)), ("cHRM", colors)]
        let bitmap = try registry.decode(builder.file, options: DecodeOptions()).bitmap
        for x in 0..<256 {
            let expected = encoded(255 * power(Double(x) / 255, 2.2))
            #expect(bitmap[x, 0].prefix(3).allSatisfy { abs($0 - expected) <= 1 }, "\(x): \(bitmap[x, 0]), not \(expected)")
        }
    }
}
