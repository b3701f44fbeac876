internal import CCalotypeKernels

/// The inner loops: in C on the path of the operation, or in plain Swift, which is the reference of their tests.
enum PixelKernels {
    // MARK: Pixels of four channels

    static func premultiply(_ pixels: PixelSamples, _ count: Int, _ path: KernelPath) {
        guard unsafe path == .swift || pixels.isWide else { return unsafe clt_premultiply_u8(path.level, pixels.base, count) }
        let most = unsafe pixels.most
        for pixel in stride(from: 0, to: count * 4, by: 4) {
            let alpha = unsafe pixels[pixel + 3]
            for i in pixel..<pixel + 3 { unsafe pixels[i] = (pixels[i] * alpha + most / 2) / most }
        }
    }

    static func unpremultiply(_ pixels: PixelSamples, _ count: Int, _ path: KernelPath) {
        guard unsafe path == .swift || pixels.isWide else { return unsafe clt_unpremultiply_u8(path.level, pixels.base, count) }
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
        guard path == .swift else {
            return unsafe clt_color_matrix(path.level, pixels.isWide, pixels.base, count, matrix)
        }
        for pixel in stride(from: 0, to: count * 4, by: 4) {
            var mixed = SIMD4<Float>.zero
            for k in 0..<4 {
                let column = unsafe SIMD4(matrix[4 * k], matrix[4 * k + 1], matrix[4 * k + 2], matrix[4 * k + 3])
                unsafe mixed += column * Float(pixels[pixel + k])
            }
            unsafe pixels.store(mixed, at: pixel)
        }
    }

    /// Composites `over` over `pixels`.
    static func composite(
        _ pixels: PixelSamples, _ over: PixelSamples, _ count: Int, opacity: Float, _ path: KernelPath
    ) {
        guard path == .swift else {
            return unsafe clt_composite(path.level, pixels.isWide, pixels.base, over.base, count, opacity)
        }
        for pixel in stride(from: 0, to: count * 4, by: 4) {
            let rest = unsafe 1 - Float(over[pixel + 3]) * opacity / Float(pixels.most)
            var mixed = SIMD4<Float>.zero
            for c in 0..<4 { unsafe mixed[c] = Float(over[pixel + c]) * opacity + Float(pixels[pixel + c]) * rest }
            unsafe pixels.store(mixed, at: pixel)
        }
    }

    /// Interpolates an image of four channels at (`x` + i · `dx`, `y` + i · `dy`) with the cubic of Catmull and Rom.
    /// Pixel centres are at whole numbers, and the outside is transparent.
    static func sampleLine(
        _ image: clt_image, x: Double, y: Double, dx: Double, dy: Double, _ count: Int, _ path: KernelPath,
        into out: PixelSamples
    ) {
        var image = unsafe image
        guard path == .swift else {
            return unsafe clt_sample_line(path.level, out.isWide, &image, x, y, dx, dy, count, out.base)
        }
        for i in 0..<count {
            let pixel = unsafe sample(image, x: x + Double(i) * dx, y: y + Double(i) * dy, isWide: out.isWide)
            unsafe out.store(SIMD4<Float>(pixel), at: i * 4)
        }
    }

    private static func sample(_ image: clt_image, x: Double, y: Double, isWide: Bool) -> SIMD4<Double> {
        var sum = SIMD4<Double>.zero
        let (width, height) = unsafe (image.width, image.height)
        guard x > -2, y > -2, x < Double(width) + 1, y < Double(height) + 1 else { return sum }
        for row in Int(y.rounded(.down)) - 1...Int(y.rounded(.down)) + 2 where row >= 0 && row < height {
            let pixels = unsafe PixelSamples(reading: image.pixels + row * image.bytes_per_row, isWide: isWide)
            for column in Int(x.rounded(.down)) - 1...Int(x.rounded(.down)) + 2 where column >= 0 && column < width {
                let weight =
                    ResampleFilter.catmullRom.weight(at: Double(column) - x)
                    * ResampleFilter.catmullRom.weight(at: Double(row) - y)
                for c in 0..<4 { sum[c] += unsafe weight * Double(pixels[column * 4 + c]) }
            }
        }
        return sum
    }

