import Foundation
import ImageCodecs
import ImageCore
import TestBitmaps
import Testing

@testable import ImageDecoding

@Suite struct PNGDecoderTests {
    let decoder = PNGDecoder()
    let size = PixelSize(width: 13, height: 11)

    /// Returns an image of the colour type whose samples all differ.
    private func builder(_ type: PNGBuilder.ColorType, _ depth: Int, interlaced: Bool) -> PNGBuilder {
        let top = 1 << depth
        var builder = PNGBuilder(size: size, colorType: type, depth: depth, isInterlaced: interlaced) { x, y in
            (0..<type.channels).map { (x * 7919 + y * 104_729 + $0 * 1299) % top }
        }
        if type == .palette { builder.chunks = [("PLTE", (0..<top).flatMap(palette))] }
        return builder
    }

    private func palette(_ index: Int) -> [UInt8] { [UInt8(index * 37 & 255), UInt8(255 - index * 11 & 255), UInt8(index)] }

    /// Returns the expected pixel at full depth: red, green, blue and alpha, or one grey.
    private func expected(_ samples: [Int], _ type: PNGBuilder.ColorType, _ depth: Int) -> [Int] {
        let scaled = samples.map { depth < 8 ? $0 * 255 / ((1 << depth) - 1) : $0 }
        let top = depth == 16 ? 65535 : 255
        return switch type {
        case .gray: scaled
        case .rgb: scaled + [top]
        case .palette: palette(samples[0]).map(Int.init) + [255]
        case .grayAlpha: [scaled[0], scaled[0], scaled[0], scaled[1]]
        case .rgbAlpha: scaled
        }
    }

    @Test(arguments: PNGBuilder.ColorType.allCases, [false, true])
    func everyColorTypeAndDepthIsDecodedAsStored(type: PNGBuilder.ColorType, interlaced: Bool) throws {
        for depth in type.depths {
            let builder = builder(type, depth, interlaced: interlaced)
            let image = try decoder.decode(builder.file, options: .with { ($0.alpha, $0.convertsTo8Bit) = (.straight, false) })
            let wanted = (0..<size.height).flatMap { y in
                (0..<size.width).map { x in expected(builder.sample(x, y), type, depth) }
            }
            #expect(image.bitmap.all == wanted, "\(type) \(depth)")
            #expect(image.size == size)
            let info = try decoder.info(of: builder.file, limits: DecodingLimits())
            #expect(info.bitDepth == depth)
            #expect(info.isProgressive == interlaced)
            #expect(info.hasAlpha == (type == .grayAlpha || type == .rgbAlpha))
        }
    }

    @Test(arguments: [PNGBuilder.ColorType.gray, .rgb, .rgbAlpha])
    func sixteenBitsAreRoundedToEight(type: PNGBuilder.ColorType) throws {
        let builder = builder(type, 16, interlaced: false)
        let image = try decoder.decode(builder.file, options: .with { $0.alpha = .straight })
        for y in 0..<size.height {
            for x in 0..<size.width {
                let wanted = expected(builder.sample(x, y), type, 16).map { Int((Double($0) * 255 / 65535).rounded()) }
                #expect(image.bitmap[x, y] == wanted)
            }
        }
    }

    @Test
    func colorIsPremultipliedUnlessTheOptionsSayOtherwise() throws {
        let file = PNGBuilder(size: size, colorType: .rgbAlpha, depth: 8) { x, y in [200, 100, x * 19, y * 25] }.file
        let straight = try decoder.decode(file, options: .with { $0.alpha = .straight }).bitmap
        let premultiplied = try decoder.decode(file, options: DecodeOptions()).bitmap
        #expect(straight.alpha == .straight)
        #expect(premultiplied.alpha == .premultiplied)
        for (pixel, stored) in zip(premultiplied.all, straight.all) {
            let alpha = stored[3]
            #expect(pixel == stored.prefix(3).map { Int((Double($0 * alpha) / 255).rounded()) } + [alpha])
        }
    }

