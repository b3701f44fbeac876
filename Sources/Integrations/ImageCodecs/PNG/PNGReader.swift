internal import CCalotypeCodec
internal import CCalotypePNG
internal import ImageCore
internal import ImageDecoding
internal import ImageKernels

/// Reads one PNG with libpng.
@safe final class PNGReader {
    private let handle: OpaquePointer
    private(set) var header = clt_png_header()

    /// Creates a reader of a file that arrives in pieces.
    init(streaming limits: DecodingLimits) throws(ImageError) {
        guard let handle = unsafe clt_png_reader_create(limits.metadataBytes) else { throw .outOfMemory(.png) }
        unsafe self.handle = handle
    }

    /// Creates a reader of a complete file. The bytes must stay valid while the reader exists.
    ///
    /// - Throws: ``ImageError`` for a header that cannot be read, or an image beyond the limits.
    convenience init(_ bytes: UnsafeRawBufferPointer, limits: DecodingLimits, checksCRC: Bool = true) throws(ImageError) {
        try self.init(streaming: limits)
        let base = unsafe bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
        try check(unsafe clt_png_reader_read_header(handle, base, bytes.count, checksCRC, &header))
        try limits.check(size, bytesPerPixel: 0)
    }

    deinit { unsafe clt_png_reader_destroy(handle) }

    /// The size as stored, in pixels.
    var size: PixelSize { PixelSize(width: Int(header.width), height: Int(header.height)) }

    var profile: Data? {
        var (bytes, count) = unsafe (UnsafePointer<UInt8>?.none, 0)
        guard unsafe clt_png_reader_profile(handle, &bytes, &count), let bytes = unsafe bytes else { return nil }
        return unsafe Data(bytes: bytes, count: count)
    }

    /// Prepares output.
    func start(keeps16Bit: Bool) throws(ImageError) { try check(unsafe clt_png_reader_start(handle, keeps16Bit)) }

    /// Describes the image, as output was prepared.
    func storedImage(
        _ metadata: PNGMetadata, profile: ColorProfile, keeps16Bit: Bool, options: DecodeOptions
    ) -> StoredImage {
        let format = PixelFormat(
            isGray: header.is_gray && !header.has_alpha, isWide: keeps16Bit && header.bit_depth == 16)
        var stored = StoredImage(format: .png, size: size, layout: .pixels(format))
        stored.orientation = options.applied(metadata.orientation)
        stored.hasAlpha = header.has_alpha
        stored.isGray = header.is_gray
        stored.profile = profile
        return stored
    }

    /// - Parameter fillsBlocks: whether a pixel of an early pass also fills the block that later passes replace.
    func readRows(into target: UnsafeMutableRawPointer, stride: Int, count: Int, fillsBlocks: Bool = false) -> RowsRead {
        var got: UInt32 = 0
        let status = unsafe clt_png_reader_read_rows(
            handle, target.assumingMemoryBound(to: UInt8.self), stride, UInt32(count), fillsBlocks, &got)
        return RowsRead(count: Int(got), failure: status == CLT_OK ? nil : failure(status))
    }

    // MARK: A file in pieces

    /// Decodes the next bytes of a file in pieces. Returns whether they complete the header; then it keeps the rest of
    /// them for the next call, before which the target must be set.
    func push(_ bytes: Data) throws(ImageError) -> Bool {
        let hadHeader = header.width > 0
        try check(
            unsafe bytes.withUnsafeBytes { bytes in
                unsafe clt_png_reader_push(handle, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), bytes.count, &header)
            })
        return !hadHeader && header.width > 0
    }

    /// Sets the memory for the rows.
    func setTarget(_ rows: Scratch) {
        unsafe clt_png_reader_set_target(handle, rows.base.assumingMemoryBound(to: UInt8.self), rows.stride)
    }

    /// The number of rows from the top that have pixels, and of those that libpng has decoded, in all passes.
    var pushedRows: (available: Int, decoded: Int) {
        var decoded: UInt64 = 0
        let available = unsafe clt_png_reader_rows(handle, &decoded)
        return (Int(available), Int(clamping: decoded))
    }

    private func check(_ status: clt_status) throws(ImageError) { if status != CLT_OK { throw failure(status) } }

    private func failure(_ status: clt_status) -> ImageError {
        unsafe ImageError(status, .png, String(cString: clt_png_reader_message(handle)))
    }
}
