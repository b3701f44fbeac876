import CCalotypeCodec
import CCalotypeGIF
import ImageCore
import ImageDecoding

/// Delivers the rows of a GIF frame: giflib decodes palette indices, and the frame's palette gives the colours.
@safe final class GIFRows: RowProducer {
    private let handle: OpaquePointer
    private let size: PixelSize
    private let isInterlaced: Bool
    private let colors: [UInt8]
    private let options: DecodeOptions
    private let indices: Scratch
    /// The error that ended the decoding, if any.
    private(set) var failure: ImageError?

    /// - Parameters:
    ///   - header, frame: Must stay valid while the producer exists.
    ///   - colors: 256 colours of four bytes.
    init(
        header: UnsafeBufferPointer<UInt8>, frame: UnsafeBufferPointer<UInt8>, size: PixelSize, isInterlaced: Bool,
        colors: [UInt8], options: DecodeOptions
    ) throws(ImageError) {
        (self.size, self.isInterlaced, self.colors, self.options) = (size, isInterlaced, colors, options)
        indices = try Scratch(rows: 1, rowBytes: size.width)
        var status = CLT_OK
        let handle = unsafe clt_gif_reader_create(
            header.baseAddress, header.count, frame.baseAddress, frame.count, UInt32(size.width), UInt32(size.height), &status)
        guard let handle = unsafe handle else { throw Self.failure(status) }
        unsafe self.handle = handle
    }

    deinit { unsafe clt_gif_reader_destroy(handle) }

    func readRows(into target: UnsafeMutableRawPointer, stride: Int, count: Int) throws -> RowsRead {
        if isInterlaced { return try unsafe readPasses(into: target, stride: stride) }
        for y in 0..<count {
            guard unsafe readRow(into: target + y * stride) else { return RowsRead(count: y, failure: failure) }
        }
        return RowsRead(count: count, failure: nil)
    }

    /// Reads the four passes over the image (GIF89a, appendix E). A row of an early pass also fills the rows below it, which later
    /// passes replace.
    private func readPasses(into target: UnsafeMutableRawPointer, stride: Int) throws -> RowsRead {
        for (first, step, filled) in [(0, 8, 8), (4, 8, 4), (2, 4, 2), (1, 2, 1)] {
            for y in Swift.stride(from: first, to: size.height, by: step) {
                try options.checkCancellation()
                let row = unsafe target + y * stride
                guard unsafe readRow(into: row) else { return RowsRead(count: first > 0 ? size.height : y, failure: failure) }
                for below in (y + 1)..<max(y + 1, min(y + filled, size.height)) {
                    unsafe (target + below * stride).copyMemory(from: row, byteCount: 4 * size.width)
                }
            }
        }
        return RowsRead(count: size.height, failure: nil)
    }

    private func readRow(into row: UnsafeMutableRawPointer) -> Bool {
        let numbers = unsafe indices.base.assumingMemoryBound(to: UInt8.self)
        let status = unsafe clt_gif_reader_read_row(handle, numbers)
        if status != CLT_OK {
            failure = Self.failure(status)
            return false
        }
        unsafe clt_gif_colors(numbers, colors, row.assumingMemoryBound(to: UInt8.self), UInt32(size.width))
        return true
    }

    func finish() -> ImageError? { failure }

    private static func failure(_ status: clt_status) -> ImageError {
        ImageError(status, .gif, "the data of a frame cannot be decoded")
    }
}
