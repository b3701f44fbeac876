internal import CCalotypeLibWebP
internal import ImageCore
internal import ImageDecoding

/// Decodes one image of a WebP with libwebp into the caller's memory, as far as the bytes so far allow.
@safe final class WebPReader {
    private let decoder: OpaquePointer
    /// libwebp uses it until the end of the decode.
    private let config: UnsafeMutablePointer<WebPDecoderConfig>

    /// - Parameter target: the memory of the rows, `stride` bytes apart, of the decoded size of `stored`.
    init(into target: UnsafeMutableRawPointer, stride: Int, _ stored: StoredImage) throws(ImageError) {
        let size = stored.decodedSize
        unsafe config = .allocate(capacity: 1)
        guard unsafe WebPInitDecoderConfig(config) != 0, let width = Int32(exactly: size.width),
            let height = Int32(exactly: size.height)
        else {
            unsafe config.deallocate()
            throw .outOfMemory(.webp)
        }
        unsafe config.pointee.options.use_scaling = size == stored.size ? 0 : 1
        unsafe (config.pointee.options.scaled_width, config.pointee.options.scaled_height) = (width, height)
        unsafe config.pointee.output.colorspace = MODE_RGBA
        unsafe config.pointee.output.is_external_memory = 1
        unsafe config.pointee.output.u.RGBA = WebPRGBABuffer(
            rgba: target.assumingMemoryBound(to: UInt8.self), stride: Int32(stride),
            size: stride * (size.height - 1) + 4 * size.width)
        guard let decoder = unsafe WebPIDecode(nil, 0, config) else {
            unsafe config.deallocate()
            throw .outOfMemory(.webp)
        }
        unsafe self.decoder = decoder
    }

    deinit {
        unsafe WebPIDelete(decoder)
        unsafe WebPFreeDecBuffer(&config.pointee.output)
        unsafe config.deallocate()
    }

    /// Decodes as much as the bytes allow. They begin with those of the previous call, but may have moved.
    func update(_ bytes: UnsafeRawBufferPointer) -> VP8StatusCode {
        unsafe WebPIUpdate(decoder, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), bytes.count)
    }

    /// The number of rows from the top that are final.
    var rows: Int {
        var last: Int32 = 0
        return unsafe WebPIDecGetRGB(decoder, &last, nil, nil, nil) == nil ? 0 : Int(last)
    }

    /// Whether a file or a frame is a still image without loss.
    static func isLossless(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var found = WebPBitstreamFeatures()
        let base = unsafe bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
        return unsafe WebPGetFeatures(base, bytes.count, &found) == VP8_STATUS_OK && found.format == 2 && found.has_animation == 0
    }

    static func failure(_ status: VP8StatusCode) -> ImageError {
        switch status {
        case VP8_STATUS_SUSPENDED, VP8_STATUS_NOT_ENOUGH_DATA: .truncated(.webp)
        case VP8_STATUS_OUT_OF_MEMORY: .outOfMemory(.webp)
        case VP8_STATUS_UNSUPPORTED_FEATURE:
            ImageError(.unsupportedFeature, message: "The WebP uses a feature that libwebp does not decode.")
        default: .damaged(.webp, "its image data cannot be decoded")
        }
    }
}
