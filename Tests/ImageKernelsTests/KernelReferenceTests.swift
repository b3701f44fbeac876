import CCalotypeKernels
import CalotypeTesting
import ImageKernels
import Testing

/// Compares each C kernel, at every level that this processor supports, with plain Swift.
@Suite struct KernelReferenceTests {
    private static let levels = [CLT_BASELINE, CLT_AVX2, CLT_AVX512].filter { clt_supports($0) }
    /// One pixel, an incomplete group of four, and a tile with one pixel more and less.
    private static let counts = [1, 2, 3, 4, 5, 12, 47, 48, 49, 63, 64, 65, 130]

    private func most(_ isWide: Bool) -> Int { isWide ? 65535 : 255 }

    /// Premultiplied pixels of four channels.
    private func pixels(_ count: Int, isWide: Bool, _ numbers: inout SeededGenerator) -> [Int] {
        (0..<count).flatMap { _ -> [Int] in
            let alpha = Int.random(in: 0...most(isWide), using: &numbers)
            return (0..<3).map { _ in Int.random(in: 0...alpha, using: &numbers) } + [alpha]
        }
    }

    private func numbers(_ count: Int, in range: ClosedRange<Float>, _ numbers: inout SeededGenerator) -> [Float] {
        (0..<count).map { _ in Float.random(in: range, using: &numbers) }
    }

    /// Returns what a kernel makes of levels in memory.
    private func changed(_ levels: [Int], isWide: Bool, _ kernel: (UnsafeMutableRawPointer) -> Void) -> [Int] {
        func run<Sample: FixedWidthInteger>(_ samples: [Sample]) -> [Int] {
            var samples = samples
            unsafe samples.withUnsafeMutableBytes { unsafe kernel($0.baseAddress.unsafelyUnwrapped) }
            return samples.map { Int($0) }
        }
        return isWide ? run(levels.map { UInt16($0) }) : run(levels.map { UInt8($0) })
    }

    /// Rounds the channels of a pixel, with colour limited to alpha.
    private func rounded(_ pixel: [Float], isWide: Bool) -> [Int] {
        pixel.map { Int(max(0, min($0, pixel[pixel.count - 1], Float(most(isWide)))) + 0.5) }
    }

    /// Calls `body` for each level and number of pixels with the result in C and the expected one.
    private func compare(
        _ name: String, within tolerance: Int = 1, isWide: Bool, _ count: Int, _ expected: [Int],
        _ kernel: (clt_level) -> [Int]
    ) {
        for level in Self.levels {
            let found = kernel(level)
            let distance = zip(found, expected).map { abs($0 - $1) }.max() ?? 0
            #expect(found.count == expected.count && distance <= tolerance, "\(name) \(level) \(isWide) \(count)")
        }
    }

    @Test func alphaIsMultipliedAndDivided() {
        var numbers = SeededGenerator(seed: 1)
        for count in Self.counts {
            let straight = (0..<4 * count).map { _ in Int.random(in: 0...255, using: &numbers) }
            let multiplied = straight.indices.map { i in
                i & 3 == 3 ? straight[i] : (straight[i] * straight[i | 3] + 127) / 255
            }
            compare("premultiply", within: 0, isWide: false, count, multiplied) { level in
                unsafe changed(straight, isWide: false) { unsafe clt_premultiply_u8(level, $0, count) }
            }
            let divided = straight.indices.map { i in
                let alpha = straight[i | 3]
                return i & 3 == 3 ? alpha : alpha == 0 ? 0 : min(255, (straight[i] * 255 + alpha / 2) / alpha)
            }
            compare("unpremultiply", within: 0, isWide: false, count, divided) { level in
                unsafe changed(straight, isWide: false) { unsafe clt_unpremultiply_u8(level, $0, count) }
            }
        }
    }

    @Test(arguments: [false, true])
    func colorsAreMixedByAMatrix(isWide: Bool) {
        var numbers = SeededGenerator(seed: 2)
        for count in Self.counts {
            let source = pixels(count, isWide: isWide, &numbers)
            let matrix = self.numbers(12, in: -0.5...1, &numbers) + [0.1, -0.1, 0, 1]
            let expected = (0..<count).flatMap { pixel -> [Int] in
                var mixed = [Float](repeating: 0, count: 4)
                for k in 0..<4 {
                    for c in 0..<4 { mixed[c] += matrix[4 * k + c] * Float(source[4 * pixel + k]) }
                }
                return rounded(mixed, isWide: isWide)
            }
            compare("matrix", isWide: isWide, count, expected) { level in
                unsafe changed(source, isWide: isWide) { unsafe clt_color_matrix(level, isWide, $0, count, matrix) }
            }
        }
    }

