import ImageCodecs
import ImageCore
import ImageDecoding
import ImageKernels
import TestBitmaps
import Testing

/// The alpha mode is that of the options, however an image is decoded.
@Suite struct StraightAlpha {
    private let registry = DecoderRegistry(.codecs)

    /// A file of one translucent colour: bytes as they are, and not multiplied by their alpha.
    private func file(_ format: ImageFormat, _ orientation: Orientation) throws -> Data {
        var options = EncodeOptions()
        (options.isLossless, options.quality, options.orientation) = (true, 100, orientation)
        let colour = try bitmap(40, 24, alpha: .straight) { _, _ in [200, 100, 50, 102] }
        return try EncoderRegistry(.codecs).encode(DecodedImage(colour), as: format, options: options)
    }

    @Test(arguments: [ImageFormat.png, .webp, .avif], [nil, PixelSize(40, 24), PixelSize(20, 12), PixelSize(7, 9)])
    func aDecodeGivesStraightColoursOnRequest(format: ImageFormat, target: PixelSize?) throws {
        for orientation in [Orientation.up, .right] {
            let file = try file(format, orientation)
            for mode in ImageContentMode.allCases {
                let straight = try registry.decodeToTargetSize(
                    file, options: .with { ($0.targetSize, $0.contentMode, $0.alpha) = (target, mode, .straight) }
                ).bitmap
                let premultiplied = try registry.decodeToTargetSize(
                    file, options: .with { ($0.targetSize, $0.contentMode) = (target, mode) }
                ).bitmap
                #expect(straight.alpha == .straight && premultiplied.alpha == .premultiplied)
                #expect(straight.size == premultiplied.size)
                let centre = (straight.width / 2, straight.height / 2)
                for (pixel, wanted) in [
                    (straight[centre.0, centre.1], [200, 100, 50, 102]), (premultiplied[centre.0, centre.1], [80, 40, 20, 102]),
                ] {
                    #expect(zip(pixel, wanted).allSatisfy { abs($0 - $1) <= 3 }, "\(format) \(mode) \(pixel)")
                }
            }
        }
    }
}

extension PixelSize {
    fileprivate init(_ width: Int, _ height: Int) { self.init(width: width, height: height) }
}
