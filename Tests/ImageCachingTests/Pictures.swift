import ImageCaching
import ImageCore

/// A picture of `rows` × 64 bytes, told from others by its first pixel.
func picture(rows: Int = 1, tag: UInt8 = 0) throws -> DecodedImage {
    let size = PixelSize(width: 64, height: rows)
    let bitmap = unsafe try Bitmap(size: size, format: .gray8, alpha: .opaque) { pixels, _ in unsafe pixels[0] = tag }
    return DecodedImage(bitmap)
}

/// What `picture()` costs in a memory cache.
let pictureCost = 64 + MemoryCache.entryOverhead

/// The mark that `picture(rows:tag:)` left.
func tag(of image: DecodedImage?) -> UInt8? {
    image.map { image in unsafe image.bitmap.withUnsafePixels { unsafe $0[0] } }
}

func imageKey(_ name: String, _ variant: String = "") -> ImageKey {
    ImageKey(resource: ResourceKey(name), variant: variant)
}
