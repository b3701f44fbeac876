import ImageCore
import ImageKernels
import Testing

@Suite struct RotationTests {
    @Test func rightAnglesAreExact() throws {
        let bitmap = try Bitmap.noise(9, 5, .gray8)
        #expect(try bitmap.rotated(degrees: 90).samples == bitmap.oriented(.right).samples)
        #expect(try bitmap.rotated(degrees: -450).samples == bitmap.oriented(.left).samples)
        #expect(try bitmap.rotated(degrees: 180).samples == bitmap.oriented(.down).samples)
        #expect(try bitmap.rotated(degrees: 720).samples == bitmap.samples)
    }

    @Test func theCanvasContainsTheRotatedImage() throws {
        let bitmap = try Bitmap.noise(100, 50)
        // 100 cos 30° + 50 sin 30° = 111.6; 50 cos 30° + 100 sin 30° = 93.3
        #expect(try bitmap.rotated(degrees: 30).size == PixelSize(width: 112, height: 94))
        #expect(try bitmap.rotated(degrees: -30).size == PixelSize(width: 112, height: 94))
    }

    /// Images smaller than the cubic kernel, and angles close to right angles.
    @Test(arguments: [PixelFormat.rgba8, .rgba16])
    func everyPathHasTheSameResult(format: PixelFormat) throws {
        for size in [(23, 31), (1, 1), (2, 9), (3, 3), (5, 4)] {
            for degrees in [1.0, 33, 45, -120, 179.5, 90 + 1e-10, 1e-13] {
                let bitmap = try Bitmap.noise(size.0, size.1, format)
                let oracle = try KernelPath.$forced.withValue(.baseline) { try bitmap.rotated(degrees: degrees).samples }
                try onEveryPath { path in
                    let result = try bitmap.rotated(degrees: degrees).samples
                    #expect(result.distance(to: oracle) <= 1, "\(size) \(degrees) \(path)")
                }
            }
        }
    }

    @Test func aClockwiseRotationMovesTheTopToTheRight() throws {
        let bitmap = try Bitmap.make(41, 41, alpha: .opaque) { _, y, c in c == 3 || y < 20 ? 255 : 0 }
        let turned = try bitmap.rotated(degrees: 80).samples
        #expect(turned[turned.width - 8, turned.height / 2, 0] == 255)
        #expect(turned[8, turned.height / 2, 0] == 0)
    }

    @Test func theMiddleStaysAndCornersAreTransparent() throws {
        let bitmap = try Bitmap.make(60, 60, .gray8) { _, _, _ in 90 }
        let turned = try bitmap.rotated(degrees: 45)
        #expect(turned.alpha == .premultiplied)
        let samples = turned.samples
        #expect(samples[0, 0, 3] == 0)
        #expect([samples[42, 42, 0], samples[42, 42, 3]] == [90, 255])
        #expect(stride(from: 0, to: samples.values.count, by: 4).allSatisfy { samples.values[$0] <= samples.values[$0 + 3] })
    }

    @Test func anglesThatAreNotFiniteThrow() throws {
        let bitmap = try Bitmap.noise(2, 2)
        #expect(throws: ImageError.self) { try bitmap.rotated(degrees: .nan) }
        #expect(throws: ImageError.self) { try bitmap.rotated(degrees: .infinity) }
    }
}

@Suite struct RoundedCornerTests {
    /// The share of a pixel inside of the rounded shape, sampled at 32 × 32 points.
    private func coverage(_ x: Int, _ y: Int, _ size: Int, _ radius: Double) -> Double {
        var inside = 0
        for i in 0..<1024 {
            let px = Double(x) + (Double(i % 32) + 0.5) / 32
            let py = Double(y) + (Double(i / 32) + 0.5) / 32
            let (dx, dy) = (radius - min(px, Double(size) - px), radius - min(py, Double(size) - py))
            if dx <= 0 || dy <= 0 || dx * dx + dy * dy <= radius * radius { inside += 1 }
        }
        return Double(inside) / 1024
    }

