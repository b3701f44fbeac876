public import ImageCore

extension Bitmap {
    /// The same picture with colour multiplied by alpha, rounded to the nearest level. Bitmaps that are opaque or
    /// premultiplied already come back as they are.
    ///
    /// - Throws: ``ImageError`` (`tooLarge`) where there is no memory.
    public func premultiplied() throws -> Bitmap {
        guard alpha == .straight else { return self }
        return try mappingColor(to: .premultiplied, narrow: { ($0 * $1 + 127) / 255 }, wide: { ($0 * $1 + 32767) / 65535 })
    }

    /// The same picture with colour divided by alpha, rounded to the nearest level (a half away from zero) and cut off
    /// at full; transparent pixels become zero. Bitmaps that are opaque or straight already come back as they are.
    ///
    /// - Throws: ``ImageError`` (`tooLarge`) where there is no memory.
    public func unpremultiplied() throws -> Bitmap {
        guard alpha == .premultiplied else { return self }
        return try mappingColor(
            to: .straight,
            narrow: { $1 == 0 ? 0 : min(255, ($0 * 255 + $1 / 2) / $1) },
            wide: { $1 == 0 ? 0 : min(65535, ($0 * 65535 + $1 / 2) / $1) })
    }

    private func mappingColor(
        to alpha: AlphaMode, narrow: (UInt32, UInt32) -> UInt32, wide: (UInt64, UInt64) -> UInt64
    ) throws -> Bitmap {
        try unsafe Bitmap(size: size, format: format, alpha: alpha, colorSpace: colorSpace) { pixels, bytesPerRow in
            unsafe withUnsafePixels { source in
                for y in 0..<height {
                    let from = unsafe UnsafeRawBufferPointer(rebasing: source[(y * bytesPerRow)...])
                    let to = unsafe UnsafeMutableRawBufferPointer(rebasing: pixels[(y * bytesPerRow)...])
                    if format == .rgba8 {
                        unsafe mapRow(from.bindMemory(to: UInt8.self), to.bindMemory(to: UInt8.self), narrow)
                    } else {
                        unsafe mapRow(from.bindMemory(to: UInt16.self), to.bindMemory(to: UInt16.self), wide)
                    }
                }
            }
        }
    }

    @inline(__always)
    private func mapRow<Sample: FixedWidthInteger, Wide: FixedWidthInteger>(
        _ from: UnsafeBufferPointer<Sample>, _ to: UnsafeMutableBufferPointer<Sample>, _ map: (Wide, Wide) -> Wide
    ) {
        for pixel in stride(from: 0, to: width * 4, by: 4) {
            let alpha = unsafe Wide(from[pixel + 3])
            for channel in pixel..<pixel + 3 { unsafe to[channel] = Sample(map(Wide(from[channel]), alpha)) }
            unsafe to[pixel + 3] = Sample(alpha)
        }
    }
}
