#if canImport(ImageIO)
    internal import CoreGraphics
    internal import Foundation
    public import ImageCore
    internal import ImageIO

    /// An encoder for Apple's platforms that uses ImageIO and needs no other library.
    ///
    /// The formats depend on the system; JPEG, PNG and GIF are always available. ``EncodeOptions/quality`` applies to
    /// JPEG, HEIC and AVIF. ImageIO ignores ``EncodeOptions/effort`` and ``EncodeOptions/chroma``. The encoder has no
    /// state and can be used on any thread.
    public struct ImageIOEncoder: Encoding {
        /// Makes an encoder.
        public init() {}

        public var formats: [ImageFormat] {
            let types = CGImageDestinationCopyTypeIdentifiers() as? [String] ?? []
            return types.compactMap { ImageIOFormats.format(ofType: $0) }
        }

        public func encode(_ image: DecodedImage, as format: ImageFormat, options: EncodeOptions) throws -> Data {
            try options.cancellation?.check()
            let file = NSMutableData()
            guard let type = ImageIOFormats.type(of: format),
                let destination = CGImageDestinationCreateWithData(file as CFMutableData, type as CFString, 1, nil)
            else {
                let known = formats.map(\.rawValue).joined(separator: ", ")
                throw ImageError(
                    .unsupportedFeature, message: "ImageIO cannot write \(format) on this system. It can write \(known).")
            }
            guard let cgImage = image.bitmap.makeCGImage() else {
                throw ImageError(
                    .unsupportedFeature,
                    message: "Core Graphics does not support the pixel format of the image. Convert the image to RGBA in sRGB.")
            }
            var properties: [CFString: Any] = [
                kCGImageDestinationLossyCompressionQuality: Double(max(1, min(100, options.quality))) / 100,
                kCGImagePropertyOrientation: options.orientation.rawValue,
            ]
            if let isProgressive = options.isProgressive {
                properties[kCGImagePropertyJFIFDictionary] = [kCGImagePropertyJFIFIsProgressive: isProgressive]
            }
            CGImageDestinationAddImage(destination, cgImage, properties as CFDictionary)
            guard CGImageDestinationFinalize(destination) else {
                throw ImageError(.plugInFailed, message: "ImageIO failed to encode the image as \(format). Try another format.")
            }
            return Data(referencing: file)
        }
    }
#endif
