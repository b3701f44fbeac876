internal import ImageCore

// Images for the conformance checks, and their comparison.

extension PixelFormat {
    /// Whether a channel has 16 bits.
    var isWide: Bool { self == .gray16 || self == .rgba16 }
}

/// Makes an image in which neighbouring pixels differ.
func pattern(_ size: PixelSize, _ format: PixelFormat, _ alpha: AlphaMode) throws -> DecodedImage {
    DecodedImage(
        try unsafe Bitmap(size: size, format: format, alpha: alpha) { pixels, bytesPerRow in
            for y in 0..<size.height {
                for x in 0..<size.width {
                    let transparency = alpha == .opaque ? 255 : (x * 31 + y * 17) % 256
                    for channel in 0..<format.channels {
                        let level = channel == 3 ? transparency : (x * 7 + y * 13 + channel * 80) % 256 * transparency / 255
                        let start = y * bytesPerRow + x * format.bytesPerPixel
                        if format.isWide {
                            unsafe pixels.storeBytes(of: UInt16(level * 257), toByteOffset: start + channel * 2, as: UInt16.self)
                        } else {
                            unsafe pixels[start + channel] = UInt8(level)
                        }
                    }
                }
            }
        })
}

/// Makes an image whose colours change smoothly, so that a lossy format keeps them, and differ in every corner and
/// channel. Its levels need all bits of the format.
func gradient(_ size: PixelSize, _ format: PixelFormat, _ alpha: AlphaMode) throws -> DecodedImage {
    let most = format.isWide ? 65_535 : 255
    return DecodedImage(
        try unsafe Bitmap(size: size, format: format, alpha: alpha) { pixels, bytesPerRow in
            for y in 0..<size.height {
                for x in 0..<size.width {
                    let (u, v) = (Double(x) / Double(max(1, size.width - 1)), Double(y) / Double(max(1, size.height - 1)))
                    let levels = [0.1 + 0.8 * u, 0.1 + 0.5 * v, 0.9 - 0.3 * u - 0.4 * v]
                    let opacity = alpha == .opaque || format.channels == 1 ? 1 : 0.25 + 0.7 * (u + v) / 2
                    for channel in 0..<format.channels {
                        let color = levels[min(channel, 2)] * (alpha == .premultiplied ? opacity : 1)
                        let level = Int((channel == 3 ? opacity : color) * Double(most))
                        let start = y * bytesPerRow + x * format.bytesPerPixel
                        if format.isWide {
                            unsafe pixels.storeBytes(of: UInt16(level), toByteOffset: start + channel * 2, as: UInt16.self)
                        } else {
                            unsafe pixels[start + channel] = UInt8(level)
                        }
                    }
                }
            }
        })
}

/// Returns the bytes of all rows without their padding.
func bytes(of image: DecodedImage) -> Data {
    let bitmap = image.bitmap
    var data = Data()
    unsafe bitmap.withUnsafePixels { pixels in
        for y in 0..<bitmap.height {
            let start = y * bitmap.bytesPerRow
            unsafe data.append(contentsOf: pixels[start..<start + bitmap.width * bitmap.format.bytesPerPixel])
        }
    }
    return data
}

/// Whether two images have the same size, pixel format, alpha mode and pixels.
func isSame(_ a: DecodedImage, _ b: DecodedImage) -> Bool {
    (a.size, a.bitmap.format, a.bitmap.alpha) == (b.size, b.bitmap.format, b.bitmap.alpha) && bytes(of: a) == bytes(of: b)
}

/// Returns the channels of one pixel.
func levels(of bitmap: Bitmap, x: Int, y: Int) -> [Int] {
    unsafe bitmap.withUnsafePixels { pixels in
        (0..<bitmap.format.channels).map { channel in
            let start = y * bitmap.bytesPerRow + x * bitmap.format.bytesPerPixel
            return bitmap.format.isWide
                ? Int(unsafe pixels.load(fromByteOffset: start + channel * 2, as: UInt16.self))
                : Int(unsafe pixels[start + channel])
        }
    }
}
