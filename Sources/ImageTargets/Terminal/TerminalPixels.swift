internal import ImageCore
internal import ImageKernels

/// The pixels of an image of any format, scaled down for a terminal.
struct TerminalPixels {
    /// A pixel with premultiplied components, 0 to 255.
    struct Pixel {
        var red: UInt8, green: UInt8, blue: UInt8, alpha: UInt8

        /// The colour of the pixel over an opaque background.
        func over(_ back: HalfBlocks.RGB) -> HalfBlocks.RGB {
            func over(_ value: UInt8, _ back: UInt8) -> UInt8 {
                UInt8(min(255, Int(value) + (Int(back) * (255 - Int(alpha)) + 127) / 255))
            }
            return HalfBlocks.RGB(red: over(red, back.red), green: over(green, back.green), blue: over(blue, back.blue))
        }
    }

    /// The pixels, row by row.
    let pixels: [Pixel]

    init(_ bitmap: Bitmap, size: PixelSize) throws {
        let bytes = try bitmap.scaled(to: size).premultiplied().packedBytes
        pixels = stride(from: 0, to: bytes.count, by: 4).map { at in
            Pixel(red: bytes[at], green: bytes[at + 1], blue: bytes[at + 2], alpha: bytes[at + 3])
        }
    }
}

extension Bitmap {
    /// Returns the image in another size, as 8-bit RGBA.
    func scaled(to size: PixelSize) throws -> Bitmap {
        let geometry = ResizeGeometry(source: self.size, box: size, mode: .exact)
        return try Resampler.resize(self, to: geometry, filter: .box).convertedToRGBA8()
    }

    /// The bytes of all pixels, without padding.
    var packedBytes: [UInt8] {
        let used = width * format.bytesPerPixel
        return unsafe withUnsafePixels { bytes in
            unsafe (0..<height).flatMap { y in unsafe bytes[y * bytesPerRow..<y * bytesPerRow + used] }
        }
    }
}
