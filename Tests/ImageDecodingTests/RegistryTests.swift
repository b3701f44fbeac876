import ImageCore
import ImageDecoding
import Testing

/// A plug-in that reads files that begin with a byte of its own, at the size it likes.
private struct Dots: Decoding {
    static let dots = ImageFormat(rawValue: "dots")
    var magic: UInt8 = 0xD0
    var name = Dots.dots
    var size = PixelSize(width: 8, height: 6)

    var formats: [ImageFormat] { [name] }
    func format(of head: Data) -> ImageFormat? { head.first == magic ? name : nil }
    func info(of data: Data, limits: DecodingLimits) throws -> ImageInfo { ImageInfo(format: name, size: size) }
    func decode(_ data: Data, options: DecodeOptions) throws -> DecodedImage {
        DecodedImage(
            try bitmap(size.width, size.height) { x, y in [UInt8(x * 30 & 255), UInt8(y * 30 & 255), 7, 255] }, format: name)
    }
}

@Suite struct DecoderRegistryTests {
    @Test
    func theNewestDecoderIsAskedFirstAndMayDecline() throws {
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
    func formatsAreKnownByContent() throws {
        let registry = DecoderRegistry()
        let image = DecodedImage(try photo(20, 10))
        for format in [ImageFormat.jpeg, .png, .webp, .avif] {
            let file = try EncoderRegistry().encode(image, as: format, options: EncodeOptions())
            #expect(registry.format(of: file.prefix(64)) == format)
            let info = try registry.info(of: file, limits: DecodingLimits())
            #expect(info.format == format)
            #expect(info.size == PixelSize(width: 20, height: 10))
            #expect(info.frameCount == 1)
        }
    }

    /// Of a smooth picture with a hard edge. At the edge a filter that is run twice rings a little more.
    @Test(arguments: [ImageFormat.jpeg, .png, .webp], [ContentMode.fit, .exact])
    func aSizeMadeOfALargerOneIsWithinToleranceOfItsOwnDecode(format: ImageFormat, mode: ContentMode) throws {
        let registry = DecoderRegistry()
        let file = try EncoderRegistry().encode(DecodedImage(try photo(1001, 667)), as: format, options: EncodeOptions())
        func options(_ side: Int) -> DecodeOptions {
            .with { ($0.targetSize, $0.contentMode) = (PixelSize(width: side, height: side), mode) }
        }
        let larger = try registry.decode(file, options: options(400))
        for side in [200, 160, 75] {
            let own = try registry.decode(file, options: options(side)).bitmap
            let made = try #require(try registry.decode(file, from: larger, options: options(side))).bitmap
            #expect(made.size == own.size)
            let differences = zip(made.all, own.all).flatMap { zip($0, $1).map { abs($0 - $1) } }
            #expect(Double(differences.reduce(0, +)) / Double(differences.count) < 0.5)
            #expect(differences.count { $0 > 2 } < differences.count / 50)
        }
    }

    @Test
    func aPartialPictureIsNoneToMakeOthersOf() throws {
        let file = try EncoderRegistry().encode(DecodedImage(try photo(100, 60)), as: .jpeg, options: EncodeOptions())
        var larger = try DecoderRegistry().decode(file, options: DecodeOptions())
        larger.isPartial = true
        let options = DecodeOptions.with { $0.targetSize = PixelSize(width: 20, height: 20) }
        #expect(try DecoderRegistry().decode(file, from: larger, options: options) == nil)
    }

    @Test
    func whatIsLargerThanAskedForIsFinishedExactly() throws {
        let registry = DecoderRegistry([Dots(size: PixelSize(width: 101, height: 67))])
        for mode in ContentMode.allCases {
            let box = PixelSize(width: 20, height: 30)
            let image = try registry.decode(Data([0xD0]), options: .with { ($0.targetSize, $0.contentMode) = (box, mode) })
            let wanted = ResizeGeometry(source: PixelSize(width: 101, height: 67), box: box, mode: mode).output
            #expect(image.size == wanted)
        }
    }

    @Test
    func errorsNameWhatTheFileIsAndWhatCanBeRead() throws {
        let registry = DecoderRegistry()
        func error(_ data: Data) -> ImageError? {
            #expect(throws: ImageError.self) { try registry.decode(data, options: DecodeOptions()) }
        }
        #expect(error(Data())?.code == .emptyFile)
        let page = error(Data("<!DOCTYPE html><html></html>".utf8))
        #expect(page?.code == .unknownFormat)
        #expect(page?.message.contains("an HTML page") == true)
        #expect(page?.message.contains("jpeg, png, webp, avif, gif") == true)
        let gif = error(Data("GIF88a and so on".utf8))
        #expect(gif?.message.contains("a GIF of an unknown version") == true)
        #expect(gif?.message.contains("not a") == false)
        #expect(error(Data([1, 2, 3, 200]))?.message.contains("01 02 03 c8") == true)
    }

    @Test
    func framesThatAreNotThereAreRefused() throws {
        let image = DecodedImage(try photo(20, 10))
        for format in [ImageFormat.jpeg, .png, .webp, .avif] {
            let file = try EncoderRegistry().encode(image, as: format, options: EncodeOptions())
            for frame in [-1, 1, Int.max] {
                let error = #expect(throws: ImageError.self) {
                    try DecoderRegistry().decode(file, options: .with { $0.frame = frame })
                }
                #expect(error?.code == .invalidRequest)
            }
        }
    }
}

@Suite struct EncoderRegistryTests {
    private struct Empty: Encoding {
        var formats: [ImageFormat] { [.png] }
        func encode(_ image: DecodedImage, as format: ImageFormat, options: EncodeOptions) throws -> Data { Data() }
    }

    @Test
    func theNewestEncoderOfAFormatIsUsed() throws {
        let registry = EncoderRegistry()
        let image = DecodedImage(try photo(4, 4))
        let token = registry.register(Empty())
        #expect(try registry.encode(image, as: .png, options: EncodeOptions()).isEmpty)
        registry.remove(token)
        #expect(try !registry.encode(image, as: .png, options: EncodeOptions()).isEmpty)
        #expect(registry.formats.map(\.rawValue) == ["jpeg", "png", "webp", "avif", "rgba"])
    }

    @Test
    func aFormatThatNobodyWritesIsATypedError() throws {
        let image = DecodedImage(try photo(4, 4))
        let error = #expect(throws: ImageError.self) {
            try EncoderRegistry().encode(image, as: ImageFormat(rawValue: "tga"), options: EncodeOptions())
        }
        #expect(error?.code == .unsupportedFeature)
        #expect(error?.message.contains("tga") == true)
    }
}
