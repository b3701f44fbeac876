internal import CCalotypeKernels
internal import ImageCore

/// Adds to rows what a blurred image lacks of them.
struct SharpenRow: Sendable {
    let format: PixelFormat
    let amount: Float
    /// In levels.
    let threshold: Float
    let path: KernelPath

    func run(_ row: UnsafeMutableRawBufferPointer, _ blurred: UnsafeRawBufferPointer) {
        guard let to = row.baseAddress, let from = blurred.baseAddress else { return }
        let (count, channels) = (row.count / format.bytesPerPixel, format.channels)
        switch format {
        case .gray8, .rgba8:
            let (to, from) = unsafe (to.assumingMemoryBound(to: UInt8.self), from.assumingMemoryBound(to: UInt8.self))
            if path == .swift {
                unsafe SwiftPixelKernels.sharpen(to, from, count, channels, amount, threshold)
            } else {
                unsafe clt_sharpen_u8(path.level, to, from, count, channels, amount, threshold)
            }
        case .gray16, .rgba16:
            let (to, from) = unsafe (to.assumingMemoryBound(to: UInt16.self), from.assumingMemoryBound(to: UInt16.self))
            if path == .swift {
                unsafe SwiftPixelKernels.sharpen(to, from, count, channels, amount, threshold)
            } else {
                unsafe clt_sharpen_u16(path.level, to, from, count, channels, amount, threshold)
            }
        }
    }
}

/// Blurs and sharpens row by row, so that no blurred image is kept. One per thread.
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
