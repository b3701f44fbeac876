import CalotypeTesting
import ImageCore
import ImageDecoding
import ProjectFiles
import TestBitmaps
import ImageCodecs
import Testing

/// Files that are truncated, damaged, or declare wrong sizes.
@Suite struct HostileInputTests {
    static let formats: [ImageFormat] = [.jpeg, .png, .webp, .avif]
    let registry = DecoderRegistry(.codecs)

    private func file(_ format: ImageFormat, effort: Int? = nil, quality: Int = 85) throws -> Data {
        var options = EncodeOptions()
        options.effort = effort
        options.quality = quality
        return try EncoderRegistry(.codecs).encode(DecodedImage(try photo(40, 24)), as: format, options: options)
    }

    @Test(arguments: formats)
    func aTruncatedFileIsATypedErrorOrAPartialImage(format: ImageFormat) throws {
        for (effort, quality) in [(3, 85), (9, 100)] {
            let file = try file(format, effort: effort, quality: quality)
            let whole = try registry.decode(file, options: DecodeOptions()).bitmap
            var partial = 0
            for count in stride(from: 0, to: file.count, by: max(1, file.count / 400)) {
                let cut = file.prefix(count)
                // If partial images are not allowed, only the very end of the file may be missing.
                do {
                    let image = try registry.decode(Data(cut), options: DecodeOptions())
                    #expect(!image.isPartial)
                    #expect(image.bitmap.all == whole.all, "\(format) cut at \(count) of \(file.count)")
                } catch let error as ImageError {
                    #expect([.truncated, .corrupt, .emptyFile, .unknownFormat].contains(error.code), "\(error) at \(count)")
                }
                // If partial images are allowed, the available part is decoded. A slice must give the same as other
                // data.
                do {
                    if try registry.decode(cut, options: .with { $0.allowsPartial = true }).isPartial { partial += 1 }
                } catch let error as ImageError {
                    #expect(error.category == .file || error.category == .unsupported)
                }
                _ = try? registry.info(of: cut, limits: DecodingLimits())
            }
            #expect(format == .avif || partial > 0)
        }
    }

    @Test(arguments: [ImageFormat.jpeg, .png, .webp, .avif, .gif], [false, true])
    func aFileThatEndsEarlyIsReportedAsTruncated(format: ImageFormat, isTransparent: Bool) throws {
        let file: Data
        if format == .gif {
            file = try Data(
                contentsOf: ProjectFiles.fuzzSeeds.appending(path: isTransparent ? "gif/interlaced.gif" : "gif/still.gif"))
        } else {
            let clear = try bitmap(40, 24, alpha: .straight) { x, y in [UInt8(x * 6), UInt8(y * 9), 77, UInt8(x * y & 255)] }
            let image = DecodedImage(isTransparent && format != .jpeg ? clear : try photo(40, 24))
            file = try EncoderRegistry(.codecs).encode(image, as: format, options: EncodeOptions())
        }
        for count in 12..<file.count {
            do {
                // Only a trailer or padding may be missing, and no part of the image.
                let image = try registry.decode(Data(file.prefix(count)), options: DecodeOptions())
                #expect(!image.isPartial && count > file.count - 40, "\(count) of \(file.count)")
            } catch let error as ImageError {
                #expect(error.code == .truncated, "\(count) of \(file.count): \(error)")
            }
        }
    }

