import ImageCaching
import ImageCore

/// An image of `rows` × 64 bytes, identified by its first pixel.
func testImage(rows: Int = 1, tag: UInt8 = 0) throws -> DecodedImage {
    let size = PixelSize(width: 64, height: rows)
    let bitmap = unsafe try Bitmap(size: size, format: .gray8, alpha: .opaque) { pixels, _ in unsafe pixels[0] = tag }
    return DecodedImage(bitmap)
}

/// The cost of `testImage()` in a memory cache.
let testImageCost = 64 + MemoryCache.entryOverhead

/// The tag that was passed to `testImage(rows:tag:)`.
func tag(of image: DecodedImage?) -> UInt8? {
    image.map { image in unsafe image.bitmap.withUnsafePixels { unsafe $0[0] } }
}

func imageKey(_ name: String, _ variant: String = "") -> ImageKey {
    ImageKey(resource: ResourceKey(name), variant: ImageVariant(variant))
}
