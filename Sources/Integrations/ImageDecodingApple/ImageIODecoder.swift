#if canImport(ImageIO)
    internal import CoreGraphics
    internal import Foundation
    public import ImageCore
    internal import ImageDecoding
    internal import ImageIO

    /// A decoder for Apple's platforms that uses ImageIO and needs no other library.
    ///
    /// It decodes JPEG, PNG, WebP, AVIF, GIF, HEIC, TIFF and BMP as far as the system does. With a target size, ImageIO
    /// scales the image while it decodes, without a bitmap of the full size. Animations of GIF, PNG, WebP, HEIC and
    /// AVIF are played; previews are of the bytes that have arrived, or of the embedded thumbnail. The decoder has no
    /// state and can be used on any thread.
    public struct ImageIODecoder: Decoding {
        /// Makes a decoder.
        public init() {}

        /// The formats that this system decodes.
        public var formats: [ImageFormat] { ImageIOFormats.readable }

        public func format(of prefix: Data) -> ImageFormat? { try? ImageIOFile(prefix).format }

        public func info(of data: Data, limits: DecodingLimits) throws -> ImageInfo {
            let file = try ImageIOFile(data)
            return try file.info(at: file.index(of: 0), limits: limits)
        }

        /// Returns the information if ImageIO has read the header of a format whose images may not be animated later in
        /// the file.
        public func info(ofPrefix prefix: Data, limits: DecodingLimits) throws -> ImageInfo? {
            guard let file = try? ImageIOFile(prefix, isWhole: false), file.hasHeader(of: prefix) else { return nil }
            return try file.info(at: 0, limits: limits)
        }

        public func decode(_ data: Data, options: DecodeOptions) throws -> DecodedImage {
            try options.checkCancellation()
            let file = try ImageIOFile(data)
            try options.checkFrame(of: max(1, CGImageSourceGetCount(file.source)))
            return try file.decode(at: file.index(of: options.frame), options: options)
        }
    }
#endif