    @Test(arguments: formats)
    func aDamagedFileNeverCrashes(format: ImageFormat) throws {
        let file = try file(format)
        var random = SeededGenerator(seed: 7)
        for _ in 0..<300 {
            var damaged = file
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                damaged[Int.random(in: 0..<file.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            for allowsPartial in [false, true] {
                do {
                    _ = try registry.decode(damaged, options: .with { $0.allowsPartial = allowsPartial })
                } catch let error as ImageError {
                    #expect(!error.message.isEmpty)
                }
            }
        }
    }

    @Test(arguments: formats)
    func limitsAreCheckedAgainstTheHeader(format: ImageFormat) throws {
        let file = try file(format)
        for change in [\DecodingLimits.pixels, \.imageBytes] {
            let error = #expect(throws: ImageError.self) {
                try registry.decode(file, options: .with { $0.limits[keyPath: change] = 40 * 24 - 1 })
            }
            #expect(error?.code == .tooLarge, "\(format)")
        }
        #expect(throws: ImageError.self) {
            var limits = DecodingLimits()
            limits.pixels = 40 * 24 - 1
            _ = try registry.info(of: file, limits: limits)
        }
        _ = try registry.decode(file, options: .with { $0.limits.pixels = 40 * 24 })
    }

    @Test
    func impossibleSizesAreRefused() throws {
        let png = PNGBuilder(size: PixelSize(width: 3, height: 3), colorType: .rgb, depth: 16) { _, _ in [0, 0, 0] }.file
        let header = PNGBuilder.chunk("IHDR", big(0x7FFF_FFFF) + big(0x7FFF_FFFF) + [16, 2, 0, 0, 0])
        let huge = png.prefix(8) + header + png.dropFirst(33)
        // VP8X: a canvas of 16,384 × 16,385, stored less one in 24 bits.
        let chunk: [UInt8] = Array("VP8X".utf8) + [10, 0, 0, 0, 0x10, 0, 0, 0, 0xFF, 0x3F, 0, 0x00, 0x40, 0]
        let lossy = try file(.webp).dropFirst(12)
        let size = chunk.count + lossy.count + 4
        let webp = Data(Array("RIFF".utf8) + [UInt8(size & 255), UInt8(size >> 8), 0, 0] + Array("WEBP".utf8) + chunk) + lossy
        for file in [huge, webp] {
            let error = #expect(throws: ImageError.self) { try registry.decode(file, options: DecodeOptions()) }
            #expect(error?.code == .tooLarge || error?.code == .corrupt)
        }
        #expect(throws: ImageError.self) { try registry.decode(huge, options: .with { $0.limits.pixels = .max }) }
    }

    @Test(arguments: [3, 0x9000_0000])
    func theFrameCountOfAnAnimatedPNGIsThatOfItsFrames(declared: Int) throws {
        func control(_ number: Int) -> [UInt8] { big(number) + big(2) + big(2) + big(0) + big(0) + [0, 1, 0, 10, 0, 0] }
        var builder = PNGBuilder(size: PixelSize(width: 2, height: 2), colorType: .gray, depth: 8) { _, _ in [9] }
        builder.chunks = [("acTL", big(declared) + big(0)), ("fcTL", control(0))]
        let data = big(2) + PNGBuilder.stored([0, 7, 7, 0, 7, 7])
        let second = PNGBuilder.chunk("fcTL", control(1)) + PNGBuilder.chunk("fdAT", data)
        let file = builder.file.dropLast(12) + second + PNGBuilder.chunk("IEND", [])
        #expect(try registry.info(of: file, limits: DecodingLimits()).frameCount == 2)
        #expect(try registry.decode(file, options: .with { $0.frame = 1 }).bitmap[0, 0].first == 7)
        for frame in [2, declared - 1, declared] {
            let error = #expect(throws: ImageError.self) { try registry.decode(file, options: .with { $0.frame = frame }) }
            #expect(error?.code == .invalidRequest)
        }
    }

    @Test(arguments: formats)
    func aCancelledDecodeThrowsCancellation(format: ImageFormat) throws {
        let token = CancellationToken()
        token.cancel()
        let file = try file(format)
        #expect(throws: CancellationError.self) {
            try registry.decode(file, options: .with { $0.cancellation = token })
        }
        for decoder in [any Decoding].codecs where decoder.format(of: file) != nil {
            #expect(throws: CancellationError.self) { try decoder.decode(file, options: .with { $0.cancellation = token }) }
        }
    }
}
