import ImageCore
import ImageDecoding
import ImageKernels
import TestBitmaps
import Testing

/// A decoder of files that begin with a certain byte. It returns images of a fixed size.
private struct Dots: Decoding {
    static let dots = ImageFormat(rawValue: "dots")
    var magic: UInt8 = 0xD0
    var name = Dots.dots
    var size = PixelSize(width: 8, height: 6)

    var formats: [ImageFormat] { [name] }
    func format(of prefix: Data) -> ImageFormat? { prefix.first == magic ? name : nil }
    func info(of data: Data, limits: DecodingLimits) throws -> ImageInfo { ImageInfo(format: name, size: size) }
    func decode(_ data: Data, options: DecodeOptions) throws -> DecodedImage {
        DecodedImage(
            try bitmap(size.width, size.height) { x, y in [UInt8(x * 30 & 255), UInt8(y * 30 & 255), 7, 255] }, format: name)
    }
}

@Suite struct DecoderRegistryTests {
    @Test
    func theLastRegisteredDecoderIsTriedFirstAndMayDecline() throws {
        let registry = DecoderRegistry([Dots()])
        registry.register(Dots(magic: 0xD1, name: ImageFormat(rawValue: "other")))
        let newest = registry.register(Dots(name: ImageFormat(rawValue: "newest")))
        #expect(registry.format(of: Data([0xD0]))?.rawValue == "newest")
        #expect(registry.format(of: Data([0xD1]))?.rawValue == "other")
        #expect(registry.formats.map(\.rawValue) == ["newest", "other", "dots"])
        registry.remove(newest)
        #expect(registry.format(of: Data([0xD0])) == Dots.dots)
        registry.remove(newest)
        #expect(try registry.decode(Data([0xD0]), options: DecodeOptions()).format == Dots.dots)
    }

    @Test
    func anImageLargerThanTheTargetSizeCanBeScaledToIt() throws {
        let registry = DecoderRegistry([Dots(size: PixelSize(width: 101, height: 67))])
        for mode in ImageContentMode.allCases {
            let box = PixelSize(width: 20, height: 30)
            let image = try registry.decodeToTargetSize(
                Data([0xD0]), options: .with { ($0.targetSize, $0.contentMode) = (box, mode) })
            let wanted = ResizeGeometry(source: PixelSize(width: 101, height: 67), box: box, mode: mode).output
            #expect(image.size == wanted)
        }
    }

    /// The filter works on premultiplied colours; the caller gets what it asked for.
    @Test(arguments: [AlphaMode.straight, .premultiplied])
    func aScaledImageHasTheAlphaOfTheOptions(_ alpha: AlphaMode) throws {
        struct Glass: Decoding {
            let formats = [Dots.dots]
            func format(of prefix: Data) -> ImageFormat? { Dots.dots }
            func info(of data: Data, limits: DecodingLimits) -> ImageInfo { ImageInfo(format: Dots.dots, size: PixelSize(8)) }
            func decode(_ data: Data, options: DecodeOptions) throws -> DecodedImage {
                let pixel: [UInt8] = options.alpha == .straight ? [200, 100, 50, 51] : [40, 20, 10, 51]
                return DecodedImage(try bitmap(8, 8, alpha: options.alpha) { _, _ in pixel }, format: Dots.dots)
            }
        }
        let image = try Glass().decodeToTargetSize(
            Data([0xD0]), options: .with { ($0.targetSize, $0.alpha) = (PixelSize(4), alpha) })
        #expect(image.size == PixelSize(4) && image.bitmap.alpha == alpha)
        #expect(image.bitmap[1, 1] == (alpha == .straight ? [200, 100, 50, 51] : [40, 20, 10, 51]))
    }

    @Test
    func anEmptyRegistryDecodesNothing() {
        let registry = DecoderRegistry([])
        #expect(registry.formats.isEmpty)
        let error = #expect(throws: ImageError.self) { try registry.decode(Data([0xD0]), options: DecodeOptions()) }
        #expect(error?.code == .unknownFormat)
    }

    @Test
    func aDecoderWithoutAnimationsIsATypedError() {
        let registry = DecoderRegistry([Dots()])
        let error = #expect(throws: ImageError.self) { try registry.animation(of: Data([0xD0]), options: DecodeOptions()) }
        #expect(error?.code == .unsupportedFeature)
        #expect(error?.message.contains("dots") == true)
    }

    @Test
    func theDecoderThatAcceptsAFileDecodesItsAnimation() throws {
        final class OneFrame: ImageAnimation {
            let durations = [Duration.milliseconds(500)]
            let loopCount = 0
            func frame(at index: Int) throws -> DecodedImage { DecodedImage(try photo(2, 2)) }
        }
        struct Moving: AnimationDecoding {
            let dots = Dots(magic: 0xD2, name: ImageFormat(rawValue: "moving"))
            var formats: [ImageFormat] { dots.formats }
            func format(of prefix: Data) -> ImageFormat? { dots.format(of: prefix) }
            func info(of data: Data, limits: DecodingLimits) throws -> ImageInfo { try dots.info(of: data, limits: limits) }
            func decode(_ data: Data, options: DecodeOptions) throws -> DecodedImage { try dots.decode(data, options: options) }
            func animation(of data: Data, options: DecodeOptions) throws -> any ImageAnimation { OneFrame() }
        }
        let registry = DecoderRegistry([Dots(), Moving()])
        #expect(try registry.animation(of: Data([0xD2]), options: DecodeOptions()).durations == [.milliseconds(500)])
    }
}
