import ImageCore
import ImageKernels
import Testing

@Suite struct OrientationTests {
    /// The stored position of the upright pixel (x, y) of an image stored as w × h, by the definition of the Exif
    /// values.
    private func stored(_ orientation: Orientation, _ x: Int, _ y: Int, _ w: Int, _ h: Int) -> (Int, Int) {
        switch orientation {
        case .up: (x, y)
        case .upMirrored: (w - 1 - x, y)
        case .down: (w - 1 - x, h - 1 - y)
        case .downMirrored: (x, h - 1 - y)
        case .leftMirrored: (y, x)
        case .right: (y, h - 1 - x)
        case .rightMirrored: (w - 1 - y, h - 1 - x)
        case .left: (w - 1 - y, x)
        }
    }

    @Test(arguments: Orientation.allCases, PixelFormat.allCases)
    func everyPixelMovesAsExifDefines(orientation: Orientation, format: PixelFormat) throws {
        for (width, height) in [(1, 1), (3, 2), (1, 70), (33, 31), (65, 40), (130, 3)] {
            let bitmap = try Bitmap.noise(width, height, format)
            let upright = try bitmap.oriented(orientation)
            #expect(upright.size == orientation.applied(to: bitmap.size))
            let (before, after) = (bitmap.samples, upright.samples)
            for y in 0..<upright.height {
                for x in 0..<upright.width {
                    let (sx, sy) = stored(orientation, x, y, width, height)
                    for channel in 0..<format.channels where after[x, y, channel] != before[sx, sy, channel] {
                        Issue.record("(\(x), \(y)) of \(width)x\(height)")
                        return
                    }
                }
            }
        }
    }

    @Test func orientingKeepsTheAlphaMode() throws {
        #expect(try Bitmap.noise(4, 3, alpha: .straight).oriented(.left).alpha == .straight)
    }
}

@Suite struct BitmapCropTests {
    @Test(arguments: PixelFormat.allCases)
    func theRectangleIsCopied(format: PixelFormat) throws {
        let bitmap = try Bitmap.noise(40, 30, format)
        let part = try bitmap.cropped(x: 5, y: 7, width: 33, height: 20)
        let (before, after) = (bitmap.samples, part.samples)
        #expect(part.size == PixelSize(width: 33, height: 20))
        for y in 0..<20 {
            for x in 0..<33 { for c in 0..<format.channels { #expect(after[x, y, c] == before[x + 5, y + 7, c]) } }
        }
    }

    @Test func rectanglesOutsideOfTheImageThrow() throws {
        let bitmap = try Bitmap.noise(40, 30)
        let bad = [
            (-1, 0, 5, 5), (0, 0, 41, 5), (36, 0, 5, 5), (0, 0, 0, 5), (0, 0, 5, -5), (0, 26, 5, 5), (Int.max, 0, 1, 1),
            (1, 1, .max, 1),
        ]
        for (x, y, width, height) in bad {
            let error = #expect(throws: ImageError.self) { try bitmap.cropped(x: x, y: y, width: width, height: height) }
            #expect(error?.code == .invalidRequest)
        }
    }
}

@Suite struct AlphaTests {
    @Test func premultiplyingRoundsToTheNearestLevelForEveryPair() throws {
        let bitmap = try Bitmap.make(256, 256, alpha: .straight) { x, y, channel in channel == 3 ? y : (x + 85 * channel) & 255 }
        try onEveryPath { path in
            let samples = try bitmap.premultiplied().samples
            for alpha in 0..<256 {
                for x in 0..<256 {
                    for channel in 0..<3 {
                        let level = Double((x + 85 * channel) & 255) * Double(alpha) / 255
                        if samples[x, alpha, channel] != level.rounded() { Issue.record("\(x) \(alpha) \(path)") }
                    }
                }
            }
        }
    }

    @Test func unpremultiplyingRoundsToTheNearestLevelForEveryPair() throws {
        let bitmap = try Bitmap.make(256, 256) { x, y, channel in channel == 3 ? y : min((x + 85 * channel) & 255, y) }
        try onEveryPath { path in
            let samples = try bitmap.unpremultiplied().samples
            for alpha in 1..<256 {
                for x in 0..<256 {
                    for channel in 0..<3 {
                        let level = Double(min((x + 85 * channel) & 255, alpha)) * 255 / Double(alpha)
                        if samples[x, alpha, channel] != level.rounded() { Issue.record("\(x) \(alpha) \(path)") }
                    }
                }
            }
            #expect((0..<256).allSatisfy { samples[$0, 0, 0] == 0 && samples[$0, 0, 3] == 0 })
        }
    }

    @Test func colourAboveAlphaIsClamped() throws {
        let bitmap = try Bitmap.make(1, 1) { _, _, channel in channel == 3 ? 10 : 200 }
        #expect(try bitmap.unpremultiplied().samples.values == [255, 255, 255, 10])
    }

    @Test func sixteenBitPixelsRoundTripWithinALevelOfTheirAlpha() throws {
        let bitmap = try Bitmap.noise(30, 20, .rgba16, alpha: .straight)
        let (before, after) = (bitmap.samples, try bitmap.premultiplied().unpremultiplied().samples)
        for i in stride(from: 0, to: before.values.count, by: 4) {
            let step = 65535 / max(1, before.values[i + 3])
            for c in 0..<3 { #expect(abs(before.values[i + c] - after.values[i + c]) <= step / 2 + 1) }
        }
    }

    @Test func opaqueBitmapsAreReturnedUnchanged() throws {
        let bitmap = try Bitmap.noise(3, 3, alpha: .opaque)
        #expect(try bitmap.premultiplied().alpha == .opaque)
        #expect(try bitmap.unpremultiplied().alpha == .opaque)
    }
}

@Suite struct ConversionTests {
    @Test func greyIsRepeatedWithFullAlpha() throws {
        let (grey, wide) = (try Bitmap.noise(70, 3, .gray8), try Bitmap.noise(70, 3, .gray16))
        for bitmap in [grey, wide] {
            let (before, after) = (bitmap.samples, try bitmap.convertedToRGBA8())
            #expect(after.alpha == .opaque)
            for (i, value) in before.values.enumerated() {
                let level = (value * 255 / bitmap.fullLevel).rounded()
                #expect(Array(after.samples.values[i * 4..<i * 4 + 4]) == [level, level, level, 255])
            }
        }
    }

    @Test(arguments: [AlphaMode.premultiplied, .straight, .opaque])
    func sixteenBitsAreRoundedToTheNearestLevel(alpha: AlphaMode) throws {
        let bitmap = try Bitmap.noise(40, 9, .rgba16, alpha: alpha)
        let result = try bitmap.convertedToRGBA8()
        #expect(result.alpha == alpha)
        #expect(result.samples.values == bitmap.samples.values.map { ($0 * 255 / 65535).rounded() })
    }
}