    @Test(arguments: [3.0, 7.5, 20])
    func edgesAreSmoothWithinAFewLevelsOfTheArea(radius: Double) throws {
        let bitmap = try Bitmap.make(40, 40, alpha: .opaque) { _, _, _ in 255 }
        let samples = try bitmap.rounded(CornerRadii(radius)).samples
        for y in 0..<40 {
            for x in 0..<40 { #expect(abs(samples[x, y, 3] / 255 - coverage(x, y, 40, radius)) <= 0.12, "\(x),\(y)") }
        }
    }

    @Test func eachCornerHasItsOwnRadius() throws {
        let bitmap = try Bitmap.noise(30, 20, .gray8)
        let samples = try bitmap.rounded(CornerRadii(topRight: 8)).samples
        #expect(samples[29, 0, 3] == 0)
        #expect([samples[0, 0, 3], samples[0, 19, 3], samples[29, 19, 3]] == [255, 255, 255])
    }

    @Test func aRadiusMayExceedHalfOfTheImage() throws {
        let bitmap = try Bitmap.make(40, 40, alpha: .opaque) { _, _, _ in 255 }
        let samples = try bitmap.rounded(CornerRadii(topLeft: 40)).samples
        // The result is a quarter of a disc around the lower right corner.
        for y in 0..<40 {
            for x in 0..<40 {
                let (dx, dy) = (39.5 - Double(x), 39.5 - Double(y))
                let inside = 40 - (dx * dx + dy * dy).squareRoot() + 0.5
                #expect(abs(samples[x, y, 3] - 255 * max(0, min(1, inside))) <= 1)
            }
        }
    }

    @Test func radiiThatExceedASideAreScaledDown() throws {
        let bitmap = try Bitmap.make(20, 10, alpha: .opaque) { _, _, _ in 255 }
        let samples = try bitmap.rounded(CornerRadii(1000)).samples
        #expect(samples[10, 0, 3] == 255)
        #expect(samples[0, 5, 3] > 200)
        #expect(samples[0, 0, 3] == 0)
    }

    @Test func colourIsMultipliedWithAlpha() throws {
        let samples = try Bitmap.noise(21, 21, .rgba16).rounded(CornerRadii(10)).samples
        #expect(stride(from: 0, to: samples.values.count, by: 4).allSatisfy { samples.values[$0] <= samples.values[$0 + 3] })
    }

    @Test func invalidRadiiThrow() throws {
        let bitmap = try Bitmap.noise(4, 4)
        for radius in [-1, .nan, .infinity] as [Double] {
            #expect(throws: ImageError.self) { try bitmap.rounded(CornerRadii(topLeft: radius)) }
        }
    }
}

@Suite struct PixelateTests {
    @Test(arguments: PixelFormat.allCases)
    func blocksHaveTheMeanColourOfTheirPixels(format: PixelFormat) throws {
        let bitmap = try Bitmap.noise(11, 7, format)
        let (before, after) = (bitmap.samples, try bitmap.pixelated(block: 4).samples)
        for y in 0..<7 {
            for x in 0..<11 {
                for c in 0..<format.channels {
                    let columns = x / 4 * 4..<min(11, x / 4 * 4 + 4)
                    let rows = y / 4 * 4..<min(7, y / 4 * 4 + 4)
                    var sum = 0.0
                    for row in rows { for column in columns { sum += before[column, row, c] } }
                    #expect(abs(after[x, y, c] - sum / Double(columns.count * rows.count)) <= 0.51)
                }
            }
        }
    }

    @Test func blocksOfAnySizeFromOneAreAllowed() throws {
        let bitmap = try Bitmap.noise(5, 3)
        #expect(try bitmap.pixelated(block: 1).samples == bitmap.samples)
        #expect(try bitmap.pixelated(block: .max).size == bitmap.size)
        #expect(throws: ImageError.self) { try bitmap.pixelated(block: 0) }
    }
}
