import ImageCore

/// Small images for tests.
enum SampleImage {
    /// A premultiplied RGBA image, or an opaque one if every pixel is opaque.
    static func make(_ width: Int, _ height: Int, _ color: (Int, Int) -> (Int, Int, Int, Int)) -> DecodedImage {
        let pixels = (0..<width * height).map { color($0 % width, $0 / width) }
        let isOpaque = pixels.allSatisfy { $0.3 == 255 }
        guard
            let bitmap = try? unsafe Bitmap(
                size: PixelSize(width: width, height: height), format: .rgba8, alpha: isOpaque ? .opaque : .premultiplied,
                fill: { bytes, bytesPerRow in
                    for (i, pixel) in pixels.enumerated() {
                        let at = i / width * bytesPerRow + i % width * 4
                        for (c, level) in [pixel.0, pixel.1, pixel.2, pixel.3].enumerated() {
                            unsafe bytes[at + c] = UInt8(level)
                        }
                    }
                })
        else { preconditionFailure("A small bitmap could not be made.") }
        return DecodedImage(bitmap)
    }
}

extension DecodedImage {
    /// The four samples of a pixel of an 8-bit RGBA image.
    func pixel(_ x: Int, _ y: Int) -> [Int] {
        unsafe bitmap.withUnsafePixels { bytes in
            (0..<4).map { unsafe Int(bytes[y * bitmap.bytesPerRow + x * 4 + $0]) }
        }
    }
}
