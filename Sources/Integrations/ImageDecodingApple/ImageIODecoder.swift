#if canImport(ImageIO)
    internal import CoreGraphics
    internal import Foundation
    public import ImageCore
    internal import ImageIO

    /// The decoder of Apple's platforms: every format that ImageIO reads, without any library besides the system's.
    ///
    /// Images come as 8 bits a channel. With a target size ImageIO scales while it decodes, so that the large bitmap is never
    /// made. A value without state; safe to use from any thread.
    public struct ImageIODecoder: Decoding {
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
                    message: "There is no frame \(options.frame) in an image of \(count); ask for 0 to \(count - 1).")
            }
            let info = try info(of: source, frame: options.frame, limits: options.limits)
            let orientation = options.appliesOrientation ? info.orientation : .up
            let full = orientation.applied(to: info.size)
            let size = try ImageIODecoder.size(of: full, options: options)
            // Before the first allocation: what is made has as many pixels as asked for.
            try options.limits.check(size)
            let image = try makeImage(source, side: max(size.width, size.height), options: options)
            try options.checkCancellation()
            let isPartial = try isPartial(source, options: options)
            return DecodedImage(try Bitmap(image, options: options), format: info.format, isPartial: isPartial)
        }

        /// The upright image at the smallest size that the box can be cut from.
        private static func size(of full: PixelSize, options: DecodeOptions) throws -> PixelSize {
            guard let box = options.targetSize else { return full }
            guard box.width > 0, box.height > 0 else {
                throw ImageError(.invalidRequest, message: "The target size \(box) has no pixels; ask for at least 1x1.")
            }
            let geometry = ResizeGeometry(source: full, box: box, mode: options.contentMode)
            let scale = max(
                Double(geometry.output.width) / geometry.width, Double(geometry.output.height) / geometry.height)
            func scaled(_ side: Int) -> Int { max(1, min(side, Int((Double(side) * scale).rounded(.up)))) }
            return PixelSize(width: scaled(full.width), height: scaled(full.height))
        }

        /// The frame, its longer side no longer than so many pixels.
        private func makeImage(_ source: CGImageSource, side: Int, options: DecodeOptions) throws -> CGImage {
            let wanted: [CFString: Any] = [
                kCGImageSourceCreateThumbnailFromImageAlways: true, kCGImageSourceThumbnailMaxPixelSize: side,
                kCGImageSourceCreateThumbnailWithTransform: options.appliesOrientation,
                kCGImageSourceShouldCacheImmediately: true,
            ]
            guard let image = CGImageSourceCreateThumbnailAtIndex(source, options.frame, wanted as CFDictionary) else {
                throw ImageError(.corrupt, message: "ImageIO cannot decode the image: its data are damaged.")
            }
            return image
        }

        /// Whether the file ends early; throws where that is not allowed.
        private func isPartial(_ source: CGImageSource, options: DecodeOptions) throws -> Bool {
            guard CGImageSourceGetStatusAtIndex(source, options.frame) != .statusComplete else { return false }
            guard options.allowsPartial else {
                throw ImageError(
                    .truncated, message: "The file ends before its image does; allow partial images to see the rest.")
            }
            return true
        }

        private func makeSource(_ data: Data) throws -> CGImageSource {
            guard !data.isEmpty else {
                throw ImageError(.emptyFile, message: "The file is empty: there are no bytes to decode.")
            }
            // Not cached: the source lives for one call.
            let options: [CFString: Any] = [kCGImageSourceShouldCache: false]
            guard let source = CGImageSourceCreateWithData(data as CFData, options as CFDictionary) else {
                throw ImageError(.unknownFormat, message: "The file is no image that ImageIO reads.")
            }
            return source
        }

        private func info(of source: CGImageSource, frame: Int, limits: DecodingLimits) throws -> ImageInfo {
            let type = CGImageSourceGetType(source).map { $0 as String } ?? ""
            guard let format = ImageIOFormats.format(ofType: type) else {
                throw ImageError(.unknownFormat, message: "The file (\(type)) is no image that is read here.")
            }
            let count = CGImageSourceGetCount(source)
            guard count <= limits.frames else {
                throw ImageError(
                    .tooLarge, message: "The animation has \(count) frames, more than the limit of \(limits.frames); raise it.")
            }
            let properties = CGImageSourceCopyPropertiesAtIndex(source, frame, nil) as? [CFString: Any] ?? [:]
            guard let width = properties[kCGImagePropertyPixelWidth] as? Int, width > 0,
                let height = properties[kCGImagePropertyPixelHeight] as? Int, height > 0
            else {
                throw ImageError(.corrupt, message: "ImageIO finds no image in the file: its header is damaged.")
            }
            let size = PixelSize(width: width, height: height)
            // As stored; what is made of it is checked again, at its own size.
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
