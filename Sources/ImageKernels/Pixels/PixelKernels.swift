internal import CCalotypeKernels

/// The inner loops: in C on the path of the operation, and a few that are rarely used in Swift.
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

    /// - Parameter matrix: one column of four for red, green, blue and alpha.
    static func colorMatrix(_ pixels: PixelSamples, _ count: Int, _ matrix: UnsafePointer<Float>, _ path: KernelPath) {
        unsafe clt_color_matrix(path.level, pixels.isWide, pixels.base, count, matrix)
    }

    /// Composites `over` over `pixels`.
    static func composite(
        _ pixels: PixelSamples, _ over: PixelSamples, _ count: Int, opacity: Float, _ path: KernelPath
    ) {
        unsafe clt_composite(path.level, pixels.isWide, pixels.base, over.base, count, opacity)
    }

    /// Interpolates an image of four channels at (`x` + i · `dx`, `y` + i · `dy`) with the cubic of Catmull and Rom.
    /// Pixel centres are at whole numbers, and the outside is transparent.
    static func sampleLine(
        _ image: clt_image, x: Double, y: Double, dx: Double, dy: Double, _ count: Int, _ path: KernelPath,
        into out: PixelSamples
    ) {
        var image = unsafe image
        unsafe clt_sample_line(path.level, out.isWide, &image, x, y, dx, dy, count, out.base)
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

    /// `out[i]` = Σ `weights[t]` · sample `i` of `rows[t]`, and the same for `second` with the weights after these.
    ///
    /// - Parameter sampleSize: the bytes of a sample: 1, 2, or 4 for a `Float`.
    static func combineRows(
        _ rows: UnsafePointer<UnsafeRawPointer?>, _ weights: UnsafePointer<Float>, taps: Int, _ count: Int, sampleSize: Int,
        _ path: KernelPath, into out: UnsafeMutablePointer<Float>, and second: UnsafeMutablePointer<Float>? = nil
    ) {
        unsafe clt_combine_rows(path.level, sampleSize, rows, weights, taps, count, out, second)
    }

    /// Combines the pixels of a line as `axis` says, rounded, with colour limited to alpha.
    static func combineColumns(
        _ line: UnsafePointer<Float>, _ axis: ResampleWeights, channels: Int, _ path: KernelPath, into out: PixelSamples
    ) {
        unsafe axis.withTaps { taps in
            unsafe clt_combine_columns(path.level, out.isWide, channels, line, taps, axis.first.count, out.base)
        }
    }

    /// Rounds a line of samples to the nearest levels.
    static func round(_ line: UnsafePointer<Float>, _ count: Int, _ path: KernelPath, into out: PixelSamples) {
        unsafe clt_round(path.level, out.isWide, line, count, out.base)
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
