#if canImport(ImageIO)
    internal import CoreGraphics
    internal import Foundation
    public import ImageCore
    internal import ImageIO

    extension ImageIODecoder: IncrementalDecoding {
        public func makeIncrementalDecoder(for prefix: Data, options: DecodeOptions) throws -> (any IncrementalDecoder)? {
            format(of: prefix) == nil ? nil : ImageIOIncrementalDecoder(options: options)
        }

        public func embeddedThumbnail(in prefix: Data, options: DecodeOptions) throws -> DecodedImage? {
            try options.checkCancellation()
            return try? ImageIOFile(prefix).embeddedThumbnail(options: options)
        }
    }

    /// Shows the rows, or the scans, of the bytes that have arrived. ImageIO decodes them for each preview.
    // @unchecked because the protocol allows only one thread at a time.
    private final class ImageIOIncrementalDecoder: IncrementalDecoder, @unchecked Sendable {
        private let options: DecodeOptions
        private let source = CGImageSourceCreateIncremental(nil)
        private var data = Data()
        private var shownBytes = 0

        init(options: DecodeOptions) { self.options = options }

        func append(_ chunk: Data) throws {
            try options.checkCancellation()
            data.append(chunk)
        }

        func preview() throws -> DecodedImage? {
            try options.checkCancellation()
            guard data.count > shownBytes else { return nil }
            shownBytes = data.count
            CGImageSourceUpdateData(source, data as CFData, false)
            guard CGImageSourceGetStatusAtIndex(source, 0) == .statusIncomplete else { return nil }
            var options = options
            options.allowsPartial = true
            // What has arrived may be too little for an image. The whole file is decoded without previews then.
            guard var image = try? ImageIOFile(source).decode(at: 0, options: options) else { return nil }
            (image.isPreview, image.isPartial) = (true, false)
            return image
        }

        func finish() throws -> DecodedImage { try ImageIODecoder().decode(data, options: options) }
    }
#endif
