#if canImport(ImageIO)
    internal import CoreGraphics
    internal import Foundation
    internal import ImageCore
    internal import ImageDecoding
    internal import ImageKernels
    internal import ImageIO

    /// A file, or the part of it that has arrived, as ImageIO reads it.
    struct ImageIOFile {
        let source: CGImageSource
        let format: ImageFormat

        /// Opens a file.
        ///
        /// - Parameter isWhole: whether the data is the whole file; `true`.
        init(_ data: Data, isWhole: Bool = true) throws {
            guard !data.isEmpty else {
                throw ImageError(.emptyFile, message: "The file is empty. Check where it comes from.")
            }
            // Caching would be useless: the source lives for one call.
            let options = [kCGImageSourceShouldCache: false] as [CFString: Any] as CFDictionary
            let opened: CGImageSource?
            if isWhole {
                opened = CGImageSourceCreateWithData(data as CFData, options)
            } else {
                let incremental = CGImageSourceCreateIncremental(options)
                CGImageSourceUpdateData(incremental, data as CFData, false)
                opened = incremental
            }
            guard let opened else {
                throw ImageError(.unknownFormat, message: "The file is not in a format that ImageIO can read.")
            }
            try self.init(opened)
        }

        /// Takes a source that has the beginning of a file.
        init(_ source: CGImageSource) throws {
            let type = CGImageSourceGetType(source).map { $0 as String } ?? ""
            guard let format = ImageIOFormats.format(ofType: type) else {
                throw ImageError(
                    .unknownFormat, message: "The type of the file (\(type)) is not supported. Convert it to JPEG or PNG.")
            }
            (self.source, self.format) = (source, format)
        }

        /// The index of a frame in ImageIO. The first frame of a file with several images, such as HEIC, is its primary
        /// image.
        func index(of frame: Int) -> Int { frame == 0 ? CGImageSourceGetPrimaryImageIndex(source) : frame }

        /// Whether the beginning of a file has everything that ``info(at:limits:)`` reads.
        func hasHeader(of prefix: Data) -> Bool {
            switch CGImageSourceGetStatus(source) {
            case .statusIncomplete, .statusComplete: break
            default: return false
            }
            guard CGImageSourceCopyPropertiesAtIndex(source, 0, nil) != nil else { return false }
            switch format {
            case .jpeg, .bmp: return true
            // A PNG is animated if it has the chunk `acTL` before its first `IDAT` (APNG, PNG third edition, section
            // 11.3.4).
            case .png: return prefix.range(of: Data("IDAT".utf8)) != nil && prefix.range(of: Data("acTL".utf8)) == nil
            default: return false
            }
        }

        // MARK: Pixels

        /// Decodes the image at an index: upright, and of the target size if it is not smaller.
        func decode(at index: Int, options: DecodeOptions) throws -> DecodedImage {
            let info = try info(at: index, limits: options.limits)
            let orientation = options.applied(info.orientation)
            let full = orientation.applied(to: info.size)
            let geometry = try options.geometry(storedSize: full) ?? ImageIOFile.whole(full)
            // The limits apply to the decoded size and must hold before the first allocation.
            let isDeep = !options.convertsTo8Bit && info.bitDepth > 8
            try options.limits.check(geometry.output, bytesPerPixel: isDeep ? 8 : 4)
            let bitmap: Bitmap
            if geometry.output.width < full.width || geometry.output.height < full.height, !isDeep {
                let scale = max(
                    Double(geometry.output.width) / geometry.width, Double(geometry.output.height) / geometry.height)
                let longer = Int((Double(max(full.width, full.height)) * scale).rounded(.up))
                let image = try makeImage(at: index, maximumSide: longer, options: options)
                try options.checkCancellation()
                bitmap = try Bitmap(image, orientation: .up, geometry: geometry, full: full, isDeep: false, options: options)
            } else {
                // ImageIO decodes this image when it is drawn, into the bitmap, so that there is no second copy of its
                // pixels.
                guard
                    let image = CGImageSourceCreateImageAtIndex(
                        source, index, [kCGImageSourceShouldCache: false] as [CFString: Any] as CFDictionary)
                else { throw ImageIOFile.damaged }
                bitmap = try Bitmap(
                    image, orientation: orientation, geometry: geometry, full: full, isDeep: isDeep, options: options)
            }
            try options.checkCancellation()
            return DecodedImage(bitmap, format: info.format, isPartial: try isPartial(at: index, options: options))
        }

        private static func whole(_ size: PixelSize) -> ResizeGeometry { ResizeGeometry(source: size, box: size, mode: .fit) }

        /// Decodes the image scaled down, and upright if the options say so.
        ///
        /// - Parameter maximumSide: the largest length of the longer side, in pixels.
        private func makeImage(at index: Int, maximumSide: Int, options: DecodeOptions) throws -> CGImage {
            let properties: [CFString: Any] = [
                kCGImageSourceCreateThumbnailFromImageAlways: true, kCGImageSourceThumbnailMaxPixelSize: maximumSide,
                kCGImageSourceCreateThumbnailWithTransform: options.appliesOrientation,
                kCGImageSourceShouldCacheImmediately: true,
            ]
            guard let image = CGImageSourceCreateThumbnailAtIndex(source, index, properties as CFDictionary) else {
                throw ImageIOFile.damaged
            }
            return image
        }

        private static var damaged: ImageError {
            ImageError(.corrupt, message: "ImageIO could not decode the image. Its data is damaged; replace the file.")
        }

        /// The thumbnail that the file contains; `nil` if it has none.
        func embeddedThumbnail(options: DecodeOptions) throws -> DecodedImage? {
            let properties: [CFString: Any] = [
                kCGImageSourceCreateThumbnailFromImageAlways: false, kCGImageSourceCreateThumbnailFromImageIfAbsent: false,
                kCGImageSourceCreateThumbnailWithTransform: options.appliesOrientation,
            ]
            guard let image = CGImageSourceCreateThumbnailAtIndex(source, index(of: 0), properties as CFDictionary) else {
                return nil
            }
            let size = PixelSize(width: image.width, height: image.height)
            try options.limits.check(size)
            let bitmap = try Bitmap(
                image, orientation: .up, geometry: ImageIOFile.whole(size), full: size, isDeep: false, options: options)
            return DecodedImage(bitmap, format: format, isPreview: true)
        }

        /// Returns whether the file is truncated. Throws if the options do not allow that.
        private func isPartial(at index: Int, options: DecodeOptions) throws -> Bool {
            guard CGImageSourceGetStatusAtIndex(source, index) != .statusComplete else { return false }
            guard options.allowsPartial else {
                throw ImageError(.truncated, message: "The file is truncated. Set allowsPartial to decode what it has.")
            }
            return true
        }

        // MARK: Properties

        /// What the header states about the image at an index.
        func info(at index: Int, limits: DecodingLimits) throws -> ImageInfo {
            let count = CGImageSourceGetCount(source)
            guard count <= limits.frames else {
                throw ImageError(
                    .tooLarge,
                    message: "The animation has \(count) frames; the limit is \(limits.frames). Raise DecodingLimits.frames.")
            }
            let properties = CGImageSourceCopyPropertiesAtIndex(source, index, nil) as? [CFString: Any] ?? [:]
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
            info.loopCount = loopCount
            info.orientation = (properties[kCGImagePropertyOrientation] as? Int).flatMap(Orientation.init) ?? .up
            info.hasAlpha = properties[kCGImagePropertyHasAlpha] as? Bool ?? false
            info.bitDepth = properties[kCGImagePropertyDepth] as? Int ?? 8
            info.colorProfile = properties[kCGImagePropertyProfileName] as? String
            info.colorModel = ImageIOFile.colorModel(properties)
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
