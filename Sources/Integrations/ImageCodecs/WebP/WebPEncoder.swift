public import ImageCore
import ImageDecoding
import CCalotypeWebP
import ImageKernels

/// Encodes WebP with libwebp: lossy, or lossless at quality 100 or if the options say so.
///
/// An `effort` of 0 to 9 is mapped to libwebp's methods 0 to 6; the default is method 4. 16-bit images are rounded to 8 bits. The
/// encoder embeds the bitmap's profile, and writes the orientation as Exif. Sides have at most 16,383 pixels. An encode cannot be
/// cancelled after it has begun. ``AnimatedWebPEncoder`` writes animations.
public struct WebPEncoder: Encoding {
    /// Creates an encoder.
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

    /// Encodes 8-bit RGBA that is opaque or not premultiplied, without metadata.
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
