import ImageCore
import ImageDecoding
import TestBitmaps
import ImageCodecs
import Testing

@Suite struct InfoOfAHead {
    @Test func theBeginningOfAJPEGGivesTheWholeHeaderOrNone() throws {
        let size = PixelSize(width: 200, height: 120)
        let bitmap = unsafe try Bitmap(size: size, format: .rgba8, alpha: .opaque) { pixels, _ in
            for index in pixels.indices { unsafe pixels[index] = index % 4 == 3 ? 255 : UInt8(truncatingIfNeeded: index &* 7) }
        }
        let file = try JPEGEncoder().encode(DecodedImage(bitmap), as: .jpeg, options: EncodeOptions())
        let registry = DecoderRegistry(.codecs)
        let whole = try registry.info(of: file, limits: DecodingLimits())
        var enough: Int?
        for count in stride(from: 0, through: file.count, by: 1) {
            let head = file.prefix(count)
            let info = try registry.info(ofPrefix: head, limits: DecodingLimits())
            #expect(info == nil || info == whole)
            if info != nil, enough == nil { enough = count }
            if enough != nil { #expect(info == whole) }
        }
        #expect(try #require(enough) < file.count / 2)
    }

    @Test func thirtyBytesGiveTheHeaderOfAPlainWebP() throws {
        let bitmap = try bitmap(200, 120) { x, y in [UInt8(x), UInt8(y * 2), UInt8(x * y & 255), 255] }
        for isLossless in [false, true] {
            var options = EncodeOptions()
            options.isLossless = isLossless
            let file = try EncoderRegistry(.codecs).encode(DecodedImage(bitmap), as: .webp, options: options)
            let whole = try WebPDecoder().info(of: file, limits: DecodingLimits())
            #expect(try WebPDecoder().info(of: Data(file.prefix(30)), limits: DecodingLimits()) == whole)
        }
    }
}
