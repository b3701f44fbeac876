internal import ImageCore

/// Blurs and sharpens row by row, so that the blurred image is never in memory. Each thread has its own instance.
@safe final class SharpenedRows {
    private let source: Bitmap
    private let blur: GaussianRows
    private let sharpen: SharpenRow
    private let blurred: UnsafeMutableRawBufferPointer

    init(source: Bitmap, blur: GaussianRows, sharpen: SharpenRow) {
        (self.source, self.blur, self.sharpen) = (source, blur, sharpen)
        let count = source.width * source.format.bytesPerPixel
        unsafe blurred = .allocate(byteCount: count, alignment: 64)
    }

    deinit { unsafe blurred.deallocate() }

    /// Writes row `y` of the result.
    ///
    /// - Parameter pixels: all rows of the source.
    func write(_ y: Int, of pixels: UnsafeRawPointer, to target: UnsafeMutableRawPointer) {
        guard let line = unsafe blurred.baseAddress else { return }
        unsafe blur.write(y, of: pixels, to: line)
        let row = unsafe UnsafeMutableRawBufferPointer(start: target, count: blurred.count)
        unsafe row.copyMemory(from: UnsafeRawBufferPointer(start: pixels + y * source.bytesPerRow, count: row.count))
        unsafe sharpen.run(row, UnsafeRawBufferPointer(blurred))
    }
}
