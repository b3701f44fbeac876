public import ImageCore
internal import ImageDecoding
internal import CCalotypeCodec
internal import CCalotypePNG
internal import ImageKernels

/// Encodes PNG with libpng: grayscale and RGB with 8 or 16 bits, with alpha if the image is not opaque.
///
/// It is lossless, except that it divides premultiplied colours by alpha. `effort` is zlib's level, 0 to 9; the default
/// is 6. The encoder embeds the bitmap's profile, and writes the orientation as Exif.
public struct PNGEncoder: Encoding {
    /// Creates an encoder.
    public init() {}

    public var formats: [ImageFormat] { [.png] }

    public func encode(_ image: DecodedImage, as format: ImageFormat, options: EncodeOptions) throws -> Data {
        let bitmap = try image.bitmap.unpremultiplied().fittingProfile(writesGray: image.bitmap.format.channels == 1)
        guard let writer = unsafe clt_png_writer_create() else { throw ImageError.outOfMemory(.png) }
        defer { unsafe clt_png_writer_destroy(writer) }
        func check(_ status: clt_status) throws(ImageError) {
            if status == CLT_OK { return }
            if status == CLT_NO_MEMORY { throw .outOfMemory(.png) }
            throw unsafe .unwritable(.png, bitmap.size, String(cString: clt_png_writer_message(writer)))
        }
        let (profile, exif) = (Array(bitmap.colorSpace.profile), Array(EXIFOrientation.data(options.orientation)))
        try unsafe check(
            clt_png_writer_start(
                writer, UInt32(clamping: bitmap.width), UInt32(clamping: bitmap.height), bitmap.format.channels == 1,
                bitmap.format.isWide, bitmap.alpha == .opaque,
                Int32(max(0, min(9, options.effort ?? 6))), profile.isEmpty ? nil : profile, profile.count,
                exif.isEmpty ? nil : exif, exif.count))
        try unsafe bitmap.withUnsafePixels { pixels in
            guard let base = unsafe pixels.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return }
            for y in 0..<bitmap.height {
                try options.cancellation?.check()
                try unsafe check(clt_png_writer_write_row(writer, base + y * bitmap.bytesPerRow))
            }
        }
        var (bytes, count) = unsafe (UnsafePointer<UInt8>?.none, 0)
        try unsafe check(clt_png_writer_finish(writer, &bytes, &count))
        return unsafe bytes.map { unsafe Data(bytes: $0, count: count) } ?? Data()
    }
}

extension ColorSpace {
    /// The profile to embed; empty for sRGB.
    var profile: Data {
        if case .icc(let data) = self { data } else { Data() }
    }
}
