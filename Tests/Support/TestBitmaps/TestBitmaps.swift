package import ImageCore

/// Makes a bitmap whose pixels a closure returns.
package func bitmap(
    _ width: Int, _ height: Int, alpha: AlphaMode = .opaque, colorSpace: ColorSpace = .sRGB,
    _ color: (_ x: Int, _ y: Int) -> [UInt8]
) throws -> Bitmap {
    try unsafe Bitmap(size: PixelSize(width: width, height: height), format: .rgba8, alpha: alpha, colorSpace: colorSpace) {
        pixels, bytesPerRow in
        for y in 0..<height {
            for x in 0..<width {
                for (c, value) in color(x, y).enumerated() { unsafe pixels[y * bytesPerRow + 4 * x + c] = value }
            }
        }
    }
}

/// Makes a smooth image with an edge in it, the same in each test.
package func photo(_ width: Int, _ height: Int) throws -> Bitmap {
    try bitmap(width, height) { x, y in
        let isInside = (x - width / 2) * (x - width / 2) + (y - height / 2) * (y - height / 2) < width * height / 16
        return [UInt8(x * 255 / width), UInt8(y * 255 / height), isInside ? 200 : 60, 255]
    }
}

extension Bitmap {
    /// The channels of a pixel, for every pixel format.
    package subscript(x: Int, y: Int) -> [Int] {
        unsafe withUnsafePixels { pixels in
            let offset = y * bytesPerRow + x * format.bytesPerPixel
            return (0..<format.channels).map { c in
                format.bytesPerPixel == format.channels
                    ? unsafe Int(pixels[offset + c])
                    : unsafe Int(pixels.load(fromByteOffset: offset + 2 * c, as: UInt16.self))
            }
        }
    }

    /// All pixels, row by row.
    package var all: [[Int]] { (0..<height).flatMap { y in (0..<width).map { x in self[x, y] } } }

    /// Returns the largest and the mean difference of a channel to another image of the same size and format.
    package func difference(to other: Bitmap) -> (largest: Int, mean: Double) {
        guard size == other.size, format == other.format else { return (999, 999) }
        let differences = zip(all, other.all).flatMap { zip($0, $1).map { abs($0 - $1) } }
        return (differences.max() ?? 0, Double(differences.reduce(0, +)) / Double(max(1, differences.count)))
    }
}

extension DecodeOptions {
    package static func with(_ change: (inout DecodeOptions) -> Void) -> DecodeOptions {
        var options = DecodeOptions()
        change(&options)
        return options
    }
}
