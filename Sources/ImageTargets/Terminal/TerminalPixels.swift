internal import ImageCore

/// The pixels of an image of any format, scaled down for a terminal by a box filter.
struct TerminalPixels {
    /// A pixel with premultiplied components, 0 to 255.
    struct Pixel: Hashable {
        var red: Int, green: Int, blue: Int, alpha: Int

        /// The colour of the pixel over an opaque background.
        func over(_ back: HalfBlocks.RGB) -> HalfBlocks.RGB {
            func over(_ value: Int, _ back: UInt8) -> UInt8 { UInt8(min(255, value + (Int(back) * (255 - alpha) + 127) / 255)) }
            return HalfBlocks.RGB(red: over(red, back.red), green: over(green, back.green), blue: over(blue, back.blue))
        }

        /// Red, green and blue, not premultiplied, and alpha.
        var straight: [UInt8] {
            func divided(_ value: Int) -> UInt8 { alpha == 0 ? 0 : UInt8(min(255, (value * 255 + alpha / 2) / alpha)) }
            return [divided(red), divided(green), divided(blue), UInt8(alpha)]
        }
    }

    let size: PixelSize
    /// The pixels, row by row.
    let pixels: [Pixel]

    init(_ bitmap: Bitmap, size: PixelSize) {
        self.size = size
        pixels = unsafe bitmap.withUnsafePixels { bytes in
            var result: [Pixel] = []
            result.reserveCapacity(size.width * size.height)
            for y in 0..<size.height {
                let ys = TerminalPixels.sourceRange(y, of: size.height, in: bitmap.height)
                for x in 0..<size.width {
                    let xs = TerminalPixels.sourceRange(x, of: size.width, in: bitmap.width)
                    var sums = SIMD4<Int>(repeating: 0)
                    for sy in ys {
                        for sx in xs {
                            sums &+= unsafe TerminalPixels.sample(bytes, at: sy * bitmap.bytesPerRow, sx, bitmap)
                        }
                    }
                    let count = xs.count * ys.count
                    let mean = (sums &+ (count / 2)) / SIMD4(repeating: count)
                    result.append(Pixel(red: mean.x, green: mean.y, blue: mean.z, alpha: mean.w))
                }
            }
            return result
        }
    }

    /// The source pixels of an output pixel, along one axis.
    private static func sourceRange(_ index: Int, of count: Int, in length: Int) -> Range<Int> {
        let start = index * length / count
        return start..<max(start + 1, (index + 1) * length / count)
    }

    /// One pixel of the source, premultiplied, 0 to 255.
    private static func sample(_ bytes: UnsafeRawBufferPointer, at row: Int, _ x: Int, _ bitmap: Bitmap) -> SIMD4<Int> {
        let at = row + x * bitmap.format.bytesPerPixel
        func sample16(_ index: Int) -> Int {
            unsafe (Int(bytes.load(fromByteOffset: at + index * 2, as: UInt16.self)) * 255 + 32767) / 65535
        }
        let pixel =
            switch bitmap.format {
            case .gray8: unsafe SIMD4(Int(bytes[at]), Int(bytes[at]), Int(bytes[at]), 255)
            case .rgba8: unsafe SIMD4(Int(bytes[at]), Int(bytes[at + 1]), Int(bytes[at + 2]), Int(bytes[at + 3]))
            case .gray16: SIMD4(sample16(0), sample16(0), sample16(0), 255)
            case .rgba16: SIMD4(sample16(0), sample16(1), sample16(2), sample16(3))
            }
        guard bitmap.alpha == .straight else { return pixel }
        return SIMD4((pixel.x * pixel.w + 127) / 255, (pixel.y * pixel.w + 127) / 255, (pixel.z * pixel.w + 127) / 255, pixel.w)
    }
}
