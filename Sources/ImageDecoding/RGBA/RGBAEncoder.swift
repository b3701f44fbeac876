public import ImageCore
internal import ImageKernels

extension ImageFormat {
    /// Uncompressed pixels: width and height as little-endian 32-bit numbers, then rows of straight 8-bit RGBA.
    public static let rgba = ImageFormat(
        rawValue: "rgba", mediaType: "application/octet-stream", fileExtensions: ["rgba"], displayName: "RGBA")
}

/// Writes uncompressed pixels (``ImageFormat/rgba``), for programs that compare images.
///
/// Lossless for 8-bit images except for the rounding of premultiplied colours; images with more bits are rounded to 8
/// bits. An orientation is applied to the pixels, which keep their colour space.
public struct RGBAEncoder: Encoding {
    /// Creates an encoder.
    public init() {}

    public var formats: [ImageFormat] { [.rgba] }

    public func encode(_ image: DecodedImage, as format: ImageFormat, options: EncodeOptions) throws -> Data {
        let upright = try image.bitmap.oriented(options.orientation, cancellation: options.cancellation)
        let bitmap = try upright.straightRGBA8()
        guard let width = UInt32(exactly: bitmap.width), let height = UInt32(exactly: bitmap.height) else {
            throw ImageError(
                .unsupportedFeature,
                message:
                    "An image of \(bitmap.size) pixels is too large for the format rgba. Make it smaller or use another format.")
        }
        var file = Data(capacity: 8 + 4 * bitmap.width * bitmap.height)
        for side in [width, height] { unsafe withUnsafeBytes(of: side.littleEndian) { unsafe file.append(contentsOf: $0) } }
        try unsafe bitmap.withUnsafePixels { pixels in
            for y in 0..<bitmap.height {
                try options.cancellation?.check()
                let row = unsafe UnsafeRawBufferPointer(rebasing: pixels[(y * bitmap.bytesPerRow)...].prefix(4 * bitmap.width))
                unsafe file.append(contentsOf: row)
            }
        }
        return file
    }
}

extension Bitmap {
    /// The pixels as straight (or opaque) 8-bit RGBA.
    package func straightRGBA8() throws -> Bitmap {
        let narrow = try convertedToRGBA8()
        return try narrow.unpremultiplied()
    }
}
