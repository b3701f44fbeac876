import CalotypeTesting
import ImageCore
import NetpbmCodec
import Testing

@Suite(.timeLimit(.minutes(1)))
struct NetpbmEncoding {
    @Test func theFilesAreThoseOfTheFormat() throws {
        func encode(_ format: PixelFormat, _ alpha: AlphaMode, _ levels: [Int]) throws -> Data {
            let size = PixelSize(width: levels.count / format.channels, height: 1)
            let image = DecodedImage(try bitmap(size, format, alpha: alpha, levels))
            return try NetpbmEncoder().encode(image, as: .netpbm, options: EncodeOptions())
        }
        #expect(try encode(.gray8, .opaque, [1, 2]) == netpbm("P5\n2 1\n255\n", [1, 2]))
        #expect(try encode(.gray16, .opaque, [0x0102]) == netpbm("P5\n1 1\n65535\n", [1, 2]))
        #expect(try encode(.rgba8, .opaque, [1, 2, 3, 255]) == netpbm("P6\n1 1\n255\n", [1, 2, 3]))
        let header = "P7\nWIDTH 1\nHEIGHT 1\nDEPTH 4\nMAXVAL 255\nTUPLTYPE RGB_ALPHA\nENDHDR\n"
        #expect(try encode(.rgba8, .premultiplied, [100, 50, 0, 128]) == netpbm(header, [199, 100, 0, 128]))
    }

    @Test func anImageWithAProfileIsRefused() throws {
        let image = try TestImages.solid()
        let other = image.with(image.bitmap.reinterpreted(colorSpace: .icc(Data([1]))))
        let error = #expect(throws: ImageError.self) {
            try NetpbmEncoder().encode(other, as: .netpbm, options: EncodeOptions())
        }
        #expect(error?.code == .unsupportedFeature)
    }
}
