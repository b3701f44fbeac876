public import ImageCore
internal import ImageDecoding
internal import CCalotypeLibWebP
internal import ImageKernels

/// Encodes WebP with libwebp: lossy, or lossless at quality 100 or if the options say so.
///
/// An `effort` of 0 to 9 is mapped to libwebp's methods 0 to 6; the default is method 4. 16-bit images are rounded to 8
/// bits. The encoder embeds the bitmap's profile, and writes the orientation as Exif. Sides have at most 16,383 pixels.
/// An encode of a still image cannot be cancelled after it has begun. In an animation, each frame is stored as the
/// rectangle that differs from the previous frame. An animation of one frame is written as a still image.
public struct WebPEncoder: Encoding {
    /// Creates an encoder.
    public init() {}

    public var formats: [ImageFormat] { [.webp] }

    public func encode(_ image: DecodedImage, as format: ImageFormat, options: EncodeOptions) throws -> Data {
        let bitmap = try image.bitmap.fittingProfile(writesGray: false).straightRGBA8()
        let file = WebPFile()
        try file.addFrame(Self.encode(bitmap, options: options))
        return try file.data(profile: bitmap.colorSpace.profile, orientation: options.orientation)
    }

    public func encode(_ animation: any ImageAnimation, as format: ImageFormat, options: EncodeOptions) throws -> Data? {
        try AnimatedWebP.encode(animation, options: options)
    }

    /// Encodes 8-bit RGBA that is opaque or not premultiplied, without metadata.
    static func encode(_ bitmap: Bitmap, options: EncodeOptions) throws -> Data {
        try options.cancellation?.check()
        try ImageError.checkSides(of: bitmap.size, for: .webp, atMost: Int(WEBP_MAX_DIMENSION))
        let quality = max(1, min(100, options.quality))
        let isLossless = options.isLossless ?? (quality == 100)
        var (config, input) = unsafe (WebPConfig(), WebPPicture())
        guard unsafe WebPConfigInit(&config) != 0, unsafe WebPPictureInit(&input) != 0 else {
            throw ImageError.unwritable(.webp, bitmap.size, "libwebp has another version than its headers")
        }
        config.lossless = isLossless ? 1 : 0
        // A lossless file keeps the colour of transparent pixels, and its quality is the effort of the compression.
        config.exact = config.lossless
        config.quality = isLossless ? 75 : Float(quality)
        config.method = Int32(options.effort.map { max(0, min(9, $0)) * 6 / 9 } ?? 4)
        unsafe input.use_argb = config.lossless
        unsafe (input.width, input.height) = (Int32(bitmap.width), Int32(bitmap.height))
        var writer = unsafe WebPMemoryWriter()
        unsafe WebPMemoryWriterInit(&writer)
        defer { unsafe WebPMemoryWriterClear(&writer) }
        defer { unsafe WebPPictureFree(&input) }
        let isWritten = unsafe bitmap.withUnsafePixels { pixels in
            let base = unsafe pixels.baseAddress?.assumingMemoryBound(to: UInt8.self)
            let importPixels = unsafe bitmap.alpha == .opaque ? WebPPictureImportRGBX : WebPPictureImportRGBA
            guard unsafe importPixels(&input, base, Int32(bitmap.bytesPerRow)) != 0 else { return false }
            return unsafe withUnsafeMutablePointer(to: &writer) { writer in
                unsafe (input.writer, input.custom_ptr) = (WebPMemoryWrite, UnsafeMutableRawPointer(writer))
                return unsafe WebPEncode(&config, &input) != 0
            }
        }
        guard isWritten, let bytes = unsafe writer.mem else {
            if unsafe input.error_code == VP8_ENC_ERROR_OUT_OF_MEMORY { throw ImageError.outOfMemory(.webp) }
            throw ImageError.unwritable(.webp, bitmap.size, "libwebp cannot encode it")
        }
        return unsafe Data(bytes: bytes, count: writer.size)
    }
}
