/// Limits of a decode, which are checked against the header before the first allocation.
public struct DecodingLimits: Hashable, Sendable {
    /// The largest number of pixels (width × height) as stored; 268,435,456 (16,384 × 16,384). For a baseline JPEG that
    /// is scaled down while it is decoded, the pixels of the result count. A loader applies it to the results of
    /// processors too.
    public var pixels = 1 << 28
    /// The largest number of bytes of decoded pixels, including the working memory of the decoder if it is known; 1
    /// GiB.
    public var imageBytes = 1 << 30
    /// The largest number of frames of an animation; 10,000.
    public var frames = 10_000
    /// The largest number of scans of a progressive JPEG; 500.
    public var scans = 500
    /// The largest number of bytes of one piece of metadata after decompression; 16 MiB.
    public var metadataBytes = 1 << 24

    /// Creates the default limits.
    public init() {}

    /// The limits for reading a header only. A decode of the same file then applies the limit of pixels.
    package var withoutPixelLimit: DecodingLimits {
        var limits = self
        limits.pixels = .max
        return limits
    }

    /// Checks the size of an image.
    ///
    /// - Throws: ``ImageError/Code/tooLarge`` if an image of that size exceeds the limits.
    public func check(_ size: PixelSize, bytesPerPixel: Int = 4) throws(ImageError) {
        guard let count = size.pixelCount, count <= pixels, count <= imageBytes / max(1, bytesPerPixel) else {
            let exceedsPixels = pixels < .max && size.pixelCount ?? .max > pixels
            let limit = exceedsPixels ? "\(pixels) pixels" : "\(imageBytes) bytes"
            throw ImageError(
                .tooLarge,
                message: "The image of \(size) pixels is larger than the limit of \(limit); raise the limit to load it.")
        }
    }
}
