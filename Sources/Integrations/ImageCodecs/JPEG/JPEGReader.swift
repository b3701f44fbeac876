import CCalotypeJPEG
import CalotypeSystem
import ImageCore
import ImageDecoding

/// One JPEG being read by libjpeg.
@safe final class JPEGReader {
    private let handle: OpaquePointer
    private(set) var header = clt_jpeg_header()

    /// A reader of a whole file, whose bytes must stay where they are while it lives.
    ///
    /// - Throws: ``ImageError`` for a header that cannot be read. The caller checks the size against the limits.
    convenience init(_ bytes: UnsafeRawBufferPointer, limits: DecodingLimits) throws(ImageError) {
        try self.init(limits: limits)
        unsafe clt_jpeg_reader_borrow(handle, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), bytes.count)
        if try !readHeader(limits: limits) { throw failure(CLT_JPEG_NEEDS_INPUT) }
    }

    /// A reader of a file that arrives in pieces.
    init(limits: DecodingLimits) throws(ImageError) {
        guard let handle = unsafe clt_jpeg_reader_create(limits.decodedBytes) else { throw .outOfMemory(.jpeg) }
        unsafe self.handle = handle
    }

    /// The next piece, copied.
    func supply(_ chunk: Data, isLast: Bool) throws(ImageError) {
        let status = unsafe chunk.withUnsafeBytes { bytes in
            unsafe clt_jpeg_reader_supply(handle, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), bytes.count, isLast)
        }
        if status != CLT_JPEG_OK { throw failure(status) }
    }

    /// Reads up to the first scan; `false` where more bytes are needed.
    func readHeader(limits: DecodingLimits) throws(ImageError) -> Bool {
        let status = unsafe clt_jpeg_reader_read_header(handle, &header)
        if status == CLT_JPEG_NEEDS_INPUT { return false }
        if status != CLT_JPEG_OK { throw failure(status) }
        if header.model == CLT_JPEG_OTHER {
            throw ImageError(
                .unsupportedFeature, message: "The JPEG has \(header.components) colour components; only 1, 3 and 4 can be shown."
            )
        }
        return true
    }

    /// Of the decode that it reads for.
    var cancellation: CancellationToken?

    deinit {
        // Freeing the coefficients of a large image takes ten milliseconds, too long for a caller that cancelled.
        let isAbandoned = header.coefficient_bytes > 1 << 24 && cancellation?.isCancelled == true
        // nonisolated(unsafe) because nobody else has the reader any more.
        nonisolated(unsafe) let reader = unsafe handle
        if isAbandoned, DetachedThread.start({ unsafe clt_jpeg_reader_destroy(reader) }) { return }
        unsafe clt_jpeg_reader_destroy(reader)
    }

    /// Pixels as stored.
    var size: PixelSize { PixelSize(width: Int(header.width), height: Int(header.height)) }

    /// The APP1 and APP2 segments before the first scan: code and content.
    func markers() -> [(code: UInt8, content: Data)] {
        var found: [(UInt8, Data)] = []
        var (code, bytes, count) = unsafe (UInt8(0), UnsafePointer<UInt8>?.none, 0)
        while unsafe clt_jpeg_reader_marker(handle, found.count, &code, &bytes, &count) {
            found.append((code, unsafe bytes.map { unsafe Data(bytes: $0, count: count) } ?? Data()))
        }
        return found
    }

    /// Prepares output at `eighths`/8 of the size, and returns the size that rows then have.
    func start(eighths: Int) throws(ImageError) -> PixelSize {
        var (width, height): (UInt32, UInt32) = (0, 0)
        let status = unsafe clt_jpeg_reader_start(handle, UInt32(eighths), &width, &height)
        if status != CLT_JPEG_OK { throw failure(status) }
        return PixelSize(width: Int(width), height: Int(height))
    }

    /// How many scans were begun, and how many of them are whole.
    private(set) var scans = (begun: 0, whole: 0)

    /// Reads the scans of a file with several of them, as far as the bytes go and up to `limits.scans`; `false` where
    /// more bytes are needed.
    func consumeScans(limits: DecodingLimits, cancellation: CancellationToken?) throws -> Bool {
        while true {
            try cancellation?.check()
            var begun: Int32 = 0
            let status = unsafe clt_jpeg_reader_consume(handle, 8, &begun)
            scans.begun = Int(begun)
            guard scans.begun <= limits.scans else {
                throw ImageError(
                    .tooLarge, message: "The JPEG has more than \(limits.scans) scans, the limit; raise it to load the image.")
            }
            switch status {
            case CLT_JPEG_OK: continue
            case CLT_JPEG_SCAN_END: scans.whole = scans.begun
            case CLT_JPEG_NEEDS_INPUT: return false
            case CLT_JPEG_END: return true
            default:
                // Where the file was cut, what whole scans gave can still be shown.
                guard scans.whole > 0, unsafe clt_jpeg_reader_was_cut(handle) else { throw failure(status) }
                scanFailure = failure(status)
                return true
            }
        }
    }

    /// What ended the reading of scans early.
    private var scanFailure: ImageError?

    /// The scan up to which coefficients can be shown, once all were read.
    var lastScan: Int { scanFailure == nil ? scans.begun : scans.whole }

    /// Begins a pass over what the scans up to `scan` give, counted from 1.
    func startOutput(scan: Int) throws(ImageError) {
        let status = unsafe clt_jpeg_reader_start_output(handle, Int32(max(1, scan)))
        if status != CLT_JPEG_OK { throw failure(status) }
    }

    /// Ends a pass; `false` where that must be tried again with more bytes.
    func finishOutput() throws(ImageError) -> Bool {
        let status = unsafe clt_jpeg_reader_finish_output(handle)
        if status == CLT_JPEG_NEEDS_INPUT { return false }
        if status != CLT_JPEG_OK { throw failure(status) }
        return true
    }

    /// Whether the rows stopped only because the bytes did.
    private(set) var needsInput = false

    func readRows(into target: UnsafeMutableRawPointer, stride: Int, count: Int) -> RowsRead {
        var got: UInt32 = 0
        needsInput = false
        let status = unsafe clt_jpeg_reader_read_rows(
            handle, target.assumingMemoryBound(to: UInt8.self), stride, UInt32(count), &got)
        if status == CLT_JPEG_NEEDS_INPUT { needsInput = true }
        return RowsRead(count: Int(got), failure: status == CLT_JPEG_OK ? nil : failure(status))
    }

    /// What libjpeg had to make up, if anything.
    var damage: ImageError? {
        if let scanFailure { return scanFailure }
        let (damaged, ended) = unsafe (clt_jpeg_reader_is_damaged(handle), clt_jpeg_reader_hit_end(handle))
        if ended, unsafe damaged || header.is_arithmetic || !clt_jpeg_reader_is_complete(handle) {
            return ImageError(
                .truncated, message: "The JPEG file ends before its image does; it was cut off or not wholly received.")
        }
        return damaged ? ImageError(.corrupt, message: "The JPEG file is damaged: \(sentence)") : nil
    }

    private var sentence: String {
        let text = unsafe String(cString: clt_jpeg_reader_message(handle))
        return text.hasSuffix(".") ? text : text + "."
    }

    func failure(_ status: clt_jpeg_status) -> ImageError {
        switch status {
        case CLT_JPEG_NO_MEMORY: .outOfMemory(.jpeg)
        case CLT_JPEG_UNSUPPORTED:
            ImageError(.unsupportedFeature, message: "The JPEG uses a feature that cannot be decoded here: \(sentence)")
        case CLT_JPEG_NEEDS_INPUT:
            ImageError(.truncated, message: "The JPEG file ends before its image does; it was cut off or not wholly received.")
        default:
            if unsafe clt_jpeg_reader_hit_end(handle) {
                ImageError(
                    .truncated, message: "The JPEG file ends before its image does: \(sentence)")
            } else {
                ImageError(.corrupt, message: "The JPEG file is damaged: \(sentence)")
            }
        }
    }
}
