import CCalotypeJPEG
public import ImageCore
import ImageDecoding

extension JPEGDecoder: IncrementalDecoding {
    /// Previews a baseline file by its rows, and a progressive file after each scan.
    public func makeIncrementalDecoder(for head: Data, options: DecodeOptions) throws -> (any IncrementalDecoder)? {
        format(of: head) == nil ? nil : try IncrementalJPEG(options: options)
    }

    /// Returns the thumbnail in the Exif data, once the segments before the image data have arrived.
    public func embeddedThumbnail(in head: Data, options: DecodeOptions) throws -> DecodedImage? {
        do {
            return try thumbnail(of: head, options: options)
        } catch is ImageError {
            // Either more bytes are needed, or the file is damaged, which its decode reports.
            return nil
        }
    }
}

/// Decodes a JPEG that arrives in pieces.
///
/// It drops the bytes that libjpeg has read. It keeps all bytes of a file with arithmetic coding, which libjpeg can only read
/// whole, and which has no previews.
// @unchecked because the protocol guarantees that one thread at a time calls it.
final class IncrementalJPEG: IncrementalDecoder, @unchecked Sendable {
    private let reader: JPEGReader
    private let options: DecodeOptions
    private var canvas: IncrementalCanvas?
    /// The number of rows, or of scans, in the last preview.
    private var lastPreviewed = 0
    /// The number of rows that libjpeg has decoded, including those that were decoded again for previews of several scans.
    private(set) var rowsDecoded = 0
    private var isReadThrough = false
    /// Whether an output pass over the coefficients still needs bytes to end.
    private var isPassOpen = false
    /// The bytes so far, while all of them may be needed again.
    private var kept: Data? = Data()

    init(options: DecodeOptions) throws {
        try options.checkFrame(of: 1)
        self.options = options
        reader = try JPEGReader(limits: options.limits)
    }

    func append(_ chunk: Data) throws {
        try options.checkCancellation()
        guard !isReadThrough, !chunk.isEmpty else { return }
        kept?.append(chunk)
        if reader.header.is_arithmetic { return }
        try reader.supply(chunk, isLast: false)
        try advance()
    }

    func preview() throws -> DecodedImage? {
        guard let canvas else { return nil }
        if reader.header.has_multiple_scans {
            // libjpeg smooths the last rows of a scan only after the next scan has begun.
            let ready = isReadThrough ? reader.lastScan : min(reader.scans.whole, reader.scans.begun - 1)
            guard ready > lastPreviewed, try closePass() else { return nil }
            lastPreviewed = ready
            _ = try readPass(scan: lastPreviewed)
            _ = try closePass()
        } else {
            guard canvas.available > lastPreviewed else { return nil }
            lastPreviewed = canvas.available
        }
        return try canvas.preview(options)
    }

    func finish() throws -> DecodedImage {
        if reader.header.is_arithmetic, let kept { return try JPEGDecoder().decode(kept, options: options) }
        if !isReadThrough {
            try reader.supply(Data(), isLast: true)
            try advance()
        }
        guard let canvas else { throw ImageError.truncated(.jpeg) }
        var failure: ImageError?
        if reader.header.has_multiple_scans {
            _ = try closePass()
            failure = try readPass(scan: reader.lastScan)
        }
        return try canvas.final(options, failure: failure ?? reader.damage)
    }

    /// Decodes as much as the bytes so far allow.
    private func advance() throws {
        if canvas == nil {
            guard try reader.readHeader(limits: options.limits) else { return }
            if reader.header.is_arithmetic { return }
            kept = nil
            let stored = try JPEGDecoder.start(reader, options: options)
            canvas = try IncrementalCanvas(
                stored, options: options, codecBytes: Int(clamping: reader.header.coefficient_bytes))
        }
        if reader.header.has_multiple_scans {
            isReadThrough = try reader.consumeScans(limits: options.limits, cancellation: options.cancellation)
        } else {
            let failure = try readRows()
            if let failure, !reader.needsInput { throw failure }
            isReadThrough = canvas.map { $0.available == $0.stored.decodedSize.height } ?? false
        }
    }

    /// Reads the next rows into the canvas.
    private func readRows() throws -> ImageError? {
        guard let canvas else { return nil }
        let height = canvas.stored.decodedSize.height
        while canvas.available < height {
            try options.checkCancellation()
            let read = unsafe reader.readRows(
                into: canvas.rows.base + canvas.available * canvas.rows.stride, stride: canvas.rows.stride,
                count: min(64, height - canvas.available))
            canvas.available += read.count
            rowsDecoded += read.count
            if let failure = read.failure { return failure }
        }
        return nil
    }

    /// Decodes all rows from the coefficients so far.
    private func readPass(scan: Int) throws -> ImageError? {
        try reader.startOutput(scan: scan)
        canvas?.available = 0
        let failure = try readRows()
        isPassOpen = true
        return failure
    }

    private func closePass() throws -> Bool {
        if isPassOpen, try reader.finishOutput() { isPassOpen = false }
        return !isPassOpen
    }
}
