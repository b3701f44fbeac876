public import ImageCore
import CCalotypeAVIF
import ImageKernels

/// AVIF by libavif, 8 bits; grey stays monochrome, deep pictures are rounded. From quality 90 up chroma keeps its full
/// resolution. `effort` 0 to 9 is libavif's speed from 9 down to 0; 3 by default. A profile that the bitmap keeps is embedded.
/// Encoding one frame cannot be cancelled half-way.
public struct AVIFEncoder: Encoding {
    public init() {}

    public var formats: [ImageFormat] { [.avif] }

    public func encode(_ image: DecodedImage, as format: ImageFormat, options: EncodeOptions) throws -> Data {
        try options.cancellation?.check()
        let isGray = image.bitmap.format.channels == 1
        let bitmap = try image.bitmap.straightRGBA8()
        let speed = 9 - max(0, min(9, options.effort ?? 3))
        var (bytes, count) = unsafe (UnsafeMutablePointer<UInt8>?.none, 0)
        let status = unsafe bitmap.withUnsafePixels { pixels in
            unsafe bitmap.colorSpace.profile.withUnsafeBytes { icc in
                unsafe clt_avif_encode(
                    pixels.baseAddress?.assumingMemoryBound(to: UInt8.self), bitmap.bytesPerRow, UInt32(clamping: bitmap.width),
                    UInt32(clamping: bitmap.height), bitmap.alpha == .opaque, isGray, Int32(max(1, min(100, options.quality))),
                    Int32(speed), icc.isEmpty ? nil : icc.baseAddress?.assumingMemoryBound(to: UInt8.self), icc.count, &bytes,
                    &count)
            }
        }
        guard status == CLT_AVIF_OK, let bytes = unsafe bytes else {
            throw ImageError(
                .unsupportedFeature,
                message: "The picture of \(bitmap.size) pixels cannot be written as AVIF; this libavif may lack an encoder.")
        }
        defer { unsafe clt_avif_free(bytes) }
        return unsafe Data(bytes: bytes, count: count)
    }
}
