import CalotypeTesting
import ImageCore
import ImageDecoding
import TestBitmaps
import Testing

@testable import ImageCodecs

@Suite struct DecodedRowsTests {
    let registry = DecoderRegistry(.codecs)
    private static let size = PixelSize(width: 1000, height: 260)

    private struct Collected {
        var size: PixelSize?
        var pixels: [UInt8] = []
        var batches = 0
    }

    private func rows(of file: Data, _ options: DecodeOptions = .with { $0.alpha = .straight }) throws -> Collected {
        var collected = Collected()
        try registry.decodeRows(file, options: options) { rows in
            #expect(rows.first * rows.size.width * 4 == collected.pixels.count)
            collected.size = rows.size
            collected.batches += 1
            unsafe rows.forEachPiece { unsafe collected.pixels += $0 }
        }
        return collected
    }

    private static func png(_ type: PNGBuilder.ColorType, interlaced: Bool = false, chunks: [(String, [UInt8])] = []) -> Data {
        var builder = PNGBuilder(size: size, colorType: type, depth: 8, isInterlaced: interlaced) { x, y in
            (0..<type.channels).map { (x * 3 + y * 7 + $0 * 50) & 255 }
        }
        builder.chunks = chunks
        return builder.file
    }

    private static func encoded(_ format: ImageFormat, _ change: (inout EncodeOptions) -> Void = { _ in }) throws -> Data {
        var options = EncodeOptions()
        change(&options)
        return try EncoderRegistry(.codecs).encode(DecodedImage(photo(size.width, size.height)), as: format, options: options)
    }

    /// Files, and whether their rows are passed as they are decoded.
    private static func files() throws -> [(name: String, file: Data, streams: Bool)] {
        let palette = [("PLTE", (0..<768).map { UInt8(truncatingIfNeeded: $0 * 5) })]
        return [
            ("jpeg", try encoded(.jpeg), true), ("progressive", try encoded(.jpeg) { $0.isProgressive = true }, true),
            ("turned", try encoded(.jpeg) { $0.orientation = .right }, false), ("rgb", png(.rgb), true),
            ("alpha", png(.rgbAlpha), true), ("gamma", png(.rgb, chunks: [("gAMA", big(100_000))]), true),
            ("palette", png(.palette, chunks: palette), true), ("gray", png(.gray), false),
            ("interlaced", png(.rgb, interlaced: true), false), ("webp", try encoded(.webp), false),
            ("avif", try encoded(.avif) { $0.effort = 0 }, true),
            ("avif, full chroma", try encoded(.avif) { ($0.chroma, $0.effort) = (.full, 0) }, true),
            ("turned avif", try encoded(.avif) { ($0.orientation, $0.effort) = (.right, 0) }, false),
        ]
    }

    @Test
    func rowsAreThoseOfTheImageAndArriveInPieces() throws {
        for (name, file, streams) in try Self.files() {
            let image = try registry.decode(file, options: .with { $0.alpha = .straight })
            let whole = try RGBAEncoder().encode(image, as: .rgba, options: EncodeOptions())
            let collected = try rows(of: file)
            #expect(collected.size == image.size, "\(name)")
            // Compared outside `#expect`, which takes minutes to describe the difference of two long arrays.
            let isSame = collected.pixels.elementsEqual(whole.dropFirst(8))
            #expect(isSame, "\(name)")
            #expect((collected.batches > 3) == streams, "\(name): \(collected.batches)")
        }
    }

    @Test
    func anErrorOfTheImageIsThrownEvenAfterItsLastRow() throws {
        for (name, file, _) in try Self.files() {
            let error = #expect(throws: ImageError.self) { try rows(of: Data(file.prefix(file.count * 6 / 10))) }
            #expect(error?.code == .truncated, "\(name)")
        }
        let error = #expect(throws: ImageError.self) { try rows(of: Data(Self.encoded(.jpeg).dropLast(30))) }
        #expect(error?.code == .truncated)
    }

    @Test
    func aPartialImageIsDeliveredIfAllowed() throws {
        let file = Self.png(.rgb)
        let cut = Data(file.prefix(file.count * 6 / 10))
        let options = DecodeOptions.with { ($0.alpha, $0.allowsPartial) = (.straight, true) }
        let image = try registry.decode(cut, options: options)
        #expect(image.isPartial)
        let whole = try RGBAEncoder().encode(image, as: .rgba, options: EncodeOptions())
        let isSame = try rows(of: cut, options).pixels.elementsEqual(whole.dropFirst(8))
        #expect(isSame)
    }

    @Test
    func errorsOfTheReceiverAndCancellationStopTheDecode() throws {
        let token = CancellationToken()
        let options = DecodeOptions.with { ($0.alpha, $0.cancellation) = (.straight, token) }
        var batches = 0
        #expect(throws: CancellationError.self) {
            try registry.decodeRows(Self.png(.rgb), options: options) { _ in
                batches += 1
                token.cancel()
            }
        }
        #expect(batches == 1)
        struct Full: Error {}
        #expect(throws: Full.self) {
            try registry.decodeRows(Self.png(.rgb), options: .with { $0.alpha = .straight }) { _ in throw Full() }
        }
    }
}
