/// The inner loops on pixels in plain Swift: the fallback on processors without faster ones, and the reference of their tests.
enum SwiftPixelKernels {
    private static func level<Sample: FixedWidthInteger>(_ value: Float, _ most: Float) -> Sample {
        Sample(max(0, min(most, value)) + 0.5)
    }

    static func premultiply(_ pixels: UnsafeMutablePointer<UInt8>, _ count: Int) {
        for pixel in stride(from: 0, to: count * 4, by: 4) {
            let alpha = unsafe UInt32(pixels[pixel + 3])
            for i in pixel..<pixel + 3 { unsafe pixels[i] = UInt8((UInt32(pixels[i]) * alpha + 127) / 255) }
        }
    }

    static func unpremultiply(_ pixels: UnsafeMutablePointer<UInt8>, _ count: Int) {
        for pixel in stride(from: 0, to: count * 4, by: 4) {
            let alpha = unsafe UInt32(pixels[pixel + 3])
            for i in pixel..<pixel + 3 {
                unsafe pixels[i] = alpha == 0 ? 0 : UInt8(min(255, (UInt32(pixels[i]) * 255 + alpha / 2) / alpha))
            }
        }
    }

    static func colorMatrix<Sample: FixedWidthInteger>(
        _ pixels: UnsafeMutablePointer<Sample>, _ count: Int, _ matrix: UnsafePointer<Float>
    ) {
        for pixel in stride(from: 0, to: count * 4, by: 4) {
            var mixed: (Float, Float, Float, Float) = (0, 0, 0, 0)
            for k in 0..<4 {
                let sample = unsafe Float(pixels[pixel + k])
                unsafe mixed.0 += matrix[4 * k] * sample
                unsafe mixed.1 += matrix[4 * k + 1] * sample
                unsafe mixed.2 += matrix[4 * k + 2] * sample
                unsafe mixed.3 += matrix[4 * k + 3] * sample
            }
            let alpha = min(mixed.3, Float(Sample.max))
            unsafe pixels[pixel] = level(mixed.0, alpha)
            unsafe pixels[pixel + 1] = level(mixed.1, alpha)
            unsafe pixels[pixel + 2] = level(mixed.2, alpha)
            unsafe pixels[pixel + 3] = level(mixed.3, Float(Sample.max))
        }
    }

    static func composite<Sample: FixedWidthInteger>(
        _ pixels: UnsafeMutablePointer<Sample>, _ over: UnsafePointer<Sample>, _ count: Int, _ opacity: Float
    ) {
        for pixel in stride(from: 0, to: count * 4, by: 4) {
            let rest = unsafe 1 - Float(over[pixel + 3]) * opacity / Float(Sample.max)
            let alpha = unsafe min(Float(Sample.max), Float(over[pixel + 3]) * opacity + Float(pixels[pixel + 3]) * rest)
            for i in pixel..<pixel + 4 { unsafe pixels[i] = level(Float(over[i]) * opacity + Float(pixels[i]) * rest, alpha) }
        }
    }

    static func sharpen<Sample: FixedWidthInteger>(
        _ pixels: UnsafeMutablePointer<Sample>, _ blurred: UnsafePointer<Sample>, _ count: Int, _ channels: Int,
        _ amount: Float, _ threshold: Float
    ) {
        for i in 0..<count * channels where channels == 1 || i & 3 != 3 {
            let sample = unsafe Float(pixels[i])
            let detail = unsafe sample - Float(blurred[i])
            let most = unsafe channels == 1 ? Float(Sample.max) : Float(pixels[i | 3])
            if abs(detail) > threshold { unsafe pixels[i] = level(sample + amount * detail, most) }
        }
    }

    static func convolve(
        _ line: UnsafePointer<Float>, _ weights: UnsafePointer<Float>, taps: Int, channels: Int, count: Int,
        into out: UnsafeMutablePointer<Float>
    ) {
        for i in 0..<count {
            var sum: Float = 0
            for t in 0..<taps { unsafe sum += weights[t] * line[i + t * channels] }
            unsafe out[i] = sum
        }
    }

    static func round<Sample: FixedWidthInteger>(
        _ line: UnsafePointer<Float>, _ count: Int, into out: UnsafeMutablePointer<Sample>
    ) {
        for i in 0..<count { unsafe out[i] = level(line[i], Float(Sample.max)) }
    }

    /// Interpolates the image at (`x`, `y`) with the cubic of Catmull and Rom. Pixel centres are at whole numbers, and the
    /// outside is transparent.
    static func sample<Sample: FixedWidthInteger>(
        _ pixels: UnsafeRawPointer, _ width: Int, _ height: Int, _ bytesPerRow: Int, x: Double, y: Double,
        into out: UnsafeMutablePointer<Sample>
    ) {
        var sum = SIMD4<Double>.zero
        if x > -2, y > -2, x < Double(width) + 1, y < Double(height) + 1 {
            for row in Int(y.rounded(.down)) - 1...Int(y.rounded(.down)) + 2 where row >= 0 && row < height {
                for column in Int(x.rounded(.down)) - 1...Int(x.rounded(.down)) + 2 where column >= 0 && column < width {
                    let weight =
                        ResampleFilter.catmullRom.weight(at: Double(column) - x)
                        * ResampleFilter.catmullRom.weight(at: Double(row) - y)
                    let pixel = unsafe (pixels + row * bytesPerRow).assumingMemoryBound(to: Sample.self) + column * 4
                    for c in 0..<4 { sum[c] += unsafe weight * Double(pixel[c]) }
                }
            }
        }
        let alpha = Float(min(sum[3], Double(Sample.max)))
        for c in 0..<4 { unsafe out[c] = level(Float(sum[c]), alpha) }
    }
}
