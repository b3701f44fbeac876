import ImageCore
import ImageKernels
import TestBitmaps
import Testing

/// FEATURES 10.5: images are drawn on a canvas.
@Suite struct CanvasTests {
    private func solid(_ width: Int, _ height: Int, _ pixel: [UInt8], alpha: AlphaMode = .opaque) throws -> Bitmap {
        try bitmap(width, height, alpha: alpha) { _, _ in pixel }
    }

    /// An image with 16-bit samples.
    private func wide(_ width: Int, _ height: Int, _ pixel: [UInt16], alpha: AlphaMode) throws -> Bitmap {
        try unsafe Bitmap(size: PixelSize(width: width, height: height), format: .rgba16, alpha: alpha) { pixels, bytesPerRow in
            for i in 0..<width * height * 4 {
                let offset = i / (4 * width) * bytesPerRow + i % (4 * width) * 2
                unsafe pixels.storeBytes(of: pixel[i & 3], toByteOffset: offset, as: UInt16.self)
            }
        }
    }

    @Test func anEmptyCanvasHasItsColor() throws {
        let half = PixelColor(red: 1, green: 0.5, blue: 0, alpha: 0.5)
        let made = try PixelCanvas(PixelSize(width: 3, height: 2), filledWith: half).makeBitmap()
        #expect(made.alpha == .premultiplied && made.format == .rgba8 && made.size == PixelSize(width: 3, height: 2))
        #expect(made.all == Array(repeating: [128, 64, 0, 128], count: 6))
        let deep = try PixelCanvas(PixelSize(2), filledWith: .white, like: wide(1, 1, [0, 0, 0, 65535], alpha: .opaque))
            .makeBitmap()
        #expect(deep.alpha == .opaque && deep.all == Array(repeating: [65535, 65535, 65535, 65535], count: 4))
        #expect(try PixelCanvas(PixelSize(1)).makeBitmap().all == [[0, 0, 0, 0]])
    }

    @Test func anImageIsDrawnAtItsPlaceAndCutOff() throws {
        var canvas = PixelCanvas(PixelSize(width: 4, height: 3), filledWith: .black)
        try canvas.draw(solid(2, 2, [255, 0, 0, 255]), x: 3, y: 1)
        try canvas.draw(solid(2, 2, [0, 255, 0, 255]), x: -1, y: -1)
        for place in [Int.min, -2, 4, .max] {
            try canvas.draw(solid(2, 2, [9, 9, 9, 255]), x: place, y: 0)
            try canvas.draw(solid(2, 2, [9, 9, 9, 255]), x: 0, y: place)
        }
        let (black, red, green) = ([0, 0, 0, 255], [255, 0, 0, 255], [0, 255, 0, 255])
        let made = try canvas.makeBitmap()
        #expect(made.all == [green, black, black, black, black, black, black, red, black, black, black, red])
        #expect(made.alpha == .opaque)
    }

    @Test func everyFormatAndAlphaModeIsDrawn() throws {
        let size = PixelSize(1)
        func drawn(_ image: Bitmap, opacity: Double = 1, like base: Bitmap? = nil) throws -> [[Int]] {
            var canvas = PixelCanvas(size, filledWith: .white, like: base)
            try canvas.draw(image, x: 0, y: 0, opacity: opacity)
            return try canvas.makeBitmap().all
        }
        // Straight red, half transparent, equals the premultiplied one.
        #expect(try drawn(solid(1, 1, [255, 0, 0, 128], alpha: .straight)) == [[255, 127, 127, 255]])
        #expect(try drawn(solid(1, 1, [128, 0, 0, 128], alpha: .premultiplied)) == [[255, 127, 127, 255]])
        #expect(try drawn(solid(1, 1, [0, 0, 0, 255]), opacity: 0.4) == [[153, 153, 153, 255]])
        let gray = try unsafe Bitmap(size: size, format: .gray8, alpha: .opaque) { pixels, _ in unsafe pixels[0] = 77 }
        #expect(try drawn(gray) == [[77, 77, 77, 255]])
        let deep = try wide(1, 1, [257, 514, 771, 65535], alpha: .opaque)
        #expect(try drawn(deep) == [[1, 2, 3, 255]])
        #expect(try drawn(deep, like: deep) == [[257, 514, 771, 65535]])
        #expect(try drawn(gray, like: deep) == [[77 * 257, 77 * 257, 77 * 257, 65535]])
    }

