internal import ImageCore
internal import ImageDecoding

/// Delivers the rows of a GIF frame. The frame's palette gives the colours of the decoded indices.
///
/// Pixels that the data leaves out are transparent, as in browsers, if the data has its end.
final class GIFRows: RowProducer {
    private let size: PixelSize
    private let isInterlaced: Bool
    private let colors: [UInt32]
    private let hasEnd: Bool
    private let options: DecodeOptions
    private let indices: Scratch
    private var decoder: LZWDecoder
    /// Whether the data left out pixels.
    private(set) var isIncomplete = false
    /// The error that ended the decoding, if any.
    private(set) var failure: ImageError?

    /// - Parameters:
    ///   - data: the content of the sub-blocks.
    ///   - hasEnd: whether the file has the block that ends the data.
    ///   - colors: 256 colours as RGBA in memory.
    init(
        _ data: Data, startBits: Int, hasEnd: Bool, size: PixelSize, isInterlaced: Bool, colors: [UInt32], options: DecodeOptions
    ) throws(ImageError) {
        (self.size, self.isInterlaced, self.colors) = (size, isInterlaced, colors)
        (self.hasEnd, self.options) = (hasEnd, options)
        indices = try Scratch(rows: 1, rowBytes: size.width)
        decoder = try LZWDecoder(data, startBits: startBits)
    }

    func readRows(into target: UnsafeMutableRawPointer, stride: Int, count: Int) throws -> RowsRead {
        if isInterlaced { return try unsafe readPasses(into: target, stride: stride) }
        for y in 0..<count {
            guard unsafe readRow(into: target + y * stride) else { return RowsRead(count: y, failure: failure) }
        }
        return RowsRead(count: count, failure: nil)
    }

    /// Reads the four passes over the image (GIF89a, appendix E). A row of an early pass also fills the rows below it,
    /// which later passes replace.
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
        let count = unsafe decoder.read(into: numbers, count: size.width)
        if count < size.width {
            if decoder.isDamaged { failure = .damaged(.gif, "the data of a frame cannot be decoded") }
            if !hasEnd { failure = .truncated(.gif) }
            if failure != nil { return false }
            isIncomplete = true
        }
        let pixels = unsafe row.assumingMemoryBound(to: UInt32.self)
        for x in 0..<count { unsafe pixels[x] = colors[Int(numbers[x])] }
        for x in count..<size.width { unsafe pixels[x] = 0 }
        return true
    }

    func finish() -> ImageError? { failure }
}
