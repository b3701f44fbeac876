public import ImageCore

/// Small images that are made in memory, and their pixels.
public enum TestImages {
    /// Makes an RGBA image of one colour.
    ///
    /// - Parameters:
    ///   - width: The width in pixels. By default 4.
    ///   - height: The height in pixels. By default 4.
    ///   - red: The red component, 0 to 255, not premultiplied. By default 0.
    ///   - green: The green component, not premultiplied. By default 0.
    ///   - blue: The blue component, not premultiplied. By default 0.
    ///   - alpha: The opacity. By default 255: the image is marked as opaque.
    /// - Returns: An image of 8 bits per channel, premultiplied unless it is opaque.
    /// - Throws: An `ImageError` when the size is not positive or the memory cannot be allocated.
    public static func solid(
        width: Int = 4, height: Int = 4, red: UInt8 = 0, green: UInt8 = 0, blue: UInt8 = 0, alpha: UInt8 = 255
    ) throws -> DecodedImage {
        func premultiplied(_ value: UInt8) -> UInt8 { UInt8((Int(value) * Int(alpha) + 127) / 255) }
        let pixel = [premultiplied(red), premultiplied(green), premultiplied(blue), alpha]
        return DecodedImage(
            try unsafe Bitmap(
                size: PixelSize(width: width, height: height), format: .rgba8, alpha: alpha == 255 ? .opaque : .premultiplied
            ) { pixels, bytesPerRow in
                for y in 0..<height {
                    for x in 0..<width * 4 { unsafe pixels[y * bytesPerRow + x] = pixel[x % 4] }
                }
            })
    }

    /// Returns the bytes of one pixel as they are in memory.
    ///
    /// - Parameters:
    ///   - image: The image.
    ///   - x: The column, from 0 at the left.
    ///   - y: The row, from 0 at the top.
    public static func pixel(of image: DecodedImage, x: Int, y: Int) -> [UInt8] {
        let bitmap = image.bitmap
        let start = y * bitmap.bytesPerRow + x * bitmap.format.bytesPerPixel
        return unsafe bitmap.withUnsafePixels { pixels in
            unsafe Array(pixels[start..<start + bitmap.format.bytesPerPixel])
        }
    }

    /// Returns red, green and blue of the first pixel, 0 to 255 each, for images of every pixel format.
    public static func color(of image: DecodedImage) -> [UInt8] {
        let pixel = levels(of: image.bitmap, x: 0, y: 0).map { UInt8($0 >> (image.bitmap.format.isWide ? 8 : 0)) }
        return pixel.count == 1 ? [pixel[0], pixel[0], pixel[0]] : Array(pixel[0..<3])
    }
}
