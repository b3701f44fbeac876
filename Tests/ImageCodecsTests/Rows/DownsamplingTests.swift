import ImageCore
import ImageDecoding
import TestBitmaps
import ImageCodecs
import ImageKernels
import Testing

@Suite struct DownsamplingTests {
    /// The formats, and their encoding in these tests.
    static let files: [(ImageFormat, Int)] = [(.jpeg, 95), (.jpeg, 96), (.png, 85), (.webp, 80), (.webp, 100), (.avif, 90)]

    private func file(_ format: ImageFormat, _ quality: Int, _ source: Bitmap) throws -> Data {
        var options = EncodeOptions()
        options.quality = quality
        if format == .jpeg, quality == 96 { options.effort = 9 }
        if format == .avif { options.effort = 0 }
        return try EncoderRegistry(.codecs).encode(DecodedImage(source), as: format, options: options)
    }

    @Test(arguments: files)
    func aScaledDecodeIsCloseToAResizedFullDecode(format: ImageFormat, quality: Int) throws {
        let file = try file(format, quality, photo(403, 301))
        let full = try DecoderRegistry(.codecs).decode(file, options: DecodeOptions()).bitmap
        for (box, mode) in [(40, ImageContentMode.fit), (100, .fill), (173, .exact), (300, .fit)] {
            let box = PixelSize(width: box, height: box)
            let small = try DecoderRegistry(.codecs).decode(
                file, options: .with { ($0.targetSize, $0.contentMode) = (box, mode) }
            )
            .bitmap
            let geometry = ResizeGeometry(source: full.size, box: box, mode: mode)
            let expected = try Resampler.resize(full, to: geometry)
            let (largest, mean) = small.difference(to: expected)
            // Codecs that scale the image differ at edges; the others do not differ.
            let isExact = format == .png || (format == .avif)
            #expect(isExact ? largest <= 1 : mean < 1, "\(format) \(box) \(mode): \(largest), \(mean)")
        }
    }

    @Test
    func aBaselineJPEGBeyondThePixelLimitIsDecodedToASizeWithinIt() throws {
        let source = try photo(400, 300)
        let box = PixelSize(width: 100, height: 75)
        func decode(_ file: Data, _ options: DecodeOptions) throws -> DecodedImage {
            try DecoderRegistry(.codecs).decode(file, options: options)
        }
        func limited(to box: PixelSize?) -> DecodeOptions {
            .with { ($0.targetSize, $0.limits.pixels) = (box, 100 * 75) }
        }
        let baseline = try file(.jpeg, 95, source)
        let image = try decode(baseline, limited(to: box))
        #expect(image.bitmap.isSame(as: try decode(baseline, .with { $0.targetSize = box }).bitmap))
        // These exceed the limit: the whole image, a larger result, and a progressive file, all of whose coefficients
        // are held.
        let progressive = try file(.jpeg, 96, source)
        for (file, target) in [(baseline, nil), (baseline, PixelSize(width: 101, height: 300)), (progressive, box)] {
            let error = #expect(throws: ImageError.self) { try decode(file, limited(to: target)) }
            #expect(error?.code == .tooLarge)
        }
    }

    @Test
    func aTargetSizeAboveTheImagesSizeChangesNothing() throws {
        let file = try file(.jpeg, 90, photo(40, 30))
        let image = try DecoderRegistry(.codecs).decode(
            file, options: .with { $0.targetSize = PixelSize(width: 400, height: 400) })
        #expect(image.size == PixelSize(width: 40, height: 30))
    }

    @Test(arguments: 1...8, ImageContentMode.allCases)
    func theTargetSizeIsThatOfTheUprightImage(orientation: Int, mode: ImageContentMode) throws {
        // Given: an image stored with 160 × 96 pixels, and a box that is higher than wide.
        let file = JPEGBuilder(
            blocks: PixelSize(width: 20, height: 12), components: 1,
            segments: [(0xE1, Array("Exif".utf8) + [0, 0] + exif(orientation))]
        ) { x, y in [x * 10 + y] }.file
        let box = PixelSize(width: 21, height: 34)
        // When:
        let small = try JPEGDecoder().decode(file, options: .with { ($0.targetSize, $0.contentMode) = (box, mode) }).bitmap
        // Then: the result is that of applying the orientation first and scaling then.
        let full = try JPEGDecoder().decode(file, options: DecodeOptions()).bitmap
        let geometry = ResizeGeometry(source: full.size, box: box, mode: mode)
        #expect(small.size == geometry.output)
        #expect(small.difference(to: try Resampler.resize(full, to: geometry)).mean < 1.5)
    }

    @Test
    func transparentImagesAreScaledPremultiplied() throws {
        // Given: red opaque pixels and green transparent ones.
        let source = try bitmap(64, 64, alpha: .straight) { x, _ in x < 32 ? [255, 0, 0, 255] : [0, 255, 0, 0] }
        let file = try PNGEncoder().encode(DecodedImage(source), as: .png, options: EncodeOptions())
        for alpha in [AlphaMode.premultiplied, .straight] {
            let small = try PNGDecoder().decode(
                file, options: .with { ($0.targetSize, $0.alpha) = (PixelSize(width: 7, height: 7), alpha) }
            ).bitmap
            #expect(small.alpha == alpha)
            #expect(small.all.allSatisfy { $0[1] == 0 })
        }
    }

    @Test
    func anEmptyTargetIsRefused() throws {
        let file = try file(.png, 85, photo(8, 8))
        let error = #expect(throws: ImageError.self) {
            try DecoderRegistry(.codecs).decode(file, options: .with { $0.targetSize = PixelSize(width: 0, height: 9) })
        }
        #expect(error?.code == .invalidRequest)
    }
}
