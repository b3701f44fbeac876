import Foundation
import ImageCore
import ImageCodecs
import ImageDecoding

/// Fuzzes format detection, headers and metadata: the input is used as a file, as Exif data and as a colour profile.
enum MetadataFuzzing {
    static func run(_ input: Data) {
        var limits = DecodingLimits()
        limits.pixels = 1 << 20
        limits.imageBytes = 1 << 24
        limits.metadataBytes = 1 << 20
        let registry = DecoderRegistry(.codecs)
        _ = registry.format(of: input.prefix(64))
        _ = attempt { try registry.info(of: input, limits: limits) }
        guard input.count < 60_000, let still else { return }
        let exif = segment(0xE1, Data("Exif".utf8) + [0, 0] + input)
        let profile = segment(0xE2, Data("ICC_PROFILE".utf8) + [0, 1, 1] + input)
        let jpeg = Data(still.prefix(2)) + exif + profile + still.dropFirst(2)
        var options = DecodeOptions()
        options.limits = limits
        _ = attempt { try registry.info(of: jpeg, limits: limits) }
        _ = attempt { try registry.decode(jpeg, options: options) }
    }

    /// A small JPEG, to which segments are added. An array, because the leak checker cannot follow the pointer in
    /// `Data`.
    private static let still: [UInt8]? = attempt {
        let bitmap = try Bitmap(size: PixelSize(width: 8, height: 8), format: .rgba8, alpha: .opaque) { pixels, _ in
            for i in 0..<pixels.count { pixels[i] = i % 4 == 3 ? 255 : UInt8(truncatingIfNeeded: i * 7) }
        }
        return Array(try JPEGEncoder().encode(DecodedImage(bitmap), as: .jpeg, options: EncodeOptions()))
    }

    private static func segment(_ code: UInt8, _ content: Data) -> Data {
        Data([0xFF, code, UInt8((content.count + 2) >> 8), UInt8(truncatingIfNeeded: content.count + 2)]) + content
    }
}
