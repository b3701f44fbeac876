import ImageCore
import ImageDecoding
import TestBitmaps
import ImageCodecs
import Testing

/// Thumbnails in Exif, and layers of AVIF.
@Suite struct PreviewTests {
    /// A JPEG whose Exif contains a smaller, red image.
    private func file(orientation: Int = 6) throws -> Data {
        let small = try bitmap(16, 12) { _, _ in [220, 10, 10, 255] }
        let thumbnail = try JPEGEncoder().encode(DecodedImage(small), as: .jpeg, options: EncodeOptions())
        func short(_ n: Int) -> [UInt8] { [UInt8(n >> 8), UInt8(n & 255)] }
        func entry(_ tag: Int, _ type: Int, _ value: [UInt8]) -> [UInt8] { short(tag) + short(type) + big(1) + value }
        var tiff = Array("MM".utf8) + short(42) + big(8)
        tiff += short(1) + entry(0x0112, 3, short(orientation) + [0, 0]) + big(26)
        tiff += short(2) + entry(0x0201, 4, big(56)) + entry(0x0202, 4, big(thumbnail.count)) + big(0)
        let exif = Array("Exif".utf8) + [0, 0] + tiff + Array(thumbnail)
        let source = try JPEGEncoder().encode(DecodedImage(try photo(200, 120)), as: .jpeg, options: EncodeOptions())
        return source.prefix(2) + JPEGBuilder.segment(0xE1, exif) + source.dropFirst(2)
    }

    @Test
    func theExifThumbnailIsOrientedLikeTheImage() throws {
        let file = try file()
        let image = try #require(try JPEGDecoder().embeddedThumbnail(in: file, options: DecodeOptions()))
        #expect(image.size == PixelSize(width: 12, height: 16))
        #expect(image.bitmap[5, 5][0] > 200)
        let source = try JPEGEncoder().encode(DecodedImage(try photo(9, 9)), as: .jpeg, options: EncodeOptions())
        #expect(try JPEGDecoder().embeddedThumbnail(in: source, options: DecodeOptions()) == nil)
        // A thumbnail whose position is outside the data.
        var broken = Array(file)
        let entry: [UInt8] = [0x02, 0x01, 0, 4, 0, 0, 0, 1]
        let place = try #require(broken.indices.first { broken[$0...].starts(with: entry) })
        broken.replaceSubrange((place + 8)..<(place + 12), with: [0x7F, 0xFF, 0xFF, 0xFF])
        #expect(try JPEGDecoder().embeddedThumbnail(in: Data(broken), options: DecodeOptions()) == nil)
    }

    @Test
    func theThumbnailIsFoundAsSoonAsItHasArrived() throws {
        let file = try file()
        let registry = DecoderRegistry(.codecs)
        func thumbnail(_ count: Int) throws -> PixelSize? {
            try registry.embeddedThumbnail(in: file.prefix(count), options: DecodeOptions())?.size
        }
        #expect(try thumbnail(200) == nil)
        #expect(try thumbnail(file.count - 500) == PixelSize(width: 12, height: 16))
        let plain = try JPEGEncoder().encode(DecodedImage(try photo(9, 9)), as: .jpeg, options: EncodeOptions())
        #expect(try registry.embeddedThumbnail(in: plain, options: DecodeOptions()) == nil)
    }

    @Test(.enabled(if: Corpus.root != nil, "no corpus at CALOTYPE_CORPUS or ../shared/corpus"))
    func layersArePreviewedAsTheyArrive() throws {
        let corpus = try Corpus(root: Corpus.root ?? "")
        var previews = 0
        for (path, _) in corpus.entries where path.hasPrefix("avif/layered/") {
            let file = try corpus.data(path)
            for piece in [997, file.count / 3 + 1] {
                // A file without layers has no previews.
                let found = (try? DecoderRegistry(.codecs).previews(of: file, piece: piece)) ?? []
                previews += found.count
                #expect(found.allSatisfy { $0.isPreview }, "\(path)")
            }
        }
        print("corpus, layers shown: \(previews)")
        #expect(previews >= 4)
    }
}
