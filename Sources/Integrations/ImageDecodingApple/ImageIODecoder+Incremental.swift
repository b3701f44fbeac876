#if canImport(ImageIO)
    internal import CoreGraphics
    internal import Foundation
    public import ImageCore
    internal import ImageDecoding
    internal import ImageIO

    extension ImageIODecoder: IncrementalDecoding {
        public func makeIncrementalDecoder(for prefix: Data, options: DecodeOptions) throws -> (any IncrementalDecoder)? {
            format(of: prefix) == nil || options.frame > 0 ? nil : ImageIOPreviews(options: options)
        }

        public func embeddedThumbnail(in prefix: Data, options: DecodeOptions) throws -> DecodedImage? {
            try options.checkCancellation()
            return try? ImageIOFile(prefix).embeddedThumbnail(options: options)
        }
    }

    /// Shows the rows, or the scans, of the bytes that have arrived. ImageIO decodes them for each preview.
    private final class ImageIOPreviews: IncrementalDecoder {
        private let options: DecodeOptions
        private let source = CGImageSourceCreateIncremental(nil)
        private var shownBytes = 0

        init(options: DecodeOptions) { self.options = options }

        func preview(of prefix: Data) throws -> DecodedImage? {
            try options.checkCancellation()
            guard prefix.count > shownBytes else { return nil }
            shownBytes = prefix.count
            CGImageSourceUpdateData(source, prefix as CFData, false)
            guard CGImageSourceGetStatusAtIndex(source, 0) == .statusIncomplete else { return nil }
            var options = options
            options.allowsPartial = true
            // What has arrived may be too little for an image. The next preview may have more.
            guard var image = try? ImageIOFile(source).decode(at: 0, options: options) else { return nil }
            (image.isPreview, image.isPartial) = (true, false)
            return image
        }
    }
#endif
