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

    /// Two corners of one side share it; those of the other sides are scaled down by the same factor.
    @Test func radiiThatExceedOnlyTheHeightOrTheWidthAreScaledDownToIt() throws {
        let wide = try Bitmap.make(80, 20, alpha: .opaque) { _, _, _ in 255 }
        #expect(
            try wide.rounded(CornerRadii(topLeft: 30, topRight: 10, bottomLeft: 10)).samples.values
                == wide.rounded(CornerRadii(topLeft: 15, topRight: 5, bottomLeft: 5)).samples.values)
        let high = try Bitmap.make(20, 80, alpha: .opaque) { _, _, _ in 255 }
        #expect(
            try high.rounded(CornerRadii(topLeft: 10, topRight: 30, bottomRight: 10)).samples.values
                == high.rounded(CornerRadii(topLeft: 5, topRight: 15, bottomRight: 5)).samples.values)
        // Those of a long side fit as they are.
        #expect(try wide.rounded(CornerRadii(topLeft: 20, topRight: 20)).samples[19, 0, 3] > 128)
        #expect(
            try wide.rounded(CornerRadii(topLeft: 20, topRight: 20)).samples.values
                != wide.rounded(CornerRadii(topLeft: 10, topRight: 10)).samples.values)
    }

    @Test func colourIsMultipliedWithAlpha() throws {
        let samples = try Bitmap.noise(21, 21, .rgba16).rounded(CornerRadii(10)).samples
        #expect(stride(from: 0, to: samples.values.count, by: 4).allSatisfy { samples.values[$0] <= samples.values[$0 + 3] })
    }

    /// FEATURES 10.5
    @Test(arguments: [4.0, 12, 20], [1, 3]) func aBorderFollowsTheCorners(radius: Double, width: Int) throws {
        let white = try Bitmap.make(40, 40, alpha: .opaque) { _, _, _ in 255 }
        let samples = try white.bordered(CornerRadii(radius), width: width, color: .black).samples
        let inner = 40 - 2 * width
        for y in 0..<40 {
            for x in 0..<40 {
                let isInside = min(x, y, 39 - x, 39 - y) >= width
                let share = isInside ? coverage(x - width, y - width, inner, max(0, radius - Double(width))) : 0
                #expect(abs(samples[x, y, 3] / 255 - coverage(x, y, 40, radius)) <= 0.12, "\(x),\(y)")
                #expect(abs(samples[x, y, 0] / 255 - share) <= 0.12, "\(x),\(y)")
            }
        }
    }

    @Test(arguments: PixelFormat.allCases) func aBorderIsDrawnInEveryFormatAndOnTransparentImages(_ format: PixelFormat) throws {
        let image = try Bitmap.make(21, 13, format, alpha: format.channels == 1 ? .opaque : .premultiplied) { _, _, _ in 0 }
        let red = PixelColor(red: 1, green: 0, blue: 0, alpha: 0.5)
        let samples = try image.bordered(CornerRadii(4), width: 2, color: red).samples
        let most = Double(image.fullLevel)
        #expect(abs(samples[10, 1, 0] - most / 2) <= 1 && samples[0, 0, 3] == 0)
        // Inside, nothing changes.
        #expect(samples[10, 6, 0] == 0 && samples[10, 6, 3] == (format.channels == 1 ? most : 0))
    }

    @Test func aBorderAlongACornerLargerThanHalfOfTheImageIsWhole() throws {
        let white = try Bitmap.make(40, 40, alpha: .opaque) { _, _, _ in 255 }
        let samples = try white.bordered(CornerRadii(topLeft: 40), width: 4, color: .black).samples
        for y in 0..<36 {
            for x in 0..<36 {
                let (dx, dy) = (39.5 - Double(x), 39.5 - Double(y))
                let distance = (dx * dx + dy * dy).squareRoot()
                if distance < 35 { #expect(samples[x, y, 0] == 255, "\(x),\(y)") }
                if distance > 37, distance < 39 { #expect(samples[x, y, 0] == 0 && samples[x, y, 3] == 255, "\(x),\(y)") }
            }
        }
    }

    @Test func radiiMayBeAShareOfTheShorterSide() throws {
        let bitmap = try Bitmap.noise(30, 20)
        let half = CornerRadii(0.5, unit: .shorterSide)
        #expect(try bitmap.rounded(half).samples.values == bitmap.rounded(CornerRadii(10)).samples.values)
        let color = PixelColor.black
        #expect(
            try bitmap.bordered(half, width: 2, color: color).samples.values
                == bitmap.bordered(CornerRadii(10), width: 2, color: color).samples.values)
    }

    @Test func anInvalidBorderThrows() throws {
        let bitmap = try Bitmap.noise(4, 4)
        #expect(throws: ImageError.self) { try bitmap.bordered(CornerRadii(1), width: 0, color: .black) }
        #expect(throws: ImageError.self) { try bitmap.bordered(CornerRadii(.nan), width: 1, color: .black) }
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
