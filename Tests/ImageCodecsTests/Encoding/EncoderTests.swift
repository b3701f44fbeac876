import ImageCore
import ImageDecoding
import TestBitmaps
import ImageCodecs
import Testing

@Suite struct EncoderTests {
    private func options(quality: Int = 85) -> EncodeOptions {
        var options = EncodeOptions()
        options.quality = quality
        return options
    }

    private func transparent(_ width: Int, _ height: Int) throws -> Bitmap {
        try bitmap(width, height, alpha: .straight) { x, y in [UInt8(x * 9), UInt8(y * 11), 90, UInt8((x * 40 + y) % 256)] }
    }

    @Test(arguments: [ImageFormat.png, .webp])
    func losslessFormatsKeepEveryPixel(format: ImageFormat) throws {
        for source in [try photo(31, 17), try transparent(19, 23)] {
            let file = try EncoderRegistry(.codecs).encode(DecodedImage(source), as: format, options: options(quality: 100))
            let back = try DecoderRegistry(.codecs).decode(file, options: .with { $0.alpha = .straight })
            #expect(back.bitmap.all == source.all)
            #expect(back.bitmap.alpha == source.alpha)
        }
    }

    @Test(arguments: PixelFormat.allCases)
    func pngKeepsEveryPixelFormat(format: PixelFormat) throws {
        let source = try unsafe Bitmap(size: PixelSize(width: 9, height: 7), format: format, alpha: .straight) { pixels, _ in
            for i in 0..<pixels.count { unsafe pixels[i] = UInt8(truncatingIfNeeded: i * 31 + i / 7) }
        }
        let file = try PNGEncoder().encode(DecodedImage(source), as: .png, options: EncodeOptions())
        let back = try PNGDecoder().decode(file, options: .with { ($0.alpha, $0.convertsTo8Bit) = (.straight, false) })
        #expect(back.bitmap.format == format)
        #expect(back.bitmap.all == source.all)
    }

    @Test(arguments: [ImageFormat.jpeg, .webp, .avif])
    func lossyFormatsAreCloserWithHigherQuality(format: ImageFormat) throws {
        let source = try photo(96, 64)
        func mean(_ quality: Int) throws -> (Double, Int) {
            let file = try EncoderRegistry(.codecs).encode(DecodedImage(source), as: format, options: options(quality: quality))
            return (
                try DecoderRegistry(.codecs).decode(file, options: DecodeOptions()).bitmap.difference(to: source).mean,
                file.count
            )
        }
        let (good, large) = try mean(95)
        let (poor, small) = try mean(20)
        #expect(good < 2)
        #expect(good < poor)
        #expect(small < large)
    }

    @Test(arguments: [(ImageFormat.jpeg, 65_500), (.webp, 16_383), (.avif, 65_536)])
    func aSizeThatAFormatCannotHoldIsNamed(format: ImageFormat, most: Int) throws {
        for size in [PixelSize(width: most + 1, height: 1), PixelSize(width: 1, height: most + 1)] {
            let image = try unsafe Bitmap(size: size, format: .gray8, alpha: .opaque) { _, _ in }
            let error = #expect(throws: ImageError.self) {
                try EncoderRegistry(.codecs).encode(DecodedImage(image), as: format, options: options())
            }
            #expect(error?.code == .unsupportedFeature)
            #expect(error?.message.contains("\(size) pixels") == true)
            #expect(error?.message.contains("sides have at most \(most) pixels") == true, "\(error?.message ?? "")")
        }
    }

    @Test
    func jpegCompositesTransparencyOverWhite() throws {
        let source = try bitmap(16, 16, alpha: .premultiplied) { x, _ in x < 8 ? [0, 0, 0, 0] : [100, 0, 0, 128] }
        let file = try JPEGEncoder().encode(DecodedImage(source), as: .jpeg, options: options(quality: 100))
        let back = try JPEGDecoder().decode(file, options: DecodeOptions()).bitmap
        #expect(zip(back[2, 2], [255, 255, 255, 255]).allSatisfy { abs($0 - $1) <= 2 })
        #expect(zip(back[13, 8], [227, 127, 127, 255]).allSatisfy { abs($0 - $1) <= 2 })
    }

    @Test(arguments: [PixelFormat.gray8, .gray16])
    func grayscaleStaysGrayscale(pixels: PixelFormat) throws {
        func gray(_ format: PixelFormat) throws -> Bitmap {
            try unsafe Bitmap(size: PixelSize(width: 24, height: 16), format: format, alpha: .opaque) { pixels, bytesPerRow in
                // Both bytes of a 16-bit level are the 8-bit level.
                for i in 0..<pixels.count {
                    let (x, y) = (i % bytesPerRow / format.bytesPerPixel, i / bytesPerRow)
                    unsafe pixels[i] = UInt8((x + 64 * y) * 3 & 127)
                }
            }
        }
        let source = try gray(pixels)
        for format in [ImageFormat.jpeg, .png, .avif] {
            let file = try EncoderRegistry(.codecs).encode(DecodedImage(source), as: format, options: options(quality: 100))
            #expect(try DecoderRegistry(.codecs).info(of: file, limits: DecodingLimits()).colorModel == .gray)
            let back = try DecoderRegistry(.codecs).decode(file, options: DecodeOptions()).bitmap
            #expect(back.format == .gray8)
            #expect(back.difference(to: try gray(.gray8)).mean < 2)
        }
    }

    @Test
    func rgbaFilesAreSizeAndStraightRows() throws {
        let source = try bitmap(2, 1, alpha: .premultiplied) { x, _ in x == 0 ? [10, 20, 30, 255] : [64, 0, 0, 128] }
        let file = try RGBAEncoder().encode(DecodedImage(source), as: .rgba, options: EncodeOptions())
        #expect(Array(file) == [2, 0, 0, 0, 1, 0, 0, 0, 10, 20, 30, 255, 128, 0, 0, 128])
    }

    /// The format has no place for an orientation, so that the pixels are turned.
    @Test
    func rgbaFilesAreUpright() throws {
        let source = try bitmap(2, 1, alpha: .opaque) { x, _ in x == 0 ? [10, 20, 30, 255] : [40, 50, 60, 255] }
        var options = EncodeOptions()
        options.orientation = .right
        let file = try RGBAEncoder().encode(DecodedImage(source), as: .rgba, options: options)
        #expect(Array(file) == [1, 0, 0, 0, 2, 0, 0, 0, 10, 20, 30, 255, 40, 50, 60, 255])
    }

    @Test
    func encodingStopsWhenCancelled() throws {
        var options = EncodeOptions()
        options.cancellation = CancellationToken()
        options.cancellation?.cancel()
        for format in EncoderRegistry(.codecs).formats {
            #expect(throws: CancellationError.self) {
                try EncoderRegistry(.codecs).encode(DecodedImage(try photo(8, 8)), as: format, options: options)
            }
        }
    }
}