    @Test(arguments: [false, true])
    func pixelsAreComposited(isWide: Bool) {
        var numbers = SeededGenerator(seed: 3)
        for count in Self.counts {
            let (below, above) = (pixels(count, isWide: isWide, &numbers), pixels(count, isWide: isWide, &numbers))
            let opacity = Float.random(in: 0...1, using: &numbers)
            let expected = (0..<count).flatMap { pixel -> [Int] in
                let rest = 1 - Float(above[4 * pixel + 3]) * opacity / Float(most(isWide))
                let mixed = (4 * pixel..<4 * pixel + 4).map { i -> Float in Float(above[i]) * opacity + Float(below[i]) * rest }
                return rounded(mixed, isWide: isWide)
            }
            compare("composite", isWide: isWide, count, expected) { level in
                unsafe changed(below, isWide: isWide) { below in
                    _ = unsafe changed(above, isWide: isWide) { unsafe clt_composite(level, isWide, below, $0, count, opacity) }
                }
            }
        }
    }

    @Test(arguments: [false, true])
    func detailIsSharpened(isWide: Bool) {
        var numbers = SeededGenerator(seed: 4)
        for count in Self.counts {
            let (soft, source) = (pixels(count, isWide: isWide, &numbers), pixels(count, isWide: isWide, &numbers))
            // Between two levels, so that rounding does not decide.
            let (amount, threshold) = (Float.random(in: 0...3, using: &numbers), Float(most(isWide) / 8) + 0.5)
            let expected = (0..<count).flatMap { pixel -> [Int] in
                let sharp = (4 * pixel..<4 * pixel + 4).map { i -> Float in
                    let detail = Float(source[i] - soft[i])
                    return Float(source[i]) + (i & 3 != 3 && abs(detail) > threshold ? amount * detail : 0)
                }
                return rounded(sharp, isWide: isWide)
            }
            compare("sharpen", isWide: isWide, count, expected) { level in
                unsafe changed(soft, isWide: isWide) { soft in
                    _ = unsafe changed(source, isWide: isWide) {
                        unsafe clt_sharpen(level, isWide, soft, $0, count, amount, threshold)
                    }
                }
            }
        }
    }