    // MARK: Pixels of one or four channels

    /// Replaces pixels of the blurred image by those of the source plus `amount` times their difference, where that is
    /// more than `threshold` levels. Alpha is that of the source.
    static func sharpen(
        _ pixels: PixelSamples, _ source: PixelSamples, _ count: Int, channels: Int, amount: Float, threshold: Float,
        _ path: KernelPath
    ) {
        guard path == .swift || channels == 1 else {
            return unsafe clt_sharpen(path.level, pixels.isWide, pixels.base, source.base, count, amount, threshold)
        }
        for i in 0..<count * channels {
            let sample = unsafe Float(source[i])
            let detail = unsafe sample - Float(pixels[i])
            let isAlpha = channels == 4 && i & 3 == 3
            let sharp = abs(detail) > threshold && !isAlpha ? sample + amount * detail : sample
            unsafe pixels.store(sharp, at: i, limit: Float(channels == 4 ? source[i | 3] : pixels.most))
        }
    }

    /// `out[i]` = Σ `weights[t]` · sample `i` of `rows[t]`, and the same for `second` with the weights after these.
    ///
    /// - Parameter sampleSize: the bytes of a sample: 1, 2, or 4 for a `Float`.
    static func combineRows(
        _ rows: UnsafePointer<UnsafeRawPointer?>, _ weights: UnsafePointer<Float>, taps: Int, _ count: Int, sampleSize: Int,
        _ path: KernelPath, into out: UnsafeMutablePointer<Float>, and second: UnsafeMutablePointer<Float>? = nil
    ) {
        guard path == .swift else {
            return unsafe clt_combine_rows(path.level, sampleSize, rows, weights, taps, count, out, second)
        }
        for i in 0..<count {
            var sum: Float = 0
            for t in 0..<taps {
                guard let row = unsafe rows[t] else { continue }
                let sample =
                    sampleSize == 4
                    ? unsafe row.load(fromByteOffset: 4 * i, as: Float.self)
                    : unsafe Float(PixelSamples(reading: row, isWide: sampleSize == 2)[i])
                unsafe sum += weights[t] * sample
            }
            unsafe out[i] = sum
        }
        if let second = unsafe second {
            unsafe combineRows(rows, weights + taps, taps: taps, count, sampleSize: sampleSize, path, into: second)
        }
    }

    /// Combines the pixels of a line as `axis` says, rounded, with colour limited to alpha.
    static func combineColumns(
        _ line: UnsafePointer<Float>, _ axis: ResampleWeights, channels: Int, _ path: KernelPath, into out: PixelSamples
    ) {
        guard path == .swift else {
            return unsafe axis.withTaps { taps in
                unsafe clt_combine_columns(path.level, out.isWide, channels, line, taps, axis.first.count, out.base)
            }
        }
        for x in axis.first.indices {
            var limit = unsafe Float(out.most)
            for channel in stride(from: channels - 1, through: 0, by: -1) {
                var sum: Float = 0
                for (tap, pixel) in axis.window(x).enumerated() {
                    unsafe sum += axis.weights[x * axis.stride + tap] * line[pixel * channels + channel]
                }
                let index = x * channels + channel
                unsafe out.store(sum, at: index, limit: limit)
                if channel == 3 { limit = unsafe Float(out[index]) }
            }
        }
    }

    /// Rounds a line of samples to the nearest levels.
    static func round(_ line: UnsafePointer<Float>, _ count: Int, _ path: KernelPath, into out: PixelSamples) {
        guard path == .swift else { return unsafe clt_round(path.level, out.isWide, line, count, out.base) }
        for i in 0..<count { unsafe out.store(line[i], at: i, limit: Float(out.most)) }
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
