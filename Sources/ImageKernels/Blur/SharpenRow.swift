internal import CCalotypeKernels
internal import ImageCore

/// Adds to rows their difference from the blurred image.
struct SharpenRow: Sendable {
    let format: PixelFormat
    let amount: Float
    /// The threshold in levels.
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
