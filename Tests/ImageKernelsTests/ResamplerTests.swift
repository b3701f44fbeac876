import CalotypeTesting
import ImageCore
import ImageKernels
import Testing

@Suite struct ResamplerTests {
    /// Difficult sizes: single pixels, primes, long lines, both directions at the same time.
    static let shapes: [(Int, Int, Int, Int)] = [
        (1, 1, 1, 1), (1, 1, 7, 5), (7, 5, 1, 1), (2, 3, 3, 2), (13, 17, 7, 11), (31, 29, 64, 3), (1, 400, 1, 13),
        (400, 1, 13, 1), (5, 5, 97, 89), (64, 48, 16, 12), (101, 67, 33, 67), (37, 41, 37, 5),
    ]

    @Test(arguments: ResampleFilter.allCases, PixelFormat.allCases)
    func everyFilterAgreesWithTheDefinition(filter: ResampleFilter, format: PixelFormat) throws {
        for (index, (width, height, toWidth, toHeight)) in Self.shapes.enumerated() {
            let bitmap = try Bitmap.noise(width, height, format, seed: UInt64(index))
            let geometry = ResizeGeometry.stretch(bitmap, to: toWidth, toHeight)
            let reference = referenceResize(bitmap, to: geometry, filter: filter)
            try onEveryPath { path in
                let result = try Resampler.resize(bitmap, to: geometry, filter: filter)
                #expect(result.size == geometry.output)
                let distance = result.samples.distance(to: reference)
                #expect(distance <= 0.51, "\(width)x\(height) to \(toWidth)x\(toHeight), \(path)")
            }
        }
    }

    @Test func randomPartsAgreeWithTheDefinition() throws {
        var numbers = SeededGenerator(seed: 7)
        for seed in 0..<60 {
            let bitmap = try Bitmap.noise(
                .random(in: 1...70, using: &numbers), .random(in: 1...70, using: &numbers), [.rgba8, .gray8, .rgba16][seed % 3],
                seed: UInt64(seed))
            let x = Double.random(in: 0..<Double(bitmap.width), using: &numbers)
            let y = Double.random(in: 0..<Double(bitmap.height), using: &numbers)
            let geometry = ResizeGeometry.part(
                x, y, .random(in: 0.01...1, using: &numbers) * (Double(bitmap.width) - x),
                .random(in: 0.01...1, using: &numbers) * (Double(bitmap.height) - y), of: bitmap,
                to: PixelSize(width: .random(in: 1...50, using: &numbers), height: .random(in: 1...50, using: &numbers)))
            let filter = ResampleFilter.allCases[seed % ResampleFilter.allCases.count]
            let reference = referenceResize(bitmap, to: geometry, filter: filter)
            try onEveryPath { path in
                let result = try Resampler.resize(bitmap, to: geometry, filter: filter)
                #expect(result.samples.distance(to: reference) <= 0.51, "\(bitmap.size) \(geometry) \(filter) \(path)")
            }
        }
    }