    /// The formulas of the specification, with straight colours.
    private func expected(_ mode: PixelBlendMode, _ top: [Double], _ below: [Double]) -> [Double] {
        let (a, b) = (top[3], below[3])
        let alpha = a + b - a * b
        let colors = (0..<3).map { i -> Double in
            let (s, d) = (a > 0 ? top[i] / a : 0, b > 0 ? below[i] / b : 0)
            let mixed =
                switch mode {
                case .normal: s
                case .multiply: s * d
                case .screen: s + d - s * d
                case .darken: min(s, d)
                case .lighten: max(s, d)
                }
            return a * (1 - b) * s + a * b * mixed + (1 - a) * b * d
        }
        return colors + [alpha]
    }

    @Test(arguments: PixelBlendMode.allCases, [false, true])
    func blendModesFollowTheSpecification(mode: PixelBlendMode, isWide: Bool) throws {
        let most = isWide ? 65535.0 : 255
        let levels: [[Double]] = [
            [0, 0, 0, 0], [0.2, 0.7, 1, 1], [0, 0.3, 0.45, 0.5], [0.1, 0.1, 0.1, 0.1], [1, 1, 1, 1], [0, 0, 0, 1],
        ]
        func image(_ pixel: [Double]) throws -> Bitmap {
            let samples = pixel.map { ($0 * most).rounded() }
            return isWide
                ? try wide(1, 1, samples.map { UInt16($0) }, alpha: .premultiplied)
                : try solid(1, 1, samples.map { UInt8($0) }, alpha: .premultiplied)
        }
        for top in levels {
            for below in levels {
                for opacity in [1, 0.6] {
                    let base = try image(below)
                    var canvas = PixelCanvas(PixelSize(1), like: base)
                    try canvas.draw(base, x: 0, y: 0)
                    try canvas.draw(image(top), x: 0, y: 0, opacity: opacity, mode: mode)
                    let made = try #require(try canvas.makeBitmap().all.first)
                    let wanted = expected(mode, top.map { $0 * opacity }, below).map { $0 * most }
                    let error = zip(made, wanted).map { abs(Double($0) - $1) }.max() ?? 999
                    #expect(error <= 1.5, "\(mode) \(top) × \(opacity) over \(below): \(made), not \(wanted)")
                    #expect(made[..<3].allSatisfy { $0 <= made[3] })
                }
            }
        }
    }

    @Test func severalThreadsDrawTheSame() throws {
        let mark = try solid(40, 90, [90, 10, 60, 90], alpha: .premultiplied)
        var canvas = PixelCanvas(PixelSize(width: 70, height: 130), filledWith: .white)
        for i in 0..<6 { try canvas.draw(mark, x: 9 * i - 5, y: 11 * i - 20, opacity: 0.7, mode: i % 2 == 0 ? .normal : .screen) }
        var context = ProcessingContext()
        context.threads = 4
        #expect(try canvas.makeBitmap(context).all == canvas.makeBitmap().all)
    }

    @Test func aNormalImageIsDrawnAsAnOverlay() throws {
        let base = try solid(5, 5, [10, 200, 30, 255])
        let mark = try bitmap(3, 3, alpha: .premultiplied) { x, y in [UInt8(20 * x), UInt8(20 * y), 60, 90] }
        var canvas = PixelCanvas(base.size)
        try canvas.draw(base, x: 0, y: 0)
        try canvas.draw(mark, x: -1, y: -1, opacity: 0.5)
        #expect(try canvas.makeBitmap().all == base.overlaid(with: mark, x: -1, y: -1, opacity: 0.5).all)
    }

    @Test func limitsAndArgumentsAreChecked() throws {
        var context = ProcessingContext()
        context.maximumPixels = 100
        for size in [PixelSize(width: 101, height: 1), PixelSize(width: .max, height: .max), PixelSize(width: 0, height: 4)] {
            let error = #expect(throws: ImageError.self) { try PixelCanvas(size).makeBitmap(context) }
            #expect(error?.code == .tooLarge)
        }
        #expect(throws: Never.self) { try PixelCanvas(PixelSize(10)).makeBitmap(context) }
        var canvas = PixelCanvas(PixelSize(2))
        for opacity in [-0.1, 1.1, .nan, .infinity] {
            let image = try solid(1, 1, [1, 1, 1, 255])
            let error = #expect(throws: ImageError.self) { try canvas.draw(image, x: 0, y: 0, opacity: opacity) }
            #expect(error?.code == .invalidRequest)
        }
        let token = CancellationToken()
        token.cancel()
        #expect(throws: CancellationError.self) {
            try PixelCanvas(PixelSize(2)).makeBitmap(ProcessingContext(cancellation: token))
        }
    }
}
