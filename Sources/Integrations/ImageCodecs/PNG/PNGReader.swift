import CCalotypePNG
import ImageCore
import ImageDecoding

/// Reads one PNG with libpng.
@safe final class PNGReader {
    private let handle: OpaquePointer
    private(set) var header = clt_png_header()

    /// Creates a reader of a complete file. The bytes must stay valid while the reader exists.
    ///
    /// - Throws: ``ImageError`` for a header that cannot be read, or an image beyond the limits.
    init(_ bytes: UnsafeRawBufferPointer, limits: DecodingLimits, checksCRC: Bool = true) throws(ImageError) {
        let base = unsafe bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
        guard let handle = unsafe clt_png_reader_create(base, bytes.count, limits.metadataBytes, checksCRC) else {
            throw .outOfMemory(.png)
        }
        unsafe self.handle = handle
        let status = unsafe clt_png_reader_read_header(handle, &header)
        if status != CLT_PNG_OK { throw failure(status) }
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

    /// Prepares output. Returns the layout of rows and the number of passes over the image.
    func start(keeps16Bit: Bool) throws(ImageError) -> (layout: RowLayout, passes: Int) {
        var (layout, passes) = (CLT_PNG_RGBA8, Int32(1))
        let status = unsafe clt_png_reader_start(handle, keeps16Bit, &layout, &passes)
        if status != CLT_PNG_OK { throw failure(status) }
        return (Self.layout(layout), Int(passes))
    }

    static func layout(_ layout: clt_png_layout) -> RowLayout {
        switch layout {
        case CLT_PNG_GRAY8: .gray8
        case CLT_PNG_GRAY16: .gray16
        case CLT_PNG_RGBA16: .rgba16
        default: .rgba8
        }
    }

    /// - Parameter fillsBlocks: Whether a pixel of an early pass also fills the block that later passes replace.
    func readRows(into target: UnsafeMutableRawPointer, stride: Int, count: Int, fillsBlocks: Bool = false) -> RowsRead {
        var got: UInt32 = 0
        let status = unsafe clt_png_reader_read_rows(
            handle, target.assumingMemoryBound(to: UInt8.self), stride, UInt32(count), fillsBlocks, &got)
        return RowsRead(count: Int(got), failure: status == CLT_PNG_OK ? nil : failure(status))
    }

    private func failure(_ status: clt_png_status) -> ImageError {
        switch status {
        case CLT_PNG_NO_MEMORY: .outOfMemory(.png)
        case CLT_PNG_TRUNCATED:
            ImageError(.truncated, message: "The PNG file ends before its image does; download or copy it again.")
        default:
            ImageError(
                .corrupt, message: "The PNG file is damaged: \(unsafe String(cString: clt_png_reader_message(handle))).")
        }
    }
}
