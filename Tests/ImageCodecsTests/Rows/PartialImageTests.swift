import ImageCore
import ImageDecoding
import TestBitmaps
import ImageCodecs
import Testing

/// Files whose end is missing or damaged.
@Suite struct PartialImageTests {
    private let registry = DecoderRegistry(.codecs)
    private let size = PixelSize(width: 40, height: 32)
    private let partial = DecodeOptions.with { $0.allowsPartial = true }

    private func png(interlaced: Bool = false, colorType: PNGBuilder.ColorType = .rgb) -> PNGBuilder {
        PNGBuilder(size: size, colorType: colorType, depth: 8, isInterlaced: interlaced) { x, y in [x * 6, y * 7, x + y] }
    }

    @Test
    func missingRowsOfAnOpaqueImageAreTransparent() throws {
        let file = png().file
        let image = try registry.decode(file.prefix(file.count / 2), options: partial)
        #expect(image.isPartial)
        #expect(image.bitmap.alpha == .premultiplied)
        #expect(image.bitmap[3, 2] == [18, 14, 5, 255])
        #expect(image.bitmap[3, 31] == [0, 0, 0, 0])
    }

    @Test
    func earlyPassesFillMissingPixelsOfAnInterlacedImage() throws {
        let file = png(interlaced: true).file
        let options = DecodeOptions.with { ($0.allowsPartial, $0.targetSize) = (true, PixelSize(width: 10, height: 8)) }
        let image = try registry.decode(file.prefix(file.count / 3), options: options)
        #expect(image.isPartial)
        #expect(image.bitmap.all.allSatisfy { $0[3] == 255 })
    }

    @Test
    func aWrongChecksumOfTheLastRowsIsDamage() throws {
        // Given: complete rows with a wrong checksum.
        var file = png().file
        file[file.count - 13] ^= 1
        // Then: the decoder reports damage.
        #expect(throws: ImageError.self) { try registry.decode(file, options: DecodeOptions()) }
    }

    @Test
    func aFileWithoutItsAnnouncedOrientationIsPartial() throws {
        // Given: a WebP whose Exif follows the pixels, and is missing.
        var options = EncodeOptions()
        options.orientation = .right
        let file = try WebPEncoder().encode(DecodedImage(try photo(40, 32)), as: .webp, options: options)
        let cut = file.prefix(file.count - 12)
        // Then: the pixels are delivered only if partial images are allowed.
        let error = #expect(throws: ImageError.self) { try registry.decode(cut, options: DecodeOptions()) }
        #expect(error?.code == .truncated)
        #expect(try registry.decode(cut, options: partial).isPartial)
    }

    @Test(arguments: ["gif/animated.gif", "webp/animated.webp", "avif/sequence.avif", "png/animated.png"])
    func onlyCompleteFramesOfATruncatedAnimationAreDelivered(path: String) throws {
        let file = FileBoxes.seed(path)
        let whole = try DecoderRegistry(.codecs).animation(of: file, options: DecodeOptions())
        let frames = try (0..<whole.frameCount).map { try whole.frame(at: $0).bitmap }
        #expect(frames.count == 3)
        var served = Set<Int>()
        for length in stride(from: 1, to: file.count, by: 3) {
            let cut = Data(file.prefix(length))
            guard let animation = try unlessRefused({ try DecoderRegistry(.codecs).animation(of: cut, options: DecodeOptions()) })
            else { continue }
            #expect(animation.frameCount <= frames.count)
            var count = 0
            while count < animation.frameCount, let image = try unlessRefused({ try animation.frame(at: count) }) {
                #expect(image.bitmap.isSame(as: frames[count]), "frame \(count) after \(length) bytes")
                count += 1
            }
            served.insert(count)
            for index in [animation.frameCount, 1000, Int.max] {
                #expect(throws: ImageError.self) { try animation.frame(at: index) }
                #expect(throws: ImageError.self) { try registry.decode(cut, options: .with { $0.frame = index }) }
            }
        }
        // The boxes of the sequence follow its frames, so libavif cannot read a file without its end.
        #expect(path.hasPrefix("avif") ? served.isEmpty : served.isSuperset(of: [1, 2]))
    }

    private func unlessRefused<R>(_ body: () throws -> R) throws -> R? {
        do { return try body() } catch is ImageError { return nil }
    }
}
