import ImageCore
import ImageDecoding
import TestBitmaps
import Testing

@testable import ImageCodecs

/// The number of previews must not increase the codec's work.
@Suite struct PreviewCostTests {
    private let size = PixelSize(width: 90, height: 160)

    private func file(_ format: ImageFormat, _ change: (inout EncodeOptions) -> Void = { _ in }) throws -> Data {
        var options = EncodeOptions()
        change(&options)
        return try EncoderRegistry(.codecs).encode(DecodedImage(try photo(size.width, size.height)), as: format, options: options)
    }

    /// Requests a preview after each piece of the file, and returns the number of previews.
    private func feed(_ file: Data, to decoder: some IncrementalDecoder, piece: Int) throws -> Int {
        try stride(from: piece, to: file.count + piece, by: piece).count { count in
            try decoder.preview(of: file.prefix(count)) != nil
        }
    }

    @Test(arguments: [1, 10, 100, 100_000])
    func everyRowOfABaselineJPEGIsDecodedOnce(piece: Int) throws {
        let decoder = try JPEGPreviews(options: DecodeOptions())
        let previews = try feed(try file(.jpeg), to: decoder, piece: piece)
        #expect(decoder.rowsDecoded == size.height)
        #expect(previews > 5 || piece > 100)
    }

    @Test(arguments: [1, 10, 100, 100_000])
    func aProgressiveJPEGIsDecodedAtMostOnceForEachScan(piece: Int) throws {
        let decoder = try JPEGPreviews(options: DecodeOptions())
        let file = try file(.jpeg) { $0.isProgressive = true }
        let scans = file.indices.dropLast().count { file[$0] == 0xFF && file[$0 + 1] == 0xDA }
        let previews = try feed(file, to: decoder, piece: piece)
        #expect(previews <= scans)
        #expect(previews > 3 || piece > 100)
        #expect(decoder.rowsDecoded == size.height * previews)
    }

    @Test(arguments: [1, 10, 100, 100_000])
    func everyRowOfAPNGIsDecodedOnce(piece: Int) throws {
        let decoder = try PNGPreviews(options: DecodeOptions())
        _ = try feed(try file(.png), to: decoder, piece: piece)
        #expect(decoder.rowsDecoded == size.height)
    }

    @Test(arguments: [1, 10, 100_000])
    func everyRowOfEachPassOfAnInterlacedPNGIsDecodedOnce(piece: Int) throws {
        var builder = PNGBuilder(size: PixelSize(width: 20, height: 19), colorType: .rgb, depth: 8) { x, y in [x * 9, y * 9, 77] }
        builder.isInterlaced = true
        let decoder = try PNGPreviews(options: DecodeOptions())
        _ = try feed(builder.file, to: decoder, piece: piece)
        // libpng passes each row of the image to each pass, at most seven.
        #expect(decoder.rowsDecoded <= 7 * 19)
    }

    @Test(.enabled(if: Corpus.root != nil, "no corpus at CALOTYPE_CORPUS or ../shared/corpus"), arguments: [100, 5000])
    func everyLayerOfAnAVIFIsDecodedOnceAsAPreview(piece: Int) throws {
        let corpus = try Corpus(root: Corpus.root ?? "")
        let file = try corpus.data("avif/layered/av1-fruits_2layer_thumbsize.avif")
        let decoder = try AVIFPreviews(options: DecodeOptions())
        let previews = try feed(file, to: decoder, piece: piece)
        #expect(previews == 1)
        #expect(decoder.layer == 1)
    }
}
