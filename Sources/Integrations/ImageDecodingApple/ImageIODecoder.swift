#if canImport(ImageIO)
    internal import CoreGraphics
    internal import Foundation
    public import ImageCore
    internal import ImageIO

    /// A decoder for Apple's platforms that uses ImageIO and needs no other library.
    ///
    /// It decodes JPEG, PNG, WebP, AVIF, GIF, HEIC, TIFF and BMP as far as the system does, with 8 bits per channel. With a target
    /// size, ImageIO scales the image while it decodes, without a bitmap of the full size. The decoder has no state and can be used on
    /// any thread.
    public struct ImageIODecoder: Decoding {
        /// Makes a decoder.
        public init() {}

        public var formats: [ImageFormat] { ImageIOFormats.all }

        public func format(of head: Data) -> ImageFormat? {
            guard let source = try? makeSource(head), let type = CGImageSourceGetType(source) else { return nil }
            return ImageIOFormats.format(ofType: type as String)
        }

        public func info(of data: Data, limits: DecodingLimits) throws -> ImageInfo {
            try info(of: makeSource(data), frame: 0, limits: limits)
        }

        public func decode(_ data: Data, options: DecodeOptions) throws -> DecodedImage {
            try options.checkCancellation()
            let source = try makeSource(data)
            let count = CGImageSourceGetCount(source)
            guard (0..<max(1, count)).contains(options.frame) else {
                throw ImageError(
                    .invalidRequest,
                    message: "The image has no frame \(options.frame). Ask for a frame from 0 to \(count - 1).")
            }
            let info = try info(of: source, frame: options.frame, limits: options.limits)
            let orientation = options.appliesOrientation ? info.orientation : .up
            let full = orientation.applied(to: info.size)
            let size = try ImageIODecoder.size(of: full, options: options)
            // The limits apply to the decoded size and must hold before the first allocation.
            try options.limits.check(size)
            let image = try makeImage(source, maximumSide: max(size.width, size.height), options: options)
            try options.checkCancellation()
            let isPartial = try isPartial(source, options: options)
            return DecodedImage(try Bitmap(image, options: options), format: info.format, isPartial: isPartial)
        }

        /// The smallest size of the upright image from which the target box can be cropped.
        private static func size(of full: PixelSize, options: DecodeOptions) throws -> PixelSize {
            guard let box = options.targetSize else { return full }
            guard box.width > 0, box.height > 0 else {
                throw ImageError(.invalidRequest, message: "The target size \(box) has no pixels. Ask for at least 1x1.")
            }
            let geometry = ResizeGeometry(source: full, box: box, mode: options.contentMode)
            let scale = max(
                Double(geometry.output.width) / geometry.width, Double(geometry.output.height) / geometry.height)
            func scaled(_ side: Int) -> Int { max(1, min(side, Int((Double(side) * scale).rounded(.up)))) }
            return PixelSize(width: scaled(full.width), height: scaled(full.height))
        }

        /// Decodes the frame.
        ///
        /// - Parameter maximumSide: the largest length of the longer side, in pixels.
        private func makeImage(_ source: CGImageSource, maximumSide: Int, options: DecodeOptions) throws -> CGImage {
            let properties: [CFString: Any] = [
                kCGImageSourceCreateThumbnailFromImageAlways: true, kCGImageSourceThumbnailMaxPixelSize: maximumSide,
                kCGImageSourceCreateThumbnailWithTransform: options.appliesOrientation,
                kCGImageSourceShouldCacheImmediately: true,
            ]
            guard let image = CGImageSourceCreateThumbnailAtIndex(source, options.frame, properties as CFDictionary) else {
                throw ImageError(.corrupt, message: "ImageIO could not decode the image. Its data is damaged; replace the file.")
            }
            return image
        }

        /// Returns whether the file is truncated. Throws if the options do not allow that.
        private func isPartial(_ source: CGImageSource, options: DecodeOptions) throws -> Bool {
            guard CGImageSourceGetStatusAtIndex(source, options.frame) != .statusComplete else { return false }
            guard options.allowsPartial else {
                throw ImageError(
                    .truncated, message: "The file is truncated. Set allowsPartial to decode what it has.")
            }
            return true
        }

        private func makeSource(_ data: Data) throws -> CGImageSource {
            guard !data.isEmpty else {
                throw ImageError(.emptyFile, message: "The file is empty. Check where it comes from.")
            }
            // Caching would be useless: the source lives for one call.
            let options: [CFString: Any] = [kCGImageSourceShouldCache: false]
            guard let source = CGImageSourceCreateWithData(data as CFData, options as CFDictionary) else {
                throw ImageError(.unknownFormat, message: "The file is not in a format that ImageIO can read.")
            }
            return source
        }

        private func info(of source: CGImageSource, frame: Int, limits: DecodingLimits) throws -> ImageInfo {
            let type = CGImageSourceGetType(source).map { $0 as String } ?? ""
            guard let format = ImageIOFormats.format(ofType: type) else {
                throw ImageError(
                    .unknownFormat, message: "The type of the file (\(type)) is not supported. Convert it to JPEG or PNG.")
            }
            let count = CGImageSourceGetCount(source)
            guard count <= limits.frames else {
                throw ImageError(
                    .tooLarge,
                    message: "The animation has \(count) frames; the limit is \(limits.frames). Raise DecodingLimits.frames.")
            }
            let properties = CGImageSourceCopyPropertiesAtIndex(source, frame, nil) as? [CFString: Any] ?? [:]
            guard let width = properties[kCGImagePropertyPixelWidth] as? Int, width > 0,
                let height = properties[kCGImagePropertyPixelHeight] as? Int, height > 0
            else {
                throw ImageError(
                    .corrupt, message: "ImageIO found no image in the file. Its header is damaged; replace the file.")
            }
            let size = PixelSize(width: width, height: height)
            // This checks the stored size. The decoded size is checked again before decoding.
            try limits.check(size, bytesPerPixel: 1)
            var info = ImageInfo(format: format, size: size, frameCount: max(1, count))
            info.orientation = (properties[kCGImagePropertyOrientation] as? Int).flatMap(Orientation.init) ?? .up
            info.hasAlpha = properties[kCGImagePropertyHasAlpha] as? Bool ?? false
            info.bitDepth = properties[kCGImagePropertyDepth] as? Int ?? 8
            info.colorProfile = properties[kCGImagePropertyProfileName] as? String
            info.colorModel = ImageIODecoder.colorModel(properties)
            let jfif = properties[kCGImagePropertyJFIFDictionary] as? [CFString: Any]
            info.isProgressive = jfif?[kCGImagePropertyJFIFIsProgressive] as? Bool ?? false
            return info
        }

        private static func colorModel(_ properties: [CFString: Any]) -> ColorModel {
            if properties[kCGImagePropertyIsIndexed] as? Bool == true { return .indexed }
            let name = properties[kCGImagePropertyColorModel] as? String
            if name == kCGImagePropertyColorModelGray as String { return .gray }
            return name == kCGImagePropertyColorModelCMYK as String ? .cmyk : .rgb
        }
    }
#endif
