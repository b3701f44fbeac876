internal import CCalotypeKernels

/// The inner loops that C has for some formats only, or whose arguments need a conversion.
enum PixelKernels {
    // MARK: Pixels of four channels

    static func premultiply(_ pixels: PixelSamples, _ count: Int, _ path: KernelPath) {
        guard unsafe pixels.isWide else { return unsafe clt_premultiply_u8(path.level, pixels.base, count) }
        let most = unsafe pixels.most
        for pixel in stride(from: 0, to: count * 4, by: 4) {
            let alpha = unsafe pixels[pixel + 3]
            for i in pixel..<pixel + 3 { unsafe pixels[i] = (pixels[i] * alpha + most / 2) / most }
        }
    }

    static func unpremultiply(_ pixels: PixelSamples, _ count: Int, _ path: KernelPath) {
        guard unsafe pixels.isWide else { return unsafe clt_unpremultiply_u8(path.level, pixels.base, count) }
        let most = unsafe pixels.most
        for pixel in stride(from: 0, to: count * 4, by: 4) {
            let alpha = unsafe pixels[pixel + 3]
            for i in pixel..<pixel + 3 {
                unsafe pixels[i] = alpha == 0 ? 0 : min(most, (pixels[i] * most + alpha / 2) / alpha)
            }
        }
    }

    // MARK: Pixels of one or four channels

    /// Replaces pixels of the blurred image by those of the source plus `amount` times their difference, where that is
    /// more than `threshold` levels. Alpha is that of the source.
    static func sharpen(
        _ pixels: PixelSamples, _ source: PixelSamples, _ count: Int, channels: Int, amount: Float, threshold: Float,
        _ path: KernelPath
    ) {
        guard channels == 1 else {
            return unsafe clt_sharpen(path.level, pixels.isWide, pixels.base, source.base, count, amount, threshold)
        }
        let most = unsafe Float(pixels.most)
        for i in 0..<count {
            let sample = unsafe Float(source[i])
            let detail = unsafe sample - Float(pixels[i])
            let sharp = abs(detail) > threshold ? sample + amount * detail : sample
            unsafe pixels[i] = Int(max(0, min(sharp, most)) + 0.5)
        }
    }

    /// Combines the pixels of a line as `axis` says, rounded, with colour limited to alpha.
    static func combineColumns(
        _ line: UnsafePointer<Float>, _ axis: ResampleWeights, channels: Int, _ path: KernelPath, into out: PixelSamples
    ) {
        unsafe axis.withTaps { taps in
            unsafe clt_combine_columns(path.level, out.isWide, channels, line, taps, axis.first.count, out.base)
        }
    }
}

extension ResampleWeights {
    /// The tables as C takes them; valid only inside.
    fileprivate func withTaps(_ body: (UnsafePointer<clt_taps>) -> Void) {
        unsafe first.withUnsafeBufferPointer { first in
            unsafe weights.withUnsafeBufferPointer { weights in
                var taps = unsafe clt_taps(
                    first: first.baseAddress, weights: weights.baseAddress, stride: stride, count: mostTaps)
                unsafe body(&taps)
            }
        }
    }
}
