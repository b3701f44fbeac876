#if canImport(ImageIO)
    internal import CoreGraphics
    internal import Foundation
    public import ImageCore
    internal import ImageIO

    /// The encoder of Apple's platforms: what ImageIO writes, which depends on the system; JPEG, PNG and GIF always are.
    ///
    /// Quality counts for JPEG, HEIC and AVIF; ``EncodeOptions/effort`` and ``EncodeOptions/chroma`` are ImageIO's own choice. A
    /// value without state; safe to use from any thread.
    public struct ImageIOEncoder: Encoding {
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
                    .unsupportedFeature, message: "ImageIO does not write \(format) here; what it writes is \(known).")
            }
            guard let cgImage = image.bitmap.makeCGImage() else {
                throw ImageError(
                    .unsupportedFeature, message: "Core Graphics cannot read pixels of this form; convert them to sRGB.")
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
                throw ImageError(.plugInFailed, message: "ImageIO could not write the image as \(format).")
            }
            return Data(referencing: file)
        }
    }
#endif