    @Test(arguments: [1, 2, 4])
    func rowsAreCombined(sampleSize: Int) {
        var numbers = SeededGenerator(seed: 5)
        let most = self.most(sampleSize != 1)
        for count in Self.counts {
            let taps = Int.random(in: 1...9, using: &numbers)
            let weights = self.numbers(2 * taps, in: -0.3...0.6, &numbers)
            let rows = (0..<taps).map { _ in (0..<count).map { _ in Int.random(in: 0...most, using: &numbers) } }
            let expected = (0..<2).map { line in
                (0..<count).map { i -> Int in
                    var sum: Float = 0
                    for tap in 0..<taps { sum += weights[line * taps + tap] * Float(rows[tap][i]) }
                    return Int(sum.rounded())
                }
            }
            let bytes = rows.map { row -> [UInt8] in
                switch sampleSize {
                case 1: row.map { UInt8($0) }
                case 2: unsafe row.map { UInt16($0) }.withUnsafeBytes { unsafe Array($0) }
                default: unsafe row.map { Float($0) }.withUnsafeBytes { unsafe Array($0) }
                }
            }
            // Aligned as the samples are.
            let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: taps * count * sampleSize, alignment: 64)
            defer { unsafe memory.deallocate() }
            unsafe memory.copyBytes(from: bytes.joined())
            let starts = unsafe (0..<taps).map { tap -> UnsafeRawPointer? in
                unsafe UnsafeRawPointer(memory.baseAddress.unsafelyUnwrapped + tap * count * sampleSize)
            }
            for lines in [1, 2] {
                compare("rows", within: 2, isWide: sampleSize == 2, count, Array(expected[..<lines].joined())) { level in
                    var out = [Float](repeating: 0, count: 2 * count)
                    unsafe out.withUnsafeMutableBufferPointer { out in
                        let first = unsafe out.baseAddress.unsafelyUnwrapped
                        unsafe clt_combine_rows(
                            level, sampleSize, starts, weights, taps, count, first, lines == 2 ? first + count : nil)
                    }
                    return out.prefix(lines * count).map { Int($0.rounded()) }
                }
            }
        }
    }

    @Test(arguments: [false, true], [1, 4])
    func columnsAreCombined(isWide: Bool, channels: Int) {
        var numbers = SeededGenerator(seed: 6)
        for count in Self.counts {
            let taps = Int.random(in: 1...9, using: &numbers)
            let stride = (taps + 3) & ~3
            let first = (0..<count).map { Int32($0 / 2) }
            let weights = (0..<count).flatMap { _ in
                self.numbers(taps, in: -0.2...0.4, &numbers) + [Float](repeating: 0, count: stride - taps)
            }
            let line = self.numbers((count / 2 + 1 + stride) * channels, in: 0...Float(most(isWide)), &numbers)
            let expected = (0..<count).flatMap { x -> [Int] in
                var sums = [Float](repeating: 0, count: channels)
                for tap in 0..<taps {
                    let pixel = (Int(first[x]) + tap) * channels
                    for c in 0..<channels { sums[c] += weights[x * stride + tap] * line[pixel + c] }
                }
                return rounded(sums, isWide: isWide)
            }
            compare("columns", isWide: isWide, count, expected) { level in
                unsafe changed([Int](repeating: 0, count: count * channels), isWide: isWide) { out in
                    unsafe first.withUnsafeBufferPointer { first in
                        unsafe weights.withUnsafeBufferPointer { weights in
                            var all = unsafe clt_taps(
                                first: first.baseAddress, weights: weights.baseAddress, stride: stride, count: taps)
                            unsafe clt_combine_columns(level, isWide, channels, line, &all, count, out)
                        }
                    }
                }
            }
        }
    }

    @Test(arguments: [false, true])
    func numbersAreRounded(isWide: Bool) {
        var numbers = SeededGenerator(seed: 7)
        for count in Self.counts {
            let line = self.numbers(count, in: -20...Float(most(isWide)) * 1.1, &numbers)
            compare("round", within: 0, isWide: isWide, count, line.map { rounded([$0, .infinity], isWide: isWide)[0] }) {
                level in
                unsafe changed([Int](repeating: 0, count: count), isWide: isWide) {
                    unsafe clt_round(level, isWide, line, count, $0)
                }
            }
        }
    }

    @Test(arguments: [false, true])
    func aLineOfAnImageIsInterpolated(isWide: Bool) {
        var numbers = SeededGenerator(seed: 8)
        for (width, height) in [(1, 1), (3, 2), (9, 7), (20, 30)] {
            let image = pixels(width * height, isWide: isWide, &numbers)
            let (x, y) = (Double.random(in: -4...3, using: &numbers), Double.random(in: -4...3, using: &numbers))
            let (dx, dy, count) = (Double.random(in: 0...1, using: &numbers), Double.random(in: 0...1, using: &numbers), 50)
            let expected = (0..<count).flatMap { i -> [Int] in
                var sum = [Double](repeating: 0, count: 4)
                let (px, py) = (x + Double(i) * dx, y + Double(i) * dy)
                for row in 0..<height {
                    for column in 0..<width {
                        let weight =
                            ResampleFilter.catmullRom.weight(at: Double(column) - px)
                            * ResampleFilter.catmullRom.weight(at: Double(row) - py)
                        for c in 0..<4 { sum[c] += weight * Double(image[4 * (row * width + column) + c]) }
                    }
                }
                return rounded(sum.map { Float($0) }, isWide: isWide)
            }
            compare("sample", isWide: isWide, count, expected) { level in
                unsafe changed([Int](repeating: 0, count: 4 * count), isWide: isWide) { out in
                    _ = unsafe changed(image, isWide: isWide) { pixels in
                        var image = unsafe clt_image(
                            pixels: pixels, width: width, height: height, bytes_per_row: width * (isWide ? 8 : 4))
                        unsafe clt_sample_line(level, isWide, &image, x, y, dx, dy, count, out)
                    }
                }
            }
        }
    }
}
