import ImageCore
import TestBitmaps
import ImageCodecs
import Testing

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