    @Test
    func transparentColorsBecomeAlpha() throws {
        // Given: a grey image in which the level 5 of 15 is transparent, and a palette with two alpha values.
        var gray = PNGBuilder(size: size, colorType: .gray, depth: 4) { x, y in [(x + y) % 16] }
        gray.chunks = [("tRNS", [0, 5])]
        var indexed = PNGBuilder(size: size, colorType: .palette, depth: 2) { x, _ in [x % 3] }
        indexed.chunks = [("PLTE", [255, 0, 0, 0, 255, 0, 0, 0, 255]), ("tRNS", [0, 128])]
        // Then:
        let options = DecodeOptions.with { $0.alpha = .straight }
        let first = try decoder.decode(gray.file, options: options).bitmap
        #expect(first[5, 0][3] == 0)
        #expect(first[4, 0] == [68, 68, 68, 255])
        let second = try decoder.decode(indexed.file, options: options).bitmap
        #expect([second[0, 0], second[1, 0], second[2, 0]] == [[255, 0, 0, 0], [0, 255, 0, 128], [0, 0, 255, 255]])
        #expect(try decoder.info(of: indexed.file, limits: DecodingLimits()).colorModel == .indexed)
    }

    @Test(arguments: [8, 16])
    func transparencyBeforeAPaletteKeepsTheColors(depth: Int) throws {
        var builder = builder(.rgb, depth, interlaced: false)
        builder.chunks = [("tRNS", [0, 1, 0, 2, 0, 3]), ("PLTE", [255, 0, 0])]
        let options = DecodeOptions.with { ($0.alpha, $0.convertsTo8Bit) = (.straight, false) }
        let preview = try #require(decoder.previews(of: builder.file, piece: builder.file.count, options: options).last)
        for image in [try decoder.decode(builder.file, options: options), preview] {
            for y in 0..<size.height {
                for x in 0..<size.width { #expect(Array(image.bitmap[x, y].prefix(3)) == builder.sample(x, y)) }
            }
        }
    }

    @Test
    func anOpaqueAlphaChannelIsMarkedAsOpaque() throws {
        let file = PNGBuilder(size: size, colorType: .rgbAlpha, depth: 8) { x, y in [x, y, 0, 255] }.file
        #expect(try decoder.decode(file, options: DecodeOptions()).bitmap.alpha == .opaque)
    }

    @Test(arguments: [8, 16])
    func gammaAndColorsAreConvertedUnlessTheOptionsKeepThem(depth: Int) throws {
        // Given: linear light.
        let unit = depth == 8 ? 1 : 257
        var builder = PNGBuilder(size: size, colorType: .gray, depth: depth) { _, _ in [55 * unit] }
        builder.chunks = [("gAMA", big(100_000))]
        // Then: 55/255 of linear light is 128/255 of sRGB's curve.
        let converted = try decoder.decode(builder.file, options: DecodeOptions()).bitmap
        #expect(converted.format == .gray8)
        #expect(abs(converted[3, 3][0] - 128) <= 1)
        let deep = try decoder.decode(builder.file, options: .with { $0.convertsTo8Bit = false }).bitmap
        #expect(abs(deep[3, 3][0] - 128 * unit) <= unit)
        let options = DecodeOptions.with { ($0.convertsToSRGB, $0.convertsTo8Bit) = (false, false) }
        let stored = try decoder.decode(builder.file, options: options).bitmap
        #expect(stored[3, 3] == [55 * unit])
        #expect(stored.colorSpace != .sRGB)
    }

    @Test
    func anAncillaryChunkWithAWrongChecksumIsIgnored() throws {
        var builder = PNGBuilder(size: PixelSize(width: 3, height: 2), colorType: .rgb, depth: 8) { x, y in [x, y, 20] }
        let plain = try decoder.decode(builder.file, options: DecodeOptions()).bitmap
        let p3 = [31270, 32900, 68000, 32000, 26500, 69000, 15000, 6000].flatMap(big)
        let profile = Array("P3".utf8) + [0, 0] + PNGBuilder.stored(Array(ColorTests.p3))
        let chunks: [(String, [UInt8])] = [
            ("eXIf", exif(6)), ("gAMA", big(100_000)), ("cICP", [12, 13, 0, 1]), ("iCCP", profile),
            ("tRNS", [0, 0, 0, 0, 0, 20]),
            ("tEXt", Array("Title".utf8) + [0, 65]), ("pHYs", big(1) + big(2) + [1]), ("tIME", [7, 228, 1, 1, 1, 1, 1]),
            ("bKGD", [0, 1, 0, 1, 0, 1]), ("abCd", [1, 2, 3]),
        ]
        for (name, content) in chunks {
            builder.chunks = [(name, content)] + (name == "gAMA" ? [("cHRM", p3)] : [])
            var file = builder.file
            let place = try #require(file.range(of: Data(name.utf8)))
            let checksum = place.upperBound + content.count
            file[checksum] ^= 1
            #expect(try decoder.decode(file, options: DecodeOptions()).bitmap.isSame(as: plain), "\(name)")
            #expect(try decoder.info(of: file, limits: DecodingLimits()).orientation == .up)
            let preview = try #require(decoder.previews(of: file, piece: 7).last)
            #expect(preview.bitmap.all == plain.all, "\(name)")
        }
        // A critical one is an error.
        builder.chunks = []
        for name in ["IHDR", "IDAT"] {
            var file = builder.file
            file[try #require(file.range(of: Data(name.utf8))).upperBound + 12] ^= 1
            let error = #expect(throws: ImageError.self) { try decoder.decode(file, options: DecodeOptions()) }
            #expect(error?.code == .corrupt)
        }
    }

    @Test(arguments: ["IHDR", "PLTE", "IDAT"])
    func aCriticalChunkWithAWrongChecksumIsNeverAWholeImage(name: String) throws {
        var builder = PNGBuilder(size: PixelSize(width: 3, height: 2), colorType: .palette, depth: 8) { x, y in [x + y] }
        builder.chunks = [("PLTE", (0..<12).map { UInt8($0 * 20) })]
        var file = builder.file
        let start = try #require(file.range(of: Data(name.utf8)))
        let length = file[start.lowerBound - 4..<start.lowerBound].reduce(0) { $0 << 8 | Int($1) }
        file[start.upperBound + length] ^= 1
        #expect(throws: ImageError.self) { try decoder.decode(file, options: DecodeOptions()) }
        let partial = try? decoder.decode(file, options: .with { $0.allowsPartial = true })
        #expect(partial?.isPartial != false)
        if name != "IDAT" {
            #expect(throws: ImageError.self) { try decoder.info(of: file, limits: DecodingLimits()) }
            #expect(partial == nil)
        }
    }

    @Test(arguments: [false, true])
    func theEndOfTheZlibDataMayBeMissing(interlaced: Bool) throws {
        let builder = builder(.rgb, 8, interlaced: interlaced)
        let whole = try decoder.decode(builder.file, options: DecodeOptions()).bitmap
        let data = try #require(builder.file.range(of: Data("IDAT".utf8)))
        let length = ByteReader(builder.file).uint32(at: data.lowerBound - 4, bigEndian: true) ?? 0
        for missing in 1...4 {
            let content = Array(builder.file[data.upperBound..<(data.upperBound + length - missing)])
            let head = builder.file.prefix(data.lowerBound - 4)
            let file = head + PNGBuilder.chunk("IDAT", content) + PNGBuilder.chunk("IEND", [])
            let image = try decoder.decode(file, options: DecodeOptions())
            #expect(image.bitmap.isSame(as: whole))
            #expect(!image.isPartial)
        }
        // A missing row is an error.
        let content = Array(builder.file[data.upperBound..<(data.upperBound + length - 10)])
        let cut = builder.file.prefix(data.lowerBound - 4) + PNGBuilder.chunk("IDAT", content) + PNGBuilder.chunk("IEND", [])
        #expect(throws: ImageError.self) { try decoder.decode(cut, options: DecodeOptions()) }
    }

    @Test
    func theZlibHeaderMayDeclareTooSmallAWindow() throws {
        // Given: rows that repeat those of 600 bytes before, and a header with a window of 256 bytes (RFC 1950, 2.2).
        let row: [UInt8] = [0] + (0..<600).map { UInt8(truncatingIfNeeded: $0 * $0 / 3) }
        var bits = DeflateBits()
        bits.put(1, 1)
        bits.put(1, 2)
        for byte in row { bits.literal(Int(byte)) }
        for _ in 0..<2 { bits.copy(258) }
        bits.copy(85)
        bits.literal(256, isEnd: true)
        let rows = row + row
        var (a, b) = (1, 0)
        for byte in rows {
            a = (a + Int(byte)) % 65521
            b = (b + a) % 65521
        }
        let stream: [UInt8] = [0x08, 0x1D] + bits.bytes + big(b << 16 | a)
        let header = big(200) + big(2) + [8, 2, 0, 0, 0]
        var file = Data(builder(.rgb, 8, interlaced: false).file.prefix(8)) + PNGBuilder.chunk("IHDR", header)
        file += PNGBuilder.chunk("IDAT", stream) + PNGBuilder.chunk("IEND", [])
        let image = try decoder.decode(file, options: DecodeOptions()).bitmap
        #expect(image[199, 1].prefix(3).map { UInt8($0) } == Array(row.suffix(3)))
        #expect(image[100, 0] == image[100, 1])
        #expect(try #require(decoder.previews(of: file, piece: 50).last).bitmap.all == image.all)
    }

    @Test
    func codePointsOfAnotherMatrixOrLengthAreIgnored() throws {
        var builder = PNGBuilder(size: PixelSize(width: 2, height: 2), colorType: .rgb, depth: 8) { _, _ in [120, 180, 60] }
        for content: [UInt8] in [[12, 13, 1, 1], [12, 13, 9, 1], [12, 13, 0, 1, 0], [12, 13, 0], [12, 13], []] {
            builder.chunks = [("cICP", content)]
            #expect(try decoder.decode(builder.file, options: DecodeOptions()).bitmap[0, 0] == [120, 180, 60, 255], "\(content)")
        }
        builder.chunks = [("cICP", [12, 13, 0, 1])]
        #expect(try decoder.decode(builder.file, options: DecodeOptions()).bitmap[0, 0] != [120, 180, 60, 255])
    }

    @Test
    func aDecompressionBombInMetadataIsSkipped() throws {
        // Given: a profile chunk whose stream declares a stored block of 60,000 bytes, which exceeds the limit of this
        // test.
        var builder = PNGBuilder(size: size, colorType: .gray, depth: 8) { _, _ in [9] }
        let bomb = PNGBuilder.stored(Array(repeating: 0, count: 60_000))
        builder.chunks = [("iCCP", Array("bomb".utf8) + [0, 0] + bomb), ("zTXt", Array("text".utf8) + [0, 0] + bomb)]
        let image = try decoder.decode(builder.file, options: .with { $0.limits.metadataBytes = 10_000 })
        #expect(image.bitmap[0, 0] == [9])
    }

    @Test(arguments: 1...8)
    func exifOrientationIsApplied(orientation: Int) throws {
        var builder = PNGBuilder(size: PixelSize(width: 3, height: 2), colorType: .gray, depth: 8) { x, y in [10 * (3 * y + x)] }
        builder.chunks = [("eXIf", exif(orientation, bigEndian: orientation % 2 == 0))]
        let upright = try decoder.decode(builder.file, options: DecodeOptions()).bitmap
        // The rows of the upright image, from Exif's "the 0th row is …, the 0th column is …".
        let wanted: [[Int]] = [
            [0, 1, 2, 3, 4, 5], [2, 1, 0, 5, 4, 3], [5, 4, 3, 2, 1, 0], [3, 4, 5, 0, 1, 2],
            [0, 3, 1, 4, 2, 5], [3, 0, 4, 1, 5, 2], [5, 2, 4, 1, 3, 0], [2, 5, 1, 4, 0, 3],
        ]
        #expect(upright.all == wanted[orientation - 1].map { [10 * $0] })
        #expect(upright.size == PixelSize(width: orientation < 5 ? 3 : 2, height: orientation < 5 ? 2 : 3))
        let stored = try decoder.decode(builder.file, options: .with { $0.appliesOrientation = false }).bitmap
        #expect(stored.all == wanted[0].map { [10 * $0] })
        #expect(try decoder.info(of: builder.file, limits: DecodingLimits()).orientation.rawValue == orientation)
    }
}

/// Writes deflate data with the fixed codes (RFC 1951, 3.2.6). Copies are 601 bytes away, a row of 200 RGB pixels.
private struct DeflateBits {
    private(set) var bytes: [UInt8] = []
    private var used = 8

    mutating func put(_ number: Int, _ count: Int) {
        for i in 0..<count {
            if used == 8 { (bytes, used) = (bytes + [0], 0) }
            bytes[bytes.count - 1] |= UInt8(number >> i & 1) << used
            used += 1
        }
    }

    /// Huffman codes have their highest bit first.
    private mutating func code(_ number: Int, _ count: Int) { for i in (0..<count).reversed() { put(number >> i & 1, 1) } }

    mutating func literal(_ value: Int, isEnd: Bool = false) {
        if isEnd { code(0, 7) } else if value < 144 { code(0x30 + value, 8) } else { code(0x190 + value - 144, 9) }
    }

    /// Copies 258 or 85 bytes.
    mutating func copy(_ length: Int) {
        if length == 258 {
            code(0xC0 + 285 - 280, 8)
        } else {
            // The code 277 with 4 extra bits begins at 67, and 278 at 83.
            code(278 - 256, 7)
            put(length - 83, 4)
        }
        // The distance code 18 has 8 extra bits and begins at 513.
        code(18, 5)
        put(601 - 513, 8)
    }
}
