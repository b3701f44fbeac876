import CCalotypeGIF
import ImageCore
import ImageDecoding

/// Delivers the rows of a GIF frame: giflib decodes palette indices, and the frame's palette gives the colours.
@safe final class GIFRows: RowProducer {
    private let handle: OpaquePointer
    private let size: PixelSize
    private let colors: [UInt8]
    private let options: DecodeOptions
    private var next = 0
    /// The palette indices of an interlaced frame, and the number of rows that have been delivered.
    private var numbers: Scratch?
    private var available = 0
    /// The error that ended the decoding, if any.
    private(set) var failure: ImageError?

    /// - Parameters:
    ///   - header, frame: Must stay valid while the producer exists.
    ///   - colors: 256 colours of four bytes.
    init(
        header: UnsafeBufferPointer<UInt8>, frame: UnsafeBufferPointer<UInt8>, size: PixelSize, colors: [UInt8],
        options: DecodeOptions
    ) throws(ImageError) {
        var status = CLT_GIF_OK
        let handle = unsafe clt_gif_reader_create(
            header.baseAddress, header.count, frame.baseAddress, frame.count, UInt32(size.width), UInt32(size.height), &status)
        guard let handle = unsafe handle else { throw Self.failure(status) ?? .truncated(.gif) }
        unsafe self.handle = handle
        (self.size, self.colors, self.options) = (size, colors, options)
    }

    deinit { unsafe clt_gif_reader_destroy(handle) }

    var isInterlaced: Bool { unsafe clt_gif_reader_is_interlaced(handle) }

    /// The number of palette indices that are held at once: a row, or the whole image if it is interlaced.
    var heldBytes: Int { isInterlaced ? size.width * size.height : size.width }

    func readRows(into target: UnsafeMutableRawPointer, stride: Int, count: Int) throws -> RowsRead {
        if isInterlaced, numbers == nil { numbers = try readPasses() }
        let line = try numbers ?? Scratch(rows: 1, rowBytes: size.width)
        for i in 0..<count {
            if isInterlaced, next >= available { return RowsRead(count: i, failure: failure ?? .truncated(.gif)) }
            if !isInterlaced, try !readRow(line) { return RowsRead(count: i, failure: failure) }
            unsafe convert(line.base + (isInterlaced ? next * line.stride : 0), to: target + i * stride)
            next += 1
        }
        return RowsRead(count: count, failure: nil)
    }

    func finish() -> ImageError? { failure }

    private func readRow(_ line: Scratch) throws -> Bool {
        var rows: UInt32 = 0
        let status = unsafe clt_gif_reader_read_rows(
            handle, line.base.assumingMemoryBound(to: UInt8.self), line.stride, UInt32(next), 1, &rows)
        failure = Self.failure(status)
        return failure == nil
    }

    /// Decodes all passes over the image, as far as the data allows.
    private func readPasses() throws -> Scratch {
        let numbers = try Scratch(rows: size.height, rowBytes: size.width)
        var (rows, status) = (UInt32(0), CLT_GIF_OK)
        while status == CLT_GIF_OK, unsafe !clt_gif_reader_is_finished(handle) {
            try options.checkCancellation()
            status = unsafe clt_gif_reader_read_rows(
                handle, numbers.base.assumingMemoryBound(to: UInt8.self), numbers.stride, 0, 64, &rows)
        }
        available = Int(rows)
        failure = Self.failure(status)
        return numbers
    }

    private func convert(_ numbers: UnsafeMutableRawPointer, to row: UnsafeMutableRawPointer) {
        unsafe clt_gif_colors(
            numbers.assumingMemoryBound(to: UInt8.self), colors, row.assumingMemoryBound(to: UInt8.self), UInt32(size.width))
    }

    private static func failure(_ status: clt_gif_status) -> ImageError? {
        switch status {
        case CLT_GIF_OK: nil
        case CLT_GIF_TRUNCATED: .truncated(.gif)
        case CLT_GIF_NO_MEMORY: .outOfMemory(.gif)
        default: ImageError(.corrupt, message: "The GIF file is damaged: the data of a frame cannot be decoded.")
        }
    }
}
