internal import CCalotypeCodec
internal import CCalotypeJPEG
internal import ImageCore
internal import ImageDecoding

/// Reads one JPEG with libjpeg.
@safe final class JPEGReader {
    private let handle: OpaquePointer
    private(set) var header = clt_jpeg_header()

    /// Creates a reader of a complete file. The bytes must stay valid while the reader exists.
    ///
    /// - Throws: ``ImageError`` for a header that cannot be read. The caller checks the size against the limits.
    convenience init(_ bytes: UnsafeRawBufferPointer, limits: DecodingLimits) throws(ImageError) {
        try self.init(limits: limits)
        unsafe supply(bytes, isLast: true)
        if try !readHeader() { throw .truncated(.jpeg) }
    }

    /// Creates a reader of a file that arrives in pieces.
    init(limits: DecodingLimits) throws(ImageError) {
        guard let handle = unsafe clt_jpeg_reader_create(limits.imageBytes) else { throw .outOfMemory(.jpeg) }
        unsafe self.handle = handle
    }

    /// Sets all bytes of the file so far. They must stay valid during the calls that follow.
    func supply(_ bytes: UnsafeRawBufferPointer, isLast: Bool) {
        unsafe clt_jpeg_reader_supply(handle, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), bytes.count, isLast)
    }

    /// Reads up to the first scan. Returns `false` when more bytes are needed.
    func readHeader() throws(ImageError) -> Bool { try succeeds(unsafe clt_jpeg_reader_read_header(handle, &header)) }

    /// Returns `false` for a call that needs more bytes.
    private func succeeds(_ status: clt_status) throws(ImageError) -> Bool {
        if status == CLT_NEEDS_INPUT { return false }
        if status != CLT_OK { throw failure(status) }
        return true
    }

    deinit { unsafe clt_jpeg_reader_destroy(handle) }

    /// The size as stored, in pixels.
    var size: PixelSize { PixelSize(width: Int(header.width), height: Int(header.height)) }

    /// The codes and contents of the APP1 and APP2 segments before the first scan.
    func markers() -> [(code: UInt8, content: Data)] {
        var found: [(UInt8, Data)] = []
        var (code, bytes, count) = unsafe (UInt8(0), UnsafePointer<UInt8>?.none, 0)
        while unsafe clt_jpeg_reader_marker(handle, found.count, &code, &bytes, &count) {
            found.append((code, unsafe bytes.map { unsafe Data(bytes: $0, count: count) } ?? Data()))
        }
        return found
    }

    /// Returns the samples of the coarsest component for each pixel of the output at `eighths`/8 of the size, at most
    /// 1.
    func detail(eighths: Int) -> Double { unsafe clt_jpeg_reader_detail(handle, UInt32(eighths)) }

    /// Prepares output at `eighths`/8 of the size, and returns the size of the output.
    func start(eighths: Int) throws(ImageError) -> PixelSize {
        var (width, height): (UInt32, UInt32) = (0, 0)
        let status = unsafe clt_jpeg_reader_start(handle, UInt32(eighths), &width, &height)
        if status != CLT_OK { throw failure(status) }
        return PixelSize(width: Int(width), height: Int(height))
    }

    /// The number of scans that have begun, and of those that are complete.
    private(set) var scans = (begun: 0, whole: 0)

    /// Reads the scans of a file with several, as far as the bytes allow and up to `limits.scans`. Returns `false` when
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
            case CLT_OK: continue
            case CLT_SCAN_END: scans.whole = scans.begun
            case CLT_NEEDS_INPUT: return false
            case CLT_END: return true
            default:
                // The complete scans of a truncated file can still be shown.
                guard scans.whole > 0, unsafe clt_jpeg_reader_was_cut(handle) else { throw failure(status) }
                scanFailure = failure(status)
                return true
            }
        }
    }

    /// The error that ended the reading of scans early.
    private var scanFailure: ImageError?

    /// The last scan whose coefficients can be shown, after all were read.
    var lastScan: Int { scanFailure == nil ? scans.begun : scans.whole }

    /// Begins the output of the scans up to `scan`, counted from 1.
    func startOutput(scan: Int) throws(ImageError) {
        let status = unsafe clt_jpeg_reader_start_output(handle, Int32(max(1, scan)))
        if status != CLT_OK { throw failure(status) }
    }

    /// Ends the output. Returns `false` when it must be repeated with more bytes.
    func finishOutput() throws(ImageError) -> Bool { try succeeds(unsafe clt_jpeg_reader_finish_output(handle)) }

    func readRows(into target: UnsafeMutableRawPointer, stride: Int, count: Int) -> RowsRead {
        var got: UInt32 = 0
        let status = unsafe clt_jpeg_reader_read_rows(
            handle, target.assumingMemoryBound(to: UInt8.self), stride, UInt32(count), &got)
        return RowsRead(count: Int(got), failure: status == CLT_OK ? nil : failure(status))
    }

    /// The error that describes the data that libjpeg invented, or `nil`.
    var damage: ImageError? {
        if let scanFailure { return scanFailure }
        let status = unsafe clt_jpeg_reader_damage(handle)
        return status == CLT_OK ? nil : failure(status)
    }

    private func failure(_ status: clt_status) -> ImageError {
        let isCut = unsafe status == CLT_CORRUPT && clt_jpeg_reader_hit_end(handle)
        return unsafe ImageError(
            isCut ? CLT_NEEDS_INPUT : status, .jpeg, String(cString: clt_jpeg_reader_message(handle)))
    }
}
