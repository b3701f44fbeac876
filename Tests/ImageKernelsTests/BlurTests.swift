import ImageCore
import ImageKernels
import Testing

import CalotypeSystem

/// A Gaussian blur by definition, in double precision, out to 6σ, with the pixels at the edges repeated.
private func referenceBlur(_ bitmap: Bitmap, sigma: Double) -> Samples {
    var samples = bitmap.samples
    let radius = Int((6 * sigma).rounded(.up))
    let weights = (-radius...radius).map { exp(-0.5 * Double($0 * $0) / (sigma * sigma)) }
    let sum = weights.reduce(0, +)
    for isDown in [true, false] {
        let before = samples
        for y in 0..<samples.height {
            for x in 0..<samples.width {
                for c in 0..<samples.channels {
                    var value = 0.0
                    for (t, weight) in weights.enumerated() {
                        let (dx, dy) = isDown ? (0, t - radius) : (t - radius, 0)
                        value +=
                            weight
                            * before[min(samples.width - 1, max(0, x + dx)), min(samples.height - 1, max(0, y + dy)), c]
                    }
                    samples.values[(y * samples.width + x) * samples.channels + c] = value / sum
                }
            }
        }
    }
    return samples
}

@Suite struct BlurTests {
    @Test(arguments: [0.4, 1, 2.5, 7.9], PixelFormat.allCases)
    func smallRadiiAgreeWithTheDefinition(sigma: Double, format: PixelFormat) throws {
        for (width, height) in [(1, 1), (17, 13), (40, 3), (1, 37)] {
            let bitmap = try Bitmap.noise(width, height, format, seed: UInt64(width))
            let reference = referenceBlur(bitmap, sigma: sigma)
            try onEveryPath { path in
                let result = try bitmap.blurred(sigma: sigma)
                #expect(result.samples.distance(to: reference) <= bitmap.fullLevel * 0.004, "\(width)x\(height) \(path)")
            }
        }
    }

    @Test(arguments: [8, 11.9, 12.5, 17, 24, 40])
    func largeRadiiStayWithinTwoLevelsOfTheDefinition(sigma: Double) throws {
        for (width, height) in [(70, 50), (1, 90), (130, 7)] {
            // Hard edges are the most difficult content for a coarse grid.
            let bitmap = try Bitmap.make(width, height) { x, y, c in c == 3 || (x / 23 + y / 19) % 2 == 0 ? 255 : 10 * c }
            let reference = referenceBlur(bitmap, sigma: sigma)
            try onEveryPath { path in
                let result = try bitmap.blurred(sigma: sigma).samples
                #expect(result.distance(to: reference) <= 1.5, "\(width)x\(height) \(path)")
            }
        }
    }

    @Test func linesWiderThanATileAgreeAcrossPaths() throws {
        for format in PixelFormat.allCases {
            let bitmap = try Bitmap.noise(331, 9, format)
            for sigma in [3.0, 20] {
                let oracle = try KernelPath.$forced.withValue(.baseline) { try bitmap.blurred(sigma: sigma).samples }
                try onEveryPath { path in
                    let result = try bitmap.blurred(sigma: sigma).samples
                    #expect(result.distance(to: oracle) <= 1, "\(format) \(path)")
                }
            }
        }
    }

    @Test(arguments: [2.0, 30])
    func aConstantImageStaysConstantAndColourAtOrBelowAlpha(sigma: Double) throws {
        let flat = try Bitmap.make(60, 45, .gray8) { _, _, _ in 201 }
        #expect(try flat.blurred(sigma: sigma).samples.values.allSatisfy { $0 == 201 })
        let values = try Bitmap.noise(60, 45).blurred(sigma: sigma).samples.values
        #expect(
            stride(from: 0, to: values.count, by: 4).allSatisfy {
                max(values[$0], values[$0 + 1], values[$0 + 2]) <= values[$0 + 3]
            })
    }

    @Test func severalThreadsGiveTheSamePixels() throws {
        let bitmap = try Bitmap.noise(64, 200)
        for sigma in [2.0, 16] {
            #expect(try bitmap.blurred(sigma: sigma, threads: 3).samples == bitmap.blurred(sigma: sigma).samples)
        }
    }

    @Test func radiiOutOfRangeThrowAndZeroChangesNothing() throws {
        let bitmap = try Bitmap.noise(8, 8)
        for sigma in [-1, .nan, .infinity, 1001] as [Double] {
            #expect(throws: ImageError.self) { try bitmap.blurred(sigma: sigma) }
        }
        #expect(try bitmap.blurred(sigma: 0).samples == bitmap.samples)
    }

    @Test func aCancelledBlurThrows() throws {
        let bitmap = try Bitmap.noise(8, 8)
        let token = CancellationToken()
        token.cancel()
        for sigma in [2.0, 20] {
            #expect(throws: CancellationError.self) { try bitmap.blurred(sigma: sigma, cancellation: token) }
        }
    }
}

@Suite struct SharpenTests {
    @Test(arguments: PixelFormat.allCases)
    func detailIsAddedByTheFormula(format: PixelFormat) throws {
        let bitmap = try Bitmap.noise(37, 11, format)
        let (before, soft) = (bitmap.samples, try bitmap.blurred(sigma: 1.5).samples)
        for (amount, threshold) in [(0.7, 0), (2, 0.1)] {
            try onEveryPath { path in
                let after = try bitmap.sharpened(sigma: 1.5, amount: amount, threshold: threshold).samples
                for (i, value) in before.values.enumerated() {
                    let isAlpha = format.channels == 4 && i & 3 == 3
                    let detail = value - soft.values[i]
                    // At the threshold itself, the result depends on rounding.
                    if abs(abs(detail) - threshold * bitmap.fullLevel) <= 1.01 { continue }
                    let limit = format.channels == 4 ? before.values[i | 3] : bitmap.fullLevel
                    let sharp = abs(detail) > threshold * bitmap.fullLevel ? value + amount * detail : value
                    let expected = isAlpha ? value : min(limit, max(0, sharp))
                    // The blurred images of two paths may differ by a level.
                    #expect(abs(after.values[i] - expected) <= 0.51 + amount, "\(path)")
                }
            }
        }
    }

    @Test func parametersOutOfRangeThrow() throws {
        let bitmap = try Bitmap.noise(8, 8)
        #expect(throws: ImageError.self) { try bitmap.sharpened(sigma: 1, amount: -1) }
        #expect(throws: ImageError.self) { try bitmap.sharpened(sigma: 1, amount: .nan) }
        #expect(throws: ImageError.self) { try bitmap.sharpened(sigma: 1, amount: 1, threshold: 2) }
        #expect(throws: ImageError.self) { try bitmap.sharpened(sigma: -1, amount: 1) }
    }
}
