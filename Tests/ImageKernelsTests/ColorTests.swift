import ImageCore
import ImageKernels
import Testing

@Suite struct ColorMatrixTests {
    private let mixed = ColorMatrix(rows: [[0.5, 0.3, -0.2, 0.1], [0.2, 1.4, 0, -0.05], [-0.4, 0, 0.9, 0.2]])

    @Test(arguments: [PixelFormat.rgba8, .rgba16])
    func coloursAreMappedByTheFormula(format: PixelFormat) throws {
        for width in [1, 3, 4, 67] {
            let bitmap = try Bitmap.noise(width, 5, format)
            let before = bitmap.samples
            try onEveryPath { path in
                let after = try bitmap.applying(mixed).samples
                for i in stride(from: 0, to: before.values.count, by: 4) {
                    let alpha = before.values[i + 3]
                    for c in 0..<3 {
                        let straight = (0..<3).reduce(mixed.rows[c][3] * alpha) {
                            $0 + mixed.rows[c][$1] * before.values[i + $1]
                        }
                        #expect(abs(after.values[i + c] - min(alpha, max(0, straight))) <= 0.52, "\(width) \(path)")
                    }
                    #expect(abs(after.values[i + 3] - alpha) <= 0.51)
                }
            }
        }
    }

    @Test func greyStaysGreyIfTheMatrixMapsGreyToGrey() throws {
        let bitmap = try Bitmap.noise(9, 4, .gray8)
        let darker = try bitmap.applying(ColorMatrix(rows: [[0.5, 0, 0, 0.1], [0, 0.5, 0, 0.1], [0, 0, 0.5, 0.1]]))
        #expect(darker.format == .gray8)
        for (value, old) in zip(darker.samples.values, bitmap.samples.values) { #expect(abs(value - (old / 2 + 25.5)) <= 0.5) }
        #expect(try bitmap.applying(mixed).format == .rgba8)
        #expect(try Bitmap.noise(9, 4, .gray16).applying(mixed).format == .rgba16)
    }

    @Test func numbersThatAreNotFiniteThrow() throws {
        let bitmap = try Bitmap.noise(2, 2)
        #expect(throws: ImageError.self) { try bitmap.applying(ColorMatrix(rows: [[.nan]])) }
    }
}

@Suite struct LevelCurveTests {
    @Test(arguments: PixelFormat.allCases)
    func theCurveAppliesToStraightSamples(format: PixelFormat) throws {
        let bitmap = try Bitmap.noise(31, 7, format, alpha: .opaque)
        let most = bitmap.fullLevel
        let result = try bitmap.mappingLevels { $0 * $0 }
        for (i, value) in bitmap.samples.values.enumerated() {
            let expected = format.channels == 4 && i & 3 == 3 ? value : (value * value / most).rounded()
            #expect(abs(result.samples.values[i] - expected) <= 1e-6 * most)
        }
    }

    @Test func translucentColoursAreUnpremultipliedFirst() throws {
        let bitmap = try Bitmap.make(1, 1) { _, _, c in [50, 100, 0, 100][c] }
        #expect(try bitmap.mappingLevels { 1 - $0 }.samples.values == [50, 0, 100, 100])
    }

    @Test func notANumberBecomesZero() throws {
        let bitmap = try Bitmap.noise(3, 3, .gray8)
        #expect(try bitmap.mappingLevels { _ in .nan }.samples.values.allSatisfy { $0 == 0 })
    }
}

@Suite struct CompositeTests {
    @Test(arguments: [PixelFormat.rgba8, .rgba16], [1, 0.3])
    func overIsTheFormulaOfPorterAndDuff(format: PixelFormat, opacity: Double) throws {
        for width in [1, 5, 66] {
            let (base, top) = (try Bitmap.noise(width, 4, format, seed: 2), try Bitmap.noise(width, 4, format, seed: 3))
            let (below, above) = (base.samples, top.samples)
            try onEveryPath { path in
                let result = try base.overlaid(with: top, x: 0, y: 0, opacity: opacity).samples
                for (i, value) in below.values.enumerated() {
                    let rest = 1 - above.values[i | 3] * opacity / base.fullLevel
                    #expect(abs(result.values[i] - (above.values[i] * opacity + value * rest)) <= 0.51, "\(width) \(path)")
                }
            }
        }
    }

    @Test func anOverlayIsClippedToTheImage() throws {
        let base = try Bitmap.make(6, 5) { _, _, c in c == 3 ? 255 : 0 }
        let top = try Bitmap.make(4, 4) { _, _, _ in 255 }
        for (x, y) in [(-2, -3), (4, 3), (-9, 0), (0, 50), (.max, 1), (.min, .min), (1, 0)] as [(Int, Int)] {
            let result = try base.overlaid(with: top, x: x, y: y).samples
            for row in 0..<5 {
                for column in 0..<6 {
                    let (dx, dy) = (column.subtractingReportingOverflow(x), row.subtractingReportingOverflow(y))
                    let isInside = !dx.overflow && !dy.overflow && 0..<4 ~= dx.partialValue && 0..<4 ~= dy.partialValue
                    #expect(result[column, row, 0] == (isInside ? 255 : 0))
                }
            }
        }
    }

    @Test func overlaysOfOtherFormatsAreConverted() throws {
        let base = try Bitmap.noise(3, 3, .gray16)
        let top = try Bitmap.make(3, 3) { _, _, c in c == 3 ? 255 : 128 }
        let result = try base.overlaid(with: top, x: 0, y: 0)
        #expect(result.format == .rgba16)
        #expect(result.samples[1, 1, 1] == 128 * 257)
    }

    @Test func aBackgroundIsVisibleThroughTransparentPixels() throws {
        let bitmap = try Bitmap.make(2, 1) { x, _, c in x == 0 ? 0 : [100, 0, 0, 128][c] }
        let result = try bitmap.flattened(onto: PixelColor(red: 0, green: 0, blue: 1))
        #expect(result.alpha == .opaque)
        #expect(result.samples.values == [0, 0, 255, 255, 100, 0, 127, 255])
    }
}

@Suite struct PixelColorTests {
    @Test func hexadecimalColoursAreParsed() {
        #expect(PixelColor("#ff8000") == PixelColor(red: 1, green: 128.0 / 255, blue: 0))
        #expect(PixelColor("f00") == PixelColor(red: 1, green: 0, blue: 0))
        #expect(PixelColor("#00000080")?.alpha == 128.0 / 255)
        #expect(PixelColor("White") == .white)
        for bad in ["", "#", "#ff", "#ggg", "#12345", "##fff", "1234567", "réd"] { #expect(PixelColor(bad) == nil) }
        #expect(PixelColor("#12ab9f80")?.hex == "#12ab9f80")
    }

    @Test func componentsAreClamped() {
        #expect(PixelColor(red: 2, green: -1, blue: .nan) == PixelColor(red: 1, green: 0, blue: 0))
    }
}