    @Test(arguments: ResampleFilter.allCases, PixelFormat.allCases)
    func aConstantImageStaysConstant(filter: ResampleFilter, format: PixelFormat) throws {
        for level in [0, 1, 127, 200, 255] {
            let bitmap = try Bitmap.make(53, 47, format, alpha: .opaque) { _, _, channel in channel == 3 ? 255 : level }
            for (width, height) in [(7, 5), (200, 3), (53, 46)] {
                let samples = try Resampler.resize(bitmap, to: .stretch(bitmap, to: width, height), filter: filter).samples
                #expect(
                    samples.values.enumerated().allSatisfy { $1 == (samples.channels == 4 && $0 % 4 == 3 ? 255 : Double(level)) })
            }
        }
    }

    @Test(arguments: ResampleFilter.allCases.filter { $0 != .nearest })
    func aLinearRampStaysLinear(filter: ResampleFilter) throws {
        let bitmap = try Bitmap.make(256, 4, .gray16) { x, _, _ in x * 200 + 5000 }
        for width in [32, 64, 128] {
            let result = try Resampler.resize(bitmap, to: .stretch(bitmap, to: width, 4), filter: filter).samples
            let step = 256 / Double(width)
            // Excludes the edges, where the kernel is clipped.
            for x in 4..<width - 4 {
                #expect(abs(result[x, 1, 0] - (5000 + ((Double(x) + 0.5) * step - 0.5) * 200)) <= 2)
            }
        }
    }

    @Test(arguments: ResampleFilter.allCases.filter { $0 != .nearest })
    func edgesNeitherShiftNorDarken(filter: ResampleFilter) throws {
        // A symmetric image stays symmetric, and a bright edge stays at the edge.
        let bitmap = try Bitmap.make(90, 60, .gray8) { x, y, _ in (min(x, 89 - x) * 2 + min(y, 59 - y) * 5) & 255 }
        for (width, height) in [(45, 30), (31, 17), (9, 6), (180, 121)] {
            let result = try Resampler.resize(bitmap, to: .stretch(bitmap, to: width, height), filter: filter).samples
            for y in 0..<height {
                for x in 0..<width {
                    #expect(abs(result[x, y, 0] - result[width - 1 - x, y, 0]) <= 1)
                    #expect(abs(result[x, y, 0] - result[x, height - 1 - y, 0]) <= 1)
                }
            }
        }
    }

    @Test(arguments: ResampleFilter.allCases)
    func aStepStaysWhereItIs(filter: ResampleFilter) throws {
        let bitmap = try Bitmap.make(96, 2, .gray8) { x, _, _ in x < 48 ? 0 : 255 }
        for width in [48, 24, 12, 192] {
            let result = try Resampler.resize(bitmap, to: .stretch(bitmap, to: width, 2), filter: filter).samples
            #expect(result[width / 2 - 1, 0, 0] < 128)
            #expect(result[width / 2, 0, 0] > 127)
        }
    }

    @Test(arguments: ResampleFilter.allCases)
    func transparentColoursDoNotBleed(filter: ResampleFilter) throws {
        // Transparent green beside opaque red.
        let bitmap = try Bitmap.make(40, 40, alpha: .straight) { x, _, channel in
            x < 20 ? [255, 0, 0, 255][channel] : [0, 255, 0, 0][channel]
        }
        for side in [10, 13, 90] {
            let result = try Resampler.resize(bitmap, to: .stretch(bitmap, to: side, side), filter: filter)
            #expect(result.alpha == .premultiplied)
            let samples = result.samples
            for i in stride(from: 0, to: samples.values.count, by: 4) {
                #expect(samples.values[i + 1] == 0)
                #expect(samples.values[i] == samples.values[i + 3])
            }
        }
    }

    @Test(arguments: ResampleFilter.allCases, [PixelFormat.rgba8, .rgba16])
    func colourStaysAtOrBelowAlpha(filter: ResampleFilter, format: PixelFormat) throws {
        let bitmap = try Bitmap.noise(61, 43, format, seed: 3)
        for (width, height) in [(20, 14), (122, 90), (60, 43)] {
            try onEveryPath { path in
                let values = try Resampler.resize(bitmap, to: .stretch(bitmap, to: width, height), filter: filter).samples.values
                let holds = stride(from: 0, to: values.count, by: 4).allSatisfy {
                    max(values[$0], values[$0 + 1], values[$0 + 2]) <= values[$0 + 3]
                }
                #expect(holds, "\(path)")
            }
        }
    }

    @Test(arguments: ResampleFilter.allCases.filter { $0 != .nearest })
    func halvingKeepsTheMean(filter: ResampleFilter) throws {
        // Values inside the range, so that nothing is clamped.
        var numbers = SeededGenerator(seed: 5)
        let levels = (0..<128 * 96).map { _ in Int.random(in: 80...170, using: &numbers) }
        var bitmap = try Bitmap.make(128, 96, .gray8) { x, y, _ in levels[y * 128 + x] }
        let mean = bitmap.samples.mean(0)
        for divisor in [2, 4] {
            bitmap = try Resampler.resize(bitmap, to: .stretch(bitmap, to: 128 / divisor, 96 / divisor), filter: filter)
            #expect(abs(bitmap.samples.mean(0) - mean) <= 0.5)
        }
    }

    @Test(arguments: PixelFormat.allCases)
    func linearLightKeepsTheBrightnessOfFineDetail(format: PixelFormat) throws {
        // Columns of black and white give half the light, which is level 188 of sRGB, not 128.
        let bitmap = try Bitmap.make(64, 8, format, alpha: .opaque) { x, _, c in
            c == 3 || x % 2 == 0 ? (format.bytesPerPixel > format.channels ? 65535 : 255) : 0
        }
        let geometry = ResizeGeometry.stretch(bitmap, to: 32, 4)
        let linear = try Resampler.resize(bitmap, to: geometry, filter: .box, isLinear: true)
        let encoded = try Resampler.resize(bitmap, to: geometry, filter: .box)
        #expect(linear.format == format)
        #expect(abs(linear.samples[9, 2, 0] / linear.fullLevel - 0.7354) < 0.004)
        #expect(abs(encoded.samples[9, 2, 0] / encoded.fullLevel - 0.5) < 0.004)
    }

    @Test func linearLightKeepsConstantAndTranslucentImages() throws {
        for level in [0, 1, 5, 17, 100, 254] {
            let bitmap = try Bitmap.make(9, 9) { _, _, c in c == 3 ? 255 : level }
            let result = try Resampler.resize(bitmap, to: .stretch(bitmap, to: 4, 5), isLinear: true).samples
            #expect(result.values.enumerated().allSatisfy { $1 == ($0 % 4 == 3 ? 255 : Double(level)) })
        }
        let bitmap = try Bitmap.noise(20, 20)
        let values = try Resampler.resize(bitmap, to: .stretch(bitmap, to: 7, 9), isLinear: true).samples.values
        #expect(
            stride(from: 0, to: values.count, by: 4).allSatisfy {
                max(values[$0], values[$0 + 1], values[$0 + 2]) <= values[$0 + 3]
            })
    }

    @Test func severalThreadsGiveTheSamePixels() throws {
        let bitmap = try Bitmap.noise(97, 301)
        let geometry = ResizeGeometry.stretch(bitmap, to: 41, 97)
        let alone = try Resampler.resize(bitmap, to: geometry).samples
        for threads in [2, 3, 100] { #expect(try Resampler.resize(bitmap, to: geometry, threads: threads).samples == alone) }
    }

    @Test func resizingToTheSameSizeReturnsTheSameBitmap() throws {
        let bitmap = try Bitmap.noise(9, 7)
        let result = try Resampler.resize(bitmap, to: .stretch(bitmap, to: 9, 7))
        #expect(result.samples == bitmap.samples)
    }

    @Test func opaqueStaysOpaqueAndGreyStaysGrey() throws {
        let opaque = try Bitmap.noise(20, 20, alpha: .opaque)
        let small = try Resampler.resize(opaque, to: .stretch(opaque, to: 7, 7))
        #expect(small.alpha == .opaque)
        #expect((0..<49).allSatisfy { small.samples.values[$0 * 4 + 3] == 255 })
        let grey = try Bitmap.noise(20, 20, .gray16)
        #expect(try Resampler.resize(grey, to: .stretch(grey, to: 7, 7)).format == .gray16)
    }

    @Test func partsOutsideTheImageThrow() throws {
        let bitmap = try Bitmap.noise(10, 8)
        let output = PixelSize(width: 4, height: 4)
        let bad: [(Double, Double, Double, Double)] = [
            (-1, 0, 5, 5), (0, 0, 11, 5), (0, 4, 5, 5), (0, 0, 0, 5), (0, 0, .nan, 5), (.infinity, 0, 1, 1), (0, 0, 5, -1),
        ]
        for (x, y, width, height) in bad {
            let error = #expect(throws: ImageError.self) {
                try Resampler.resize(bitmap, to: .part(x, y, width, height, of: bitmap, to: output))
            }
            #expect(error?.code == .invalidRequest)
        }
        for size in [PixelSize(width: 0, height: 4), PixelSize(width: 4, height: -4)] {
            let error = #expect(throws: ImageError.self) {
                try Resampler.resize(bitmap, to: .part(0, 0, 5, 5, of: bitmap, to: size))
            }
            #expect(error?.code == .invalidRequest)
        }
    }

    @Test func aCancelledResizeThrows() throws {
        let bitmap = try Bitmap.noise(10, 8)
        let token = CancellationToken()
        token.cancel()
        for (height, threads) in [(4, 1), (64, 2)] {
            #expect(throws: CancellationError.self) {
                try Resampler.resize(bitmap, to: .stretch(bitmap, to: 5, height), threads: threads, cancellation: token)
            }
        }
    }
}
