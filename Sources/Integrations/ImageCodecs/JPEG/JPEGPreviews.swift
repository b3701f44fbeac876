internal import CCalotypeJPEG
public import ImageCore
internal import ImageDecoding

extension JPEGDecoder: IncrementalDecoding {
    /// Previews a baseline file by its rows, and a progressive file after each scan.
    public func makeIncrementalDecoder(for prefix: Data, options: DecodeOptions) throws -> (any IncrementalDecoder)? {
        format(of: prefix) == nil || options.frame > 0 ? nil : try JPEGPreviews(options: options)
    }

    /// Returns the thumbnail in the Exif data, once the segments before the image data have arrived.
    public func embeddedThumbnail(in prefix: Data, options: DecodeOptions) throws -> DecodedImage? {
        do {
            let metadata = try unsafe prefix.withUnsafeBytes { bytes in
                JPEGMetadata(try unsafe JPEGReader(bytes, limits: options.limits).markers(), limits: options.limits)
            }
            // The thumbnail's own Exif is ignored, since it has the orientation of the image.
            return try metadata.thumbnail.map { try Self.decode($0, options: options, orientation: metadata.orientation) }
        } catch is ImageError {
            // Either more bytes are needed, or the file is damaged, which its decode reports.
            return nil
        }
    }
}

/// Makes previews of a JPEG. A file with arithmetic coding has none, since libjpeg can only read it whole.
final class JPEGPreviews: IncrementalDecoder {
    private let reader: JPEGReader
    private let options: DecodeOptions
    private var canvas: PreviewCanvas?
    /// The number of rows that libjpeg has decoded, including those that were decoded again for previews of several
    /// scans.
    private(set) var rowsDecoded = 0
    private var hasAllScans = false
    /// Whether an output pass over the coefficients still needs bytes to end.
    private var isPassOpen = false

    init(options: DecodeOptions) throws(ImageError) {
        self.options = options
        reader = try JPEGReader(limits: options.limits)
    }

    func preview(of file: Data) throws -> DecodedImage? {
        try options.checkCancellation()
        return try unsafe file.withUnsafeBytes { bytes in
            unsafe reader.supply(bytes, isLast: false)
            guard let canvas = try canvas ?? makeCanvas() else { return nil }
            self.canvas = canvas
            if reader.header.has_multiple_scans { return try previewScans(canvas) }
            try readRows(canvas)
            return try canvas.preview(of: canvas.available)
        }
    }

    /// Begins the decode when the header has arrived.
    private func makeCanvas() throws -> PreviewCanvas? {
        guard try reader.readHeader() else { return nil }
        if reader.header.is_arithmetic { throw ImageError.truncated(.jpeg) }
        let stored = try JPEGDecoder.start(reader, options: options)
        return try PreviewCanvas(stored, options: options, codecBytes: Int(clamping: reader.header.coefficient_bytes))
    }

    /// Decodes all rows from the coefficients so far, if a further scan is complete.
    private func previewScans(_ canvas: PreviewCanvas) throws -> DecodedImage? {
        if !hasAllScans {
            hasAllScans = try reader.consumeScans(limits: options.limits, cancellation: options.cancellation)
        }
        // libjpeg smooths the last rows of a scan only after the next scan has begun.
        let ready = hasAllScans ? reader.lastScan : min(reader.scans.whole, reader.scans.begun - 1)
        guard ready > canvas.lastPreviewed, try closePass() else { return nil }
        try reader.startOutput(scan: ready)
        canvas.available = 0
        try readRows(canvas)
        isPassOpen = true
        _ = try closePass()
        return try canvas.preview(of: ready)
    }

    /// Reads the next rows into the canvas.
    private func readRows(_ canvas: PreviewCanvas) throws {
        let height = canvas.stored.decodedSize.height
        while canvas.available < height {
            try options.checkCancellation()
            let read = unsafe reader.readRows(
                into: canvas.rows.base + canvas.available * canvas.rows.stride, stride: canvas.rows.stride,
                count: min(64, height - canvas.available))
            canvas.available += read.count
            rowsDecoded += read.count
            if let failure = read.failure {
                if failure.code != .truncated { throw failure }
                return
            }
        }
    }

    private func closePass() throws -> Bool {
        if isPassOpen, try reader.finishOutput() { isPassOpen = false }
        return !isPassOpen
    }
}
