internal import CCalotypeKernels
public import ImageCore

/// Operations on single rows of pixels in place, for decoders that return rows one by one.
public enum PixelRow {
    /// Multiplies colour by alpha, rounded to the nearest level. Rows of grey do not change.
    ///
    /// - Parameters:
    ///   - row: whole pixels of `format`, from the first to the last.
    ///   - format: the format of the pixels.
    public static func premultiply(_ row: UnsafeMutableRawBufferPointer, format: PixelFormat) {
        unsafe premultiply(row, format: format, path: .current)
    }

    static func premultiply(_ row: UnsafeMutableRawBufferPointer, format: PixelFormat, path: KernelPath) {
        switch format {
        case .gray8, .gray16: break
        case .rgba8:
            guard let pixels = unsafe row.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return }
            if path == .swift {
                unsafe SwiftPixelKernels.premultiply(pixels, row.count / 4)
            } else {
                unsafe clt_premultiply_u8(path.level, pixels, row.count / 4)
            }
        case .rgba16:
            let samples = unsafe row.assumingMemoryBound(to: UInt16.self)
            for pixel in stride(from: 0, to: samples.count & ~3, by: 4) {
                let alpha = unsafe UInt64(samples[pixel + 3])
                for i in pixel..<pixel + 3 { unsafe samples[i] = UInt16((UInt64(samples[i]) * alpha + 32767) / 65535) }
            }
        }
    }

    static func unpremultiply(_ row: UnsafeMutableRawBufferPointer, format: PixelFormat, path: KernelPath) {
        switch format {
        case .gray8, .gray16: break
        case .rgba8:
            guard let pixels = unsafe row.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return }
            if path == .swift {
                unsafe SwiftPixelKernels.unpremultiply(pixels, row.count / 4)
            } else {
                unsafe clt_unpremultiply_u8(path.level, pixels, row.count / 4)
            }
        case .rgba16:
            let samples = unsafe row.assumingMemoryBound(to: UInt16.self)
            for pixel in stride(from: 0, to: samples.count & ~3, by: 4) {
                let alpha = unsafe UInt64(samples[pixel + 3])
                for i in pixel..<pixel + 3 {
                    unsafe samples[i] = alpha == 0 ? 0 : UInt16(min(65535, (UInt64(samples[i]) * 65535 + alpha / 2) / alpha))
                }
            }
        }
    }
}
