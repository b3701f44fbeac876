import ImageCore
import ImageKernels

/// Encodes images as binary Netpbm files of 8 or 16 bits: grey as PGM, RGB as PPM, and images with alpha as PAM.
///
/// The formats store no orientation, so that the pixels are turned upright, and no colour profile: an image that has
/// one cannot be encoded.
public struct NetpbmEncoder: Encoding {
    /// Creates an encoder.
    public init() {}

    public var formats: [ImageFormat] { [.netpbm] }

    public func encode(_ image: DecodedImage, as format: ImageFormat, options: EncodeOptions) throws -> Data {
        guard image.bitmap.colorSpace == .sRGB else {
            throw ImageError(
                .unsupportedFeature,
                message: "A Netpbm file cannot store a colour profile. Decode the image with convertsToSRGB.")
        }
        try options.cancellation?.check()
        let upright = try image.bitmap.oriented(options.orientation, cancellation: options.cancellation)
        let bitmap = try upright.unpremultiplied()
        let (pixelBytes, channels) = (bitmap.format.bytesPerPixel, bitmap.format.channels)
        let sampleBytes = pixelBytes / channels
        // The alpha of opaque RGBA is left out.
        let stored = channels == 4 && bitmap.alpha == .opaque ? 3 : channels
        var file = header(of: bitmap.size, samples: stored, maxval: sampleBytes == 2 ? 65_535 : 255)
        file.reserveCapacity(file.count + bitmap.width * bitmap.height * stored * sampleBytes)
        try bitmap.withUnsafePixels { pixels in
            for y in 0..<bitmap.height {
                try options.cancellation?.check()
                let row = y * bitmap.bytesPerRow
                for pixel in stride(from: row, to: row + bitmap.width * pixelBytes, by: pixelBytes) {
                    for start in stride(from: pixel, to: pixel + stored * sampleBytes, by: sampleBytes) {
                        if sampleBytes == 2 {
                            // The most significant byte first.
                            let level = pixels.load(fromByteOffset: start, as: UInt16.self)
                            file.append(UInt8(level >> 8))
                            file.append(UInt8(level & 255))
                        } else {
                            file.append(pixels[start])
                        }
                    }
                }
            }
        }
        return file
    }

    private func header(of size: PixelSize, samples: Int, maxval: Int) -> Data {
        let text =
            switch samples {
            case 1: "P5\n\(size.width) \(size.height)\n\(maxval)\n"
            case 3: "P6\n\(size.width) \(size.height)\n\(maxval)\n"
            default:
                "P7\nWIDTH \(size.width)\nHEIGHT \(size.height)\nDEPTH 4\nMAXVAL \(maxval)\nTUPLTYPE RGB_ALPHA\nENDHDR\n"
            }
        return Data(text.utf8)
    }
}
