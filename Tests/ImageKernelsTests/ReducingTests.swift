import ImageCore
import ImageKernels
import Testing

import CalotypeSystem

@Suite struct ReducingTests {
    @Test(arguments: PixelFormat.allCases)
    func reducingAveragesBlocks(format: PixelFormat) throws {
        for (width, height, x, y) in [(1, 1, 5, 5), (13, 7, 3, 2), (300, 5, 7, 5), (6, 600, 2, 300), (64, 9, 1, 4)] {
            let bitmap = try Bitmap.noise(width, height, format)
            let before = bitmap.samples
            try onEveryPath { path in
                let result = try bitmap.reduced(x: x, y: y)
                let after = result.samples
                for row in 0..<result.height {
                    for column in 0..<result.width {
                        for c in 0..<format.channels {
                            var (sum, count) = (0.0, 0.0)
                            for py in row * y..<min(height, (row + 1) * y) {
                                for px in column * x..<min(width, (column + 1) * x) {
                                    (sum, count) = (sum + before[px, py, c], count + 1)
                                }
                            }
                            #expect(abs(after[column, row, c] - sum / count) <= 0.51, "\(path)")
                        }
                    }
                }
            }
        }
        let bitmap = try Bitmap.noise(40, 100, format)
        #expect(try bitmap.reduced(x: 2, y: 3, threads: 2).samples == bitmap.reduced(x: 2, y: 3).samples)
        #expect(throws: ImageError.self) { try bitmap.reduced(x: 0, y: 1) }
    }

    @Test func aReducedResizeIsCloseToTheExactOneAndDoesNotShift() throws {
        let bitmap = try Bitmap.make(803, 601) { x, y, c in
            c == 3 ? 255 : (x * 255 / 803 + ((x - 300) * (x - 300) + (y - 200) * (y - 200) < 14400 ? 90 : 0) * (c + 1) / 3) / 2
        }
        for (width, height) in [(80, 60), (101, 31), (25, 200)] {
            let geometry = ResizeGeometry.part(11, 7, 780, 590, of: bitmap, to: PixelSize(width: width, height: height))
            let exact = try Resampler.resize(bitmap, to: geometry).samples
            for (gap, tolerance) in [(3.0, 2.0), (2, 3)] {
                try onEveryPath { path in
                    let fast = try Resampler.resize(bitmap, to: geometry, reducingGap: gap).samples
                    #expect(fast.distance(to: exact) <= tolerance, "\(width)x\(height), gap \(gap), \(path)")
                    #expect(abs(fast.mean(0) - exact.mean(0)) <= 0.2)
                }
            }
        }
    }

    /// How much of the contrast of a sine wave is left in the middle of a row that is made fifteen times smaller.
    private func rest(of period: Double, gap: Double?, byBlocks: Bool = false) throws -> Double {
        let bitmap = try Bitmap.make(1800, 8, .gray8) { x, _, _ in
            Int((127.5 + 127.4 * sin(2 * .pi * Double(x) / period)).rounded())
        }
        let geometry = ResizeGeometry.stretch(bitmap, to: 120, 4)
        let result: Bitmap
        if byBlocks, let gap {
            let factor = Int(15 / gap)
            let small = try bitmap.reduced(x: factor, y: 1)
            var part = ResizeGeometry.stretch(small, to: 120, 4)
            part.width = 1800 / Double(factor)
            result = try Resampler.resize(small, to: part)
        } else {
            result = try Resampler.resize(bitmap, to: geometry, reducingGap: gap)
        }
        let samples = result.samples
        return (6..<114).reduce(0) { max($0, abs(samples[$1, 1, 0] - 127.5)) } / 127.4
    }

    @Test(arguments: [(3.0, 0.025), (2, 0.05)])
    func whatIsTooFineForTheResultLeavesLittle(gap: Double, bound: Double) throws {
        // Waves that the filter itself, let alone, keeps next to nothing of: shorter than four thirds of a result's pixel.
        let periods = stride(from: 2.1, through: 20, by: 0.47)
        let (mine, blocks, exact) = try periods.reduce((0.0, 0.0, 0.0)) { most, period in
            (
                max(most.0, try rest(of: period, gap: gap)), max(most.1, try rest(of: period, gap: gap, byBlocks: true)),
                max(most.2, try rest(of: period, gap: nil))
            )
        }
        #expect(mine <= bound)
        #expect(mine <= blocks / 4, "a mean of blocks leaves \(blocks), the filter alone \(exact)")
    }

    @Test(arguments: [PixelFormat.gray8, .rgba8])
    func everyPathReducesAlike(format: PixelFormat) throws {
        for (index, (width, height, toWidth, toHeight)) in [
            (1, 1, 1, 1), (1, 400, 1, 13), (4001, 3, 100, 3), (331, 257, 11, 7), (97, 101, 3, 50), (640, 480, 10, 5),
        ].enumerated() {
            let bitmap = try Bitmap.noise(width, height, format, seed: UInt64(index))
            let geometry = ResizeGeometry.stretch(bitmap, to: toWidth, toHeight)
            for gap in [1.0, 2, 3.5] {
                func resized(threads: Int = 1) throws -> Samples {
                    try Resampler.resize(bitmap, to: geometry, reducingGap: gap, threads: threads).samples
                }
                let oracle = try KernelPath.$forced.withValue(.swift) { try resized() }
                try onEveryPath { path in
                    let result = try resized()
                    #expect(result.distance(to: oracle) <= 1, "\(width)x\(height) \(path)")
                    #expect(try resized(threads: 3) == result)
                }
            }
        }
    }

    @Test func aConstantPictureStaysConstantAndARampLinear() throws {
        for level in [0, 3, 128, 255] {
            let flat = try Bitmap.make(500, 333, .gray8) { _, _, _ in level }
            let values = try Resampler.resize(flat, to: .stretch(flat, to: 9, 7), reducingGap: 2).samples.values
            #expect(values.allSatisfy { $0 == Double(level) })
        }
        let ramp = try Bitmap.make(2400, 40, .gray8) { x, _, _ in x / 10 }
        let result = try Resampler.resize(ramp, to: .stretch(ramp, to: 120, 2), reducingGap: 2).samples
        for x in 4..<116 { #expect(abs(result[x, 0, 0] - ((Double(x) + 0.5) * 2 - 0.5)) <= 1.01) }
    }

    @Test func colourNeverPassesAlpha() throws {
        let values = try Resampler.resize(
            Bitmap.noise(400, 300), to: .stretch(Bitmap.noise(400, 300), to: 20, 15), reducingGap: 2
        ).samples.values
        #expect(
            stride(from: 0, to: values.count, by: 4).allSatisfy {
                max(values[$0], values[$0 + 1], values[$0 + 2]) <= values[$0 + 3]
            })
    }
}
