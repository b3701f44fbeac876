public import ImageCore
internal import ImageDecoding
internal import CCalotypeAVIF
internal import CCalotypeCodec
internal import ImageKernels

/// Encodes AVIF with libavif, with 8 bits. Grayscale images stay monochrome, and 16-bit images are rounded.
///
/// From quality 90 up chroma keeps its full resolution, unless `chroma` sets another sampling. An `effort` of 0 to 9 is
/// libavif's speed from 9 down to 0; the default is 3. The encoder embeds the bitmap's profile, and writes the
/// orientation into the container. Sides have at most 65,536 pixels. An encode cannot be cancelled after it has begun.
public struct AVIFEncoder: Encoding {
    /// Creates an encoder.
    public init() {}

    public var formats: [ImageFormat] { [.avif] }

    public func encode(_ image: DecodedImage, as format: ImageFormat, options: EncodeOptions) throws -> Data {
        try options.cancellation?.check()
        try ImageError.checkSides(of: image.size, for: .avif, atMost: 65_536)
        let quality = max(1, min(100, options.quality))
        let chroma = (options.chroma ?? ChromaSampling(quality: quality)).pixels
        let turns = AVIFReader.turned.firstIndex(of: options.orientation)
        let mirroredTurns = AVIFReader.mirrored.firstIndex(of: options.orientation)
        let isGray = image.bitmap.format.channels == 1
        let bitmap = try image.bitmap.fittingProfile(writesGray: isGray).straightRGBA8()
        let speed = 9 - max(0, min(9, options.effort ?? 3))
        var (bytes, count) = unsafe (UnsafeMutablePointer<UInt8>?.none, 0)
        let status = unsafe bitmap.withUnsafePixels { pixels in
            unsafe bitmap.colorSpace.profile.withUnsafeBytes { icc in
                unsafe clt_avif_encode(
                    pixels.baseAddress?.assumingMemoryBound(to: UInt8.self), bitmap.bytesPerRow, UInt32(clamping: bitmap.width),
                    UInt32(clamping: bitmap.height), bitmap.alpha == .opaque, isGray, chroma.columns, chroma.rows,
                    Int32(quality), Int32(speed), Int32(turns ?? mirroredTurns ?? 0), turns == nil ? 1 : -1,
                    icc.isEmpty ? nil : icc.baseAddress?.assumingMemoryBound(to: UInt8.self), icc.count, &bytes, &count)
            }
        }
        guard status == CLT_OK, let bytes = unsafe bytes else {
            throw ImageError.unwritable(.avif, bitmap.size, "the installed libavif may lack an encoder")
        }
        defer { unsafe clt_avif_free(bytes) }
        return unsafe Data(bytes: bytes, count: count)
    }
}
