internal import CalotypeSystem
internal import ImageCore
internal import ImageKernels

/// The pixels that a hash is computed from: straight RGBA from 0 to 255, at most 100 pixels on a side.
struct HashPixels {
    let size: PixelSize
    let values: [UInt8]

    init(_ bitmap: Bitmap) throws {
        var bitmap = try bitmap.convertedToRGBA8()
        let box = PixelSize(width: 100, height: 100)
        let geometry = ResizeGeometry(source: bitmap.size, box: box, mode: .fit)
        if !geometry.isIdentity(for: bitmap.size) {
            bitmap = try Resampler.resize(bitmap.premultiplied(), to: geometry)
        }
        size = bitmap.size
        values = Array(try RGBAEncoder().encode(DecodedImage(bitmap), as: .rgba, options: EncodeOptions()).dropFirst(8))
    }

    /// Makes an image from colours in straight RGBA.
    static func image(_ size: PixelSize, isOpaque: Bool, _ color: (_ x: Int, _ y: Int) -> [UInt8]) throws -> DecodedImage {
        let bitmap = try unsafe Bitmap(size: size, format: .rgba8, alpha: isOpaque ? .opaque : .straight) { pixels, bytesPerRow in
            for y in 0..<size.height {
                for x in 0..<size.width {
                    for (c, value) in color(x, y).enumerated() { unsafe pixels[y * bytesPerRow + 4 * x + c] = value }
                }
            }
        }
        return DecodedImage(try bitmap.premultiplied())
    }
}

/// Returns `cos(π × wave × (x + shift) / count)` by wave and pixel, for `count` pixels.
func cosines(count: Int, waves: Int, shift: Double) -> [[Double]] {
    (0..<waves).map { wave in (0..<count).map { cos(Double.pi * Double(wave) * (Double($0) + shift) / Double(count)) } }
}
