import ImageCore
import ImageDecoding
import ProjectFiles
import TestBitmaps
import Testing

@testable import ImageCodecs

/// The first frame of an animation is a preview (FEATURES 9.6).
@Suite struct AnimationPreviewTests {
    private func file(_ path: String) throws -> Data {
        try Data(contentsOf: ProjectFiles.fuzzSeeds.appending(path: path))
    }

    /// The previews, and the number of bytes at which the last one came.
    private func previews(of file: Data, piece: Int) throws -> (images: [DecodedImage], lastAt: Int) {
        let decoder = try #require(
            try DecoderRegistry(.codecs).makeIncrementalDecoder(for: file.prefix(64), options: DecodeOptions()))
        var (images, lastAt) = ([DecodedImage](), 0)
        for count in stride(from: piece, to: file.count + piece, by: piece) {
            guard let image = try decoder.preview(of: file.prefix(count)) else { continue }
            images.append(image)
            lastAt = min(count, file.count)
        }
        return (images, lastAt)
    }

    @Test(
        arguments: ["gif/animated.gif", "webp/animated.webp", "webp/animated-lossless.webp", "avif/sequence.avif"], [1, 7, 100])
    func theFirstFrameIsDecodedOnceWhenItIsComplete(path: String, piece: Int) throws {
        let file = try file(path)
        let first = try DecoderRegistry(.codecs).animation(of: file, options: DecodeOptions()).frame(at: 0)
        let (images, lastAt) = try previews(of: file, piece: piece)
        #expect(images.count == 1 && lastAt < file.count)
        #expect(images.first?.bitmap.all == first.bitmap.all && images.first?.isPreview == true)
    }

    @Test(arguments: [1, 7, 100])
    func theFirstFrameOfAPNGIsPreviewedByItsRows(piece: Int) throws {
        let file = try file("png/animated.png")
        let first = try DecoderRegistry(.codecs).animation(of: file, options: DecodeOptions()).frame(at: 0)
        let (images, lastAt) = try previews(of: file, piece: piece)
        #expect(images.last?.bitmap.all == first.bitmap.all && lastAt < file.count)
    }

    @Test func aStillGIFHasNoPreview() throws {
        #expect(try previews(of: file("gif/still.gif"), piece: 1).images.isEmpty)
    }

    @Test func damagedAnimationsEndThePreviewsWithAnError() throws {
        for path in ["gif/animated.gif", "webp/animated.webp", "avif/sequence.avif", "png/animated.png"] {
            let whole = try file(path)
            for offset in stride(from: 12, to: whole.count, by: 5) {
                var file = whole
                file[offset] ^= 0xFF
                do {
                    _ = try previews(of: file, piece: 100)
                } catch {
                    #expect(error is ImageError, "\(path) \(offset): \(error)")
                }
            }
        }
    }
}
