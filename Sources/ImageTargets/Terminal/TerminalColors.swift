internal import ImageCore
internal import ImageKernels

extension HalfBlocks.RGB {
    /// Makes a colour from components that are limited to 0 to 255.
    init(clamping components: SIMD3<Int>) {
        self.init(red: UInt8(clamping: components.x), green: UInt8(clamping: components.y), blue: UInt8(clamping: components.z))
    }

    /// Red, green and blue, for computations.
    var components: SIMD3<Int> { SIMD3(Int(red), Int(green), Int(blue)) }

    /// The upper bits of red, green and blue as one number.
    func code(bits: Int) -> Int {
        (Int(red) >> (8 - bits)) << (2 * bits) | (Int(green) >> (8 - bits)) << bits | Int(blue) >> (8 - bits)
    }
}

extension Bitmap {
    /// Returns the colours of the pixels in another size, row by row, over a background.
    ///
    /// - Parameters:
    ///   - background: the colour behind transparent pixels; `nil` for that of the terminal.
    ///   - alpha: without a background, pixels with a lower alpha have no colour, and the others are drawn over black.
    func colors(
        scaledTo size: PixelSize, over background: HalfBlocks.RGB?, visibleFrom alpha: UInt8
    ) throws -> [HalfBlocks.RGB?] {
        let bytes = try scaled(to: size).premultiplied().packedBytes
        let back = background?.components ?? .zero
        return stride(from: 0, to: bytes.count, by: 4).map { at in
            if background == nil, bytes[at + 3] < alpha { return nil }
            let pixel = SIMD3(Int(bytes[at]), Int(bytes[at + 1]), Int(bytes[at + 2]))
            return HalfBlocks.RGB(clamping: pixel &+ (back &* (255 - Int(bytes[at + 3])) &+ 127) / 255)
        }
    }

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
