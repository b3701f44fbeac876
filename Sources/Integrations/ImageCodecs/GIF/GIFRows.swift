internal import CCalotypeLibGIF
internal import ImageCore
internal import ImageDecoding

/// Delivers the rows of a GIF frame: giflib decodes palette indices, and the frame's palette gives the colours.
@safe final class GIFRows: RowProducer {
    private let file: UnsafeMutablePointer<GifFileType>
    private let input: GIFInput
    private let size: PixelSize
    private let isInterlaced: Bool
    private let colors: [UInt32]
    private let options: DecodeOptions
    private let indices: Scratch
    /// The error that ended the decoding, if any.
    private(set) var failure: ImageError?

    /// - Parameters:
    ///   - bytes: the file up to the end of the global palette, and the frame from its image separator to the end of
    ///     its data.
    ///   - colors: 256 colours as RGBA in memory.
    init(
        _ bytes: Data, size: PixelSize, isInterlaced: Bool, colors: [UInt32], options: DecodeOptions
    ) throws(ImageError) {
        (self.size, self.isInterlaced, self.colors, self.options) = (size, isInterlaced, colors, options)
        indices = try Scratch(rows: 1, rowBytes: size.width)
        input = GIFInput(bytes)
        var error: Int32 = 0
        let opened = unsafe DGifOpen(Unmanaged.passUnretained(input).toOpaque(), readGIF, &error)
        guard let opened = unsafe opened else {
            throw error == D_GIF_ERR_NOT_ENOUGH_MEM ? .outOfMemory(.gif) : input.failure
        }
        unsafe file = opened
        var record = UNDEFINED_RECORD_TYPE
        guard unsafe DGifGetRecordType(opened, &record) != GIF_ERROR, record == IMAGE_DESC_RECORD_TYPE,
            unsafe DGifGetImageDesc(opened) != GIF_ERROR,
            unsafe PixelSize(width: Int(opened.pointee.Image.Width), height: Int(opened.pointee.Image.Height)) == size
        else { throw input.failure }
    }

    deinit {
        var error: Int32 = 0
        _ = unsafe DGifCloseFile(file, &error)
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
        guard unsafe DGifGetLine(file, numbers, Int32(size.width)) != GIF_ERROR else {
            failure = input.failure
            return false
        }
        let pixels = unsafe row.assumingMemoryBound(to: UInt32.self)
        for x in 0..<size.width { unsafe pixels[x] = colors[Int(numbers[x])] }
        return true
    }

    func finish() -> ImageError? { failure }
}

/// The bytes that giflib reads.
private final class GIFInput {
    private var rest: Data
    private var hasEnded = false

    init(_ bytes: Data) { rest = bytes }

    func read(into target: UnsafeMutablePointer<UInt8>, count: Int) -> Int {
        let part = rest.prefix(count)
        unsafe part.copyBytes(to: target, count: part.count)
        rest = rest.dropFirst(part.count)
        if part.count < count { hasEnded = true }
        return part.count
    }

    /// The error for a call of giflib that failed.
    var failure: ImageError {
        hasEnded ? .truncated(.gif) : .damaged(.gif, "the data of a frame cannot be decoded")
    }
}

private func readGIF(
    _ file: UnsafeMutablePointer<GifFileType>?, _ target: UnsafeMutablePointer<UInt8>?, _ count: Int32
) -> Int32 {
    guard let input = unsafe file?.pointee.UserData, let target = unsafe target else { return 0 }
    let reader = unsafe Unmanaged<GIFInput>.fromOpaque(input).takeUnretainedValue()
    return Int32(unsafe reader.read(into: target, count: Int(count)))
}
