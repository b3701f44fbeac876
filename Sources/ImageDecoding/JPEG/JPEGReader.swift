import CCalotypeJPEG
import ImageCore

/// One JPEG being read by libjpeg.
@safe final class JPEGReader {
    private let handle: OpaquePointer
    private(set) var header = clt_jpeg_header()

    /// A reader of a whole file, whose bytes must stay where they are while it lives.
    ///
    /// - Throws: ``ImageError`` for a header that cannot be read, or a picture beyond the limits.
    init(_ bytes: UnsafeRawBufferPointer, limits: DecodingLimits) throws(ImageError) {
        guard let handle = unsafe clt_jpeg_reader_create(limits.decodedBytes) else { throw .outOfMemory(.jpeg) }
        unsafe self.handle = handle
        unsafe clt_jpeg_reader_borrow(handle, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), bytes.count)
        let status = unsafe clt_jpeg_reader_read_header(handle, &header)
        if status != CLT_JPEG_OK { throw failure(status) }
        // Every later call depends on these being sane.
        try limits.check(size, bytesPerPixel: 0)
        if header.model == CLT_JPEG_OTHER {
            throw ImageError(
                .unsupportedFeature, message: "The JPEG has \(header.components) colour components; only 1, 3 and 4 can be shown."
            )
        }
    }

    deinit { unsafe clt_jpeg_reader_destroy(handle) }

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

    /// Reads all scans of a file with several of them, up to `limits.scans`.
    func consumeScans(limits: DecodingLimits, cancellation: CancellationToken?) throws {
        var scans: Int32 = 0
        while true {
            try cancellation?.check()
            let status = unsafe clt_jpeg_reader_consume(handle, 8, &scans)
            guard scans <= limits.scans else {
                throw ImageError(
                    .tooLarge, message: "The JPEG has more than \(limits.scans) scans, the limit; raise it to load the picture.")
            }
            switch status {
            case CLT_JPEG_OK, CLT_JPEG_SCAN_END: continue
            case CLT_JPEG_END: return
            default: throw failure(status)
            }
        }
    }

    func startOutput() throws(ImageError) {
        let status = unsafe clt_jpeg_reader_start_output(handle)
        if status != CLT_JPEG_OK { throw failure(status) }
    }

    func readRows(into target: UnsafeMutableRawPointer, stride: Int, count: Int) -> RowsRead {
        var got: UInt32 = 0
        let status = unsafe clt_jpeg_reader_read_rows(
            handle, target.assumingMemoryBound(to: UInt8.self), stride, UInt32(count), &got)
        return RowsRead(count: Int(got), failure: status == CLT_JPEG_OK ? nil : failure(status))
    }

    /// What libjpeg had to make up, if anything.
    var damage: ImageError? {
        let (damaged, ended) = unsafe (clt_jpeg_reader_is_damaged(handle), clt_jpeg_reader_hit_end(handle))
        if ended, unsafe damaged || !clt_jpeg_reader_is_complete(handle) {
            return ImageError(
                .truncated, message: "The JPEG file ends before its picture does; it was cut off or not wholly received.")
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
            ImageError(.truncated, message: "The JPEG file ends before its picture does; it was cut off or not wholly received.")
        default:
            if unsafe clt_jpeg_reader_hit_end(handle) {
                ImageError(
                    .truncated, message: "The JPEG file ends before any of its picture; it was cut off or not wholly received.")
            } else {
                ImageError(.corrupt, message: "The JPEG file is damaged: \(sentence)")
            }
        }
    }
}

extension ImageError {
    /// A codec had no memory, or would have passed the byte limit.
    static func outOfMemory(_ format: ImageFormat) -> ImageError {
        ImageError(.tooLarge, message: "There is not enough memory within the limit to decode this \(format) picture.")
    }
}
