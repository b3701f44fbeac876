import ImageCore
import ImageKernels
import Testing

@Suite struct FilledBitmaps {
    @Test func everyPixelHasTheColour() throws {
        let size = PixelSize(width: 17, height: 3)
        let bitmap = try Bitmap.filled(size, with: PixelColor(red: 1, green: 0.5, blue: 0, alpha: 0.5))
        #expect(bitmap.size == size && bitmap.format == .rgba8 && bitmap.alpha == .premultiplied)
        for i in stride(from: 0, to: bitmap.samples.values.count, by: 4) {
            #expect(Array(bitmap.samples.values[i..<i + 4]) == [128, 64, 0, 128])
        }
        #expect(try Bitmap.filled(size, with: .white).alpha == .opaque)
    }

    @Test func itHasTheDepthOfAnotherImage() throws {
        let deep = try Bitmap.noise(4, 4, .rgba16)
        #expect(try Bitmap.filled(PixelSize(2), with: .black, like: deep).format == .rgba16)
    }

    @Test func anotherImageIsDrawnInto() throws {
        let red = try Bitmap.filled(PixelSize(1), with: PixelColor(red: 1, green: 0, blue: 0))
        let drawn = try Bitmap.filled(PixelSize(3), with: .black).overlaid(with: red, x: 2, y: 1)
        let reds = stride(from: 0, to: 36, by: 4).map { drawn.samples.values[$0] }
        #expect(reds == [0, 0, 0, 0, 0, 255, 0, 0, 0])
    }

    @Test func anEmptySizeThrows() {
        #expect(throws: ImageError.self) { try Bitmap.filled(PixelSize(width: 0, height: 1), with: .black) }
    }
}
