import ImageCore
import ImageDecoding
import ImageKernels
import TestBitmaps
import ImageCodecs
import Testing

@Suite struct CodecDecoderTests {
    @Test
    func formatsAreKnownByContent() throws {
        let registry = DecoderRegistry(.codecs)
        let image = DecodedImage(try photo(20, 10))
        for format in [ImageFormat.jpeg, .png, .webp, .avif] {
            let file = try EncoderRegistry(.codecs).encode(image, as: format, options: EncodeOptions())
            #expect(registry.format(of: file.prefix(64)) == format)
            let info = try registry.info(of: file, limits: DecodingLimits())
            #expect(info.format == format)
            #expect(info.size == PixelSize(width: 20, height: 10))
            #expect(info.frameCount == 1)
        }
    }

    /// The image is smooth and has a hard edge. At the edge two resampling steps overshoot a little more than one.
    @Test(arguments: [ImageFormat.jpeg, .png, .webp], [ImageContentMode.fit, .fill, .exact])
    func anImageResizedFromALargerDecodeIsCloseToItsOwnDecode(format: ImageFormat, mode: ImageContentMode) throws {
        let registry = DecoderRegistry(.codecs)
        let file = try EncoderRegistry(.codecs).encode(DecodedImage(try photo(1001, 667)), as: format, options: EncodeOptions())
        func options(_ side: Int) -> DecodeOptions {
            .with { ($0.targetSize, $0.contentMode) = (PixelSize(width: side, height: side), mode) }
        }
        let larger = try registry.decode(file, options: options(400))
        for side in [200, 160, 75] {
            let own = try registry.decode(file, options: options(side)).bitmap
            let resized = try larger.resized(for: options(side), decodedTo: PixelSize(400)) {
                try registry.decodedSize(of: file, options: options(side))
            }
            let made = try #require(resized).bitmap
            #expect(made.size == own.size)
            let differences = zip(made.all, own.all).flatMap { zip($0, $1).map { abs($0 - $1) } }
            #expect(Double(differences.reduce(0, +)) / Double(differences.count) < 0.5)
            #expect(differences.count { $0 > 2 } < differences.count / 50)
        }
    }

    @Test func noPartIsMadeOfALargerPartThatDoesNotHaveIt() throws {
        var options = DecodeOptions()
        (options.targetSize, options.contentMode) = (PixelSize(width: 40, height: 20), .fill)
        let full = PixelSize(width: 400, height: 300)
        let square = DecodedImage(try photo(100, 100))
        #expect(try square.resized(for: options, decodedTo: PixelSize(100)) { full } == nil)
        // The whole width, of which the part has all.
        let wide = DecodedImage(try photo(100, 75))
        #expect(try wide.resized(for: options, decodedTo: PixelSize(width: 100, height: 75)) { full }?.size == options.targetSize)
    }

    @Test
    func errorsNameTheFormatOfTheFileAndTheSupportedFormats() throws {
        let registry = DecoderRegistry(.codecs)
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
    func missingFramesAreRefused() throws {
        let image = DecodedImage(try photo(20, 10))
        for format in [ImageFormat.jpeg, .png, .webp, .avif] {
            let file = try EncoderRegistry(.codecs).encode(image, as: format, options: EncodeOptions())
            for frame in [-1, 1, Int.max] {
                let error = #expect(throws: ImageError.self) {
                    try DecoderRegistry(.codecs).decode(file, options: .with { $0.frame = frame })
                }
                #expect(error?.code == .invalidRequest)
            }
        }
    }
}

@Suite struct CodecEncoderTests {
    private struct Empty: Encoding {
        var formats: [ImageFormat] { [.png] }
        func encode(_ image: DecodedImage, as format: ImageFormat, options: EncodeOptions) throws -> Data { Data() }
    }

    @Test
    func theNewestEncoderOfAFormatIsUsed() throws {
        let registry = EncoderRegistry(.codecs)
        let image = DecodedImage(try photo(4, 4))
        #expect(try !registry.encode(image, as: .png, options: EncodeOptions()).isEmpty)
        registry.register(Empty())
        #expect(try registry.encode(image, as: .png, options: EncodeOptions()).isEmpty)
        #expect(try !registry.encode(image, as: .jpeg, options: EncodeOptions()).isEmpty)
        #expect(registry.formats.map(\.rawValue) == ["png", "jpeg", "webp", "avif", "rgba"])
    }

    @Test
    func encodingAnUnsupportedFormatIsATypedError() throws {
        let image = DecodedImage(try photo(4, 4))
        let error = #expect(throws: ImageError.self) {
            try EncoderRegistry(.codecs).encode(image, as: ImageFormat(rawValue: "tga"), options: EncodeOptions())
        }
        #expect(error?.code == .unsupportedFeature)
        #expect(error?.message.contains("tga") == true)
    }
}
