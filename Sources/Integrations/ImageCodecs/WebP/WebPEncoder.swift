public import ImageCore
import ImageDecoding
import CCalotypeWebP
import ImageKernels

/// WebP by libwebp: lossy by quality, lossless at 100 or where the options say so. `effort` 0 to 9 is spread over libwebp's
/// methods 0 to 6; 4 is the method by default. Deep images are rounded to 8 bits; a profile that the bitmap keeps is
/// embedded, and an orientation written as Exif. Sides are at most 16,383 pixels. Encoding cannot be cancelled half-way.
/// Animations are written by ``AnimatedWebPEncoder``.
public struct WebPEncoder: Encoding {
    public init() {}

    public var formats: [ImageFormat] { [.webp] }

    public func encode(_ image: DecodedImage, as format: ImageFormat, options: EncodeOptions) throws -> Data {
        let bitmap = try image.bitmap.straightRGBA8()
        let file = try Self.encode(bitmap, options: options)
        let (profile, exif) = (bitmap.colorSpace.profile, EXIFOrientation.data(options.orientation))
        if profile.isEmpty, exif.isEmpty { return file }
        return WebPFile.adding(profile: profile, exif: exif, to: file, size: bitmap.size, hasAlpha: bitmap.alpha != .opaque)
    }

    public func encode(_ animation: any ImageAnimation, as format: ImageFormat, options: EncodeOptions) throws -> Data? {
        try AnimatedWebPEncoder().encode(animation, options: options)
    }

    /// A plain file of straight or opaque 8-bit RGBA.
    static func encode(_ bitmap: Bitmap, options: EncodeOptions) throws -> Data {
        try options.cancellation?.check()
        let method = options.effort.map { max(0, min(9, $0)) * 6 / 9 } ?? 4
        let quality = max(1, min(100, options.quality))
        var (bytes, count) = unsafe (UnsafeMutablePointer<UInt8>?.none, 0)
        let status = unsafe bitmap.withUnsafePixels { pixels in
            unsafe clt_webp_encode(
                pixels.baseAddress?.assumingMemoryBound(to: UInt8.self), Int32(clamping: bitmap.bytesPerRow),
                UInt32(clamping: bitmap.width), UInt32(clamping: bitmap.height), bitmap.alpha == .opaque,
                options.isLossless ?? (quality == 100), Float(quality), Int32(method), &bytes, &count)
        }
        if status == CLT_WEBP_NO_MEMORY { throw ImageError.outOfMemory(.webp) }
        guard status == CLT_WEBP_OK, let bytes = unsafe bytes else {
            throw ImageError(
                .unsupportedFeature,
                message: "The image of \(bitmap.size) pixels cannot be written as WebP; sides are at most 16383.")
        }
        defer { unsafe clt_webp_free(bytes) }
        return unsafe Data(bytes: bytes, count: count)
    }
}
