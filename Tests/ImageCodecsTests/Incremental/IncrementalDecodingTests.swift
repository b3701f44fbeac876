import CalotypeTesting
import ImageCore
import ImageDecoding
import TestBitmaps
import ImageCodecs
import Testing

@Suite struct IncrementalDecodingTests {
    let registry = DecoderRegistry(.codecs)

    /// Images of each kind that has previews, and one that has none.
    private func files() throws -> [(name: String, file: Data)] {
        func encode(_ format: ImageFormat, _ quality: Int = 85, effort: Int? = nil) throws -> Data {
            var options = EncodeOptions()
            (options.quality, options.effort) = (quality, effort)
            return try EncoderRegistry(.codecs).encode(DecodedImage(try photo(90, 70)), as: format, options: options)
        }
        var random = SeededGenerator(seed: 1)
        let noise = try bitmap(90, 70) { x, _ in [UInt8(x), UInt8.random(in: 0...255, using: &random), 9, 255] }
        let lossless = try WebPEncoder().encode(DecodedImage(noise), as: .webp, options: .lossless)
        let size = PixelSize(width: 60, height: 50)
        let turned: [(String, [UInt8])] = [("eXIf", exif(6)), ("gAMA", big(100_000))]
        var deep = PNGBuilder(size: size, colorType: .rgbAlpha, depth: 16) { x, y in
            [x * 999, y * 999, 7, 1000 * (x + y) & 65535]
        }
        deep.chunks = turned
        var interlaced = PNGBuilder(size: size, colorType: .rgb, depth: 8, isInterlaced: true) { x, y in [x * 4, y * 4, x + y] }
        interlaced.chunks = turned
        return [
            ("baseline", try encode(.jpeg)), ("progressive", try encode(.jpeg, effort: 9)), ("png", try encode(.png)),
            ("deep png", deep.file), ("interlaced png", interlaced.file), ("lossy webp", try encode(.webp)),
            ("lossless webp", lossless), ("avif", try encode(.avif, effort: 0)),
        ]
    }

    @Test(arguments: [1, 7, 1000, 4096])
    func thePreviewOfAllBytesIsTheImage(piece: Int) throws {
        for (name, file) in try files() where name != "avif" {
            for target in [nil, PixelSize(width: 20, height: 20)] {
                let options = DecodeOptions.with { $0.targetSize = target }
                let whole = try registry.decode(file, options: options).bitmap
                let last = try #require(registry.previews(of: file, piece: piece, options: options).last, "\(name)")
                #expect(last.bitmap.all == whole.all, "\(name) in \(piece)")
                #expect(last.isPreview && !last.isPartial, "\(name)")
            }
        }
    }

    @Test(arguments: [65_537, 100_000, 100_001])
    func exifOfAPNGCountsUpToTheMetadataLimitInEveryWayOfDecoding(byteCount: Int) throws {
        let options = DecodeOptions.with { $0.limits.metadataBytes = 100_000 }
        let builder = PNGBuilder(size: PixelSize(width: 3, height: 2), colorType: .rgb, depth: 8) { x, y in [x, y, 7] }
        let (plain, turned) = (builder.file, exif(6))
        let chunk = PNGBuilder.chunk("eXIf", turned + [UInt8](repeating: 0, count: byteCount - turned.count))
        let counts = byteCount <= 100_000
        let (size, orientation) = counts ? (PixelSize(width: 2, height: 3), Orientation.right) : (builder.size, .up)
        // After the header, and after the pixels.
        for position in [33, plain.count - 12] {
            let file = Data(plain.prefix(position) + chunk + plain.dropFirst(position))
            #expect(try registry.info(of: file, limits: options.limits).orientation == orientation)
            let whole = try registry.decode(file, options: options)
            #expect(whole.size == size)
        }
    }

    @Test
    func previewsImproveWhileBytesArrive() throws {
        for (name, file) in try files() where name != "avif" {
            let whole = try registry.decode(file, options: DecodeOptions())
            let previews = try registry.previews(of: file, piece: max(1, file.count / 30))
            #expect(previews.count >= 2, "\(name): \(previews.count)")
            #expect(previews.allSatisfy { $0.isPreview })
            #expect(previews.allSatisfy { $0.bitmap.width == whole.bitmap.width || name.contains("png") })
            // A later preview is at least as close to the final image.
            let seen = previews.map { image in image.bitmap.all.count { $0.last == 255 || $0.count == 1 } }
            #expect(seen == seen.sorted(), "\(name): \(seen)")
        }
    }

    @Test
    func aFileThatStopsEarlyIsTruncatedOrPartial() throws {
        for (name, file) in try files() where name != "avif" {
            let cut = Data(file.prefix(file.count * 6 / 10))
            let error = #expect(throws: ImageError.self) { try registry.decode(cut, options: DecodeOptions()) }
            #expect(error?.code == .truncated, "\(name)")
            let partial = try registry.decode(cut, options: .with { $0.allowsPartial = true })
            #expect(partial.isPartial, "\(name)")
        }
    }

    @Test
    func limitsAreCheckedBeforeMemoryIsAllocated() throws {
        for (name, file) in try files() {
            let options = DecodeOptions.with { $0.limits.pixels = 2999 }
            let error = #expect(throws: ImageError.self) { try registry.decode(file, options: options) }
            #expect(error?.code == .tooLarge, "\(name)")
            #expect((try? registry.previews(of: file, piece: 50, options: options))?.isEmpty ?? true, "\(name)")
        }
    }

    @Test
    func damagedPiecesNeverCrash() throws {
        var random = SeededGenerator(seed: 11)
        for (_, file) in try files() {
            for _ in 0..<40 {
                var damaged = file
                for _ in 0..<4 {
                    damaged[Int.random(in: 0..<file.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
                }
                do {
                    _ = try registry.previews(of: damaged, piece: Int.random(in: 1...600, using: &random))
                } catch let error as ImageError {
                    #expect(!error.message.isEmpty)
                }
            }
        }
    }

    @Test
    func aCancelledPreviewThrowsCancellation() throws {
        for (_, file) in try files() {
            let token = CancellationToken()
            let options = DecodeOptions.with { $0.cancellation = token }
            let decoder = try #require(try registry.makeIncrementalDecoder(for: file.prefix(64), options: options))
            _ = try decoder.preview(of: file.prefix(40))
            token.cancel()
            #expect(throws: CancellationError.self) { try decoder.preview(of: file) }
        }
    }
}
