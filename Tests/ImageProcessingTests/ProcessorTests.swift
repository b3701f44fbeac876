import ImageCore
import ImageKernels
import ImageProcessing
import Testing

@Suite struct ProcessorParameterTests {
    static let dot = { SampleImage.make(2, 2) { _, _ in (9, 9, 9, 255) } }()

    /// A processor of each kind with its identifier, which must not change because the disk cache uses it.
    static let identifiers: [(any Processing, String)] = [
        (.resize(to: PixelSize(width: 9, height: 8)), "calotype.resize(9x8,fit,lanczos3)"),
        (.resize(width: 9), "calotype.resize(9x,fit,lanczos3)"),
        (Resize(width: 9, height: nil, isLinear: true), "calotype.resize(9x,fit,lanczos3,linear)"),
        (.crop(x: 1, y: 2, width: 3, height: 4), "calotype.crop(1,2,3,4)"),
        (.crop(to: PixelSize(width: 3, height: 4), gravity: .topLeft), "calotype.crop(3x4,top-left)"),
        (.cropToAttention(PixelSize(width: 3, height: 4)), "calotype.crop(3x4,attention)"),
        (.crop(aspectRatio: 16, to: 9), "calotype.crop(16:9,center)"),
        (.trim(tolerance: 0.1), "calotype.trim(0.1)"),
        (.pad(to: PixelSize(width: 5, height: 6), color: .white), "calotype.pad(5x6,#ffffffff,center)"),
        (.rotate(degrees: 12.5), "calotype.rotate(12.5,#00000000)"),
        (.flip(.vertical), "calotype.flip(vertical)"),
        (.blur(radius: 4), "calotype.blur(4)"),
        (.sharpen(radius: 2, amount: 0.7, threshold: 0.01), "calotype.sharpen(2,0.7,0.01)"),
        (.pixelate(block: 8), "calotype.pixelate(8)"),
        (.grayscale(), "calotype.grayscale(1)"),
        (.sepia(0.5), "calotype.sepia(0.5)"),
        (.tint(PixelColor(red: 1, green: 0, blue: 0), amount: 0.25), "calotype.tint(#ff0000ff,0.25)"),
        (.brightness(-0.2), "calotype.brightness(-0.2)"),
        (.contrast(1.5), "calotype.contrast(1.5)"),
        (.saturation(0), "calotype.saturation(0)"),
        (.gamma(2.2), "calotype.gamma(2.2)"),
        (.invert, "calotype.invert"),
        (.background(.black), "calotype.background(#000000ff)"),
        (.roundedCorners(radius: 12), "calotype.round(12,12,12,12)"),
        (.roundedCorners(CornerRadii(topLeft: 1, bottomLeft: 2.5)), "calotype.round(1,0,0,2.5)"),
        (.circle, "calotype.circle"),
        (.border(width: 2, color: .black), "calotype.border(2,#000000ff)"),
        (
            .border(width: 0.02, unit: .shorterSide, color: .black, radii: CornerRadii(0.5, unit: .shorterSide)),
            "calotype.border(2%,#000000ff,50%,50%,50%,50%)"
        ),
        (.border(width: 2, color: .black, radii: CornerRadii(topLeft: 3)), "calotype.border(2,#000000ff,3,0,0,0)"),
        (.roundedCorners(radius: 0.25, unit: .shorterSide), "calotype.round(25%,25%,25%,25%)"),
        (.overlay(dot, id: "dot", margin: 3, opacity: 0.5), "calotype.overlay(dot,bottom-right,3,0.5)"),
        (.tiledOverlay(dot, id: "dot", gap: 4), "calotype.overlay(dot,tiled,4,1)"),
        (.all([.circle, .invert]), "calotype.all(calotype.circle,calotype.invert)"),
        (.closure(id: "mine") { image, _ in image }, "mine"),
    ]

    @Test func identifiersNameEveryParameter() {
        for (processor, identifier) in Self.identifiers { #expect(processor.identifier == identifier) }
        #expect(Set(Self.identifiers.map(\.1)).count == Self.identifiers.count)
    }

    @Test(arguments: PixelFormat.allCases, [AlphaMode.opaque, .premultiplied, .straight])
    func everyProcessorAcceptsEveryFormat(format: PixelFormat, alpha: AlphaMode) throws {
        for (width, height) in [(1, 1), (13, 9), (40, 3)] {
            let bitmap = try unsafe Bitmap(size: PixelSize(width: width, height: height), format: format, alpha: alpha) {
                pixels, _ in
                for i in 0..<pixels.count { unsafe pixels[i] = alpha == .opaque && format.channels == 4 ? 255 : 100 }
            }
            for (processor, identifier) in Self.identifiers
            where !identifier.hasPrefix("calotype.crop(1,2") && identifier != "mine" {
                let result = try processor.process(DecodedImage(bitmap), context: ProcessingContext())
                let isPremultiplied = result.bitmap.alpha != .straight
                // Processors that only move pixels keep the format.
                let moves = [
                    "calotype.crop", "calotype.trim", "calotype.flip", "calotype.rotate", "calotype.pad", "calotype.gamma",
                ]
                #expect(isPremultiplied || moves.contains { identifier.hasPrefix($0) }, "\(identifier)")
            }
        }
    }

    @Test func invalidParametersAreATypedError() {
        let size = PixelSize(width: 0, height: 5)
        let wrong: [any Processing] = [
            .crop(x: -1, y: 0, width: 1, height: 1), .crop(to: size), .crop(aspectRatio: 0, to: 1),
            .crop(aspectRatio: .nan, to: 1), .crop(aspectRatio: .infinity, to: 1), .trim(tolerance: -0.1), .trim(tolerance: .nan),
            .pad(to: size), .pad(to: PixelSize(width: .max, height: 1)), .rotate(degrees: .nan), .rotate(degrees: .infinity),
            .blur(radius: -1), .blur(radius: .nan), .blur(radius: 1e9), .sharpen(radius: .nan), .sharpen(amount: -1),
            .sharpen(threshold: 2), .pixelate(block: 0), .pixelate(block: -5), .grayscale(1.1), .sepia(-1),
            .tint(.black, amount: .nan), .brightness(2), .contrast(-1), .contrast(.infinity), .saturation(.nan), .gamma(0),
            .gamma(-1), .gamma(.nan), .roundedCorners(radius: -1), .roundedCorners(radius: .nan),
            .border(width: 0, color: .black), .border(width: .nan, color: .black), .border(width: 1_000_001, color: .black),
            .border(width: 1.5, unit: .shorterSide, color: .black), .border(width: -0.1, unit: .shorterSide, color: .black),
            .border(width: 1, color: .black, radii: CornerRadii(-1)),
            .border(width: -.infinity, color: .black), .overlay(Self.dot, id: "dot", opacity: 1.5),
            .overlay(Self.dot, id: "dot", margin: -1), .overlay(Self.dot, id: "dot", margin: .max),
            .tiledOverlay(Self.dot, id: "dot", gap: -1), .all([.circle, .blur(radius: -1)]),
        ]
        for processor in wrong {
            let error = #expect(throws: ImageError.self, "\(processor.identifier)") {
                try processor.process(SampleImage.make(8, 8) { _, _ in (1, 2, 3, 255) }, context: ProcessingContext())
            }
            #expect(error?.code == .invalidRequest)
            #expect(error?.message.hasSuffix(".") == true)
        }
    }

    @Test func aCanvasBeyondTheLimitThrows() {
        var context = ProcessingContext()
        context.maximumPixels = 100
        for processor in [.pad(to: PixelSize(width: 20, height: 20)), .rotate(degrees: 45)] as [any Processing] {
            let error = #expect(throws: ImageError.self) {
                try processor.process(SampleImage.make(9, 9) { _, _ in (1, 2, 3, 255) }, context: context)
            }
            #expect(error?.code == .tooLarge)
        }
    }

    @Test func cancelledWorkThrows() {
        let token = CancellationToken()
        token.cancel()
        let context = ProcessingContext(cancellation: token)
        let slow: [any Processing] = [
            .resize(width: 5), .blur(radius: 2), .blur(radius: 30), .sharpen(), .pixelate(block: 2), .sepia(), .gamma(2),
            .rotate(degrees: 10), .roundedCorners(radius: 3), .trim(), .border(width: 1, color: .black),
            .overlay(Self.dot, id: "dot"), .cropToAttention(PixelSize(width: 2, height: 2)), .all([.circle]),
        ]
        for processor in slow {
            #expect(throws: CancellationError.self, "\(processor.identifier)") {
                try processor.process(SampleImage.make(20, 20) { _, _ in (1, 2, 3, 255) }, context: context)
            }
        }
    }
}

@Suite struct ColorProcessorTests {
    private func pixel(_ processor: any Processing, _ color: (Int, Int, Int, Int)) throws -> [Int] {
        let image = SampleImage.make(1, 1) { _, _ in color }
        return try processor.process(image, context: ProcessingContext()).pixel(0, 0)
    }

    @Test func coloursChangeByTheirFormulas() throws {
        #expect(try pixel(.grayscale(), (255, 0, 0, 255)) == [54, 54, 54, 255])
        #expect(try pixel(.grayscale(0), (255, 7, 0, 255)) == [255, 7, 0, 255])
        #expect(try pixel(.saturation(0), (0, 255, 0, 255)) == [182, 182, 182, 255])
        #expect(try pixel(.saturation(2), (100, 100, 100, 255)) == [100, 100, 100, 255])
        #expect(try pixel(.sepia(), (100, 100, 100, 255)) == [135, 120, 94, 255])
        #expect(try pixel(.tint(PixelColor(red: 1, green: 0.5, blue: 0)), (200, 200, 200, 255)) == [200, 100, 0, 255])
        #expect(try pixel(.brightness(0.2), (100, 250, 0, 255)) == [151, 255, 51, 255])
        #expect(try pixel(.contrast(2), (100, 200, 128, 255)) == [73, 255, 129, 255])
        #expect(try pixel(.contrast(0), (0, 255, 9, 255)) == [128, 128, 128, 255])
        #expect(try pixel(.invert, (0, 255, 100, 255)) == [255, 0, 155, 255])
        #expect(try pixel(.gamma(2), (0, 64, 255, 255)) == [0, 128, 255, 255])
        #expect(try pixel(.background(.white), (0, 0, 0, 51)) == [204, 204, 204, 255])
    }

    @Test func translucentColoursChangeLikeStraightColours() throws {
        // Half transparent white, premultiplied.
        #expect(try pixel(.invert, (128, 128, 128, 128)) == [0, 0, 0, 128])
        #expect(try pixel(.brightness(1), (0, 0, 0, 128)) == [128, 128, 128, 128])
    }
}

@Suite struct GeometryProcessorTests {
    private let run = ProcessingContext()

    @Test(arguments: zip(Gravity.allCases, [(0, 0), (3, 0), (6, 0), (0, 2), (3, 2), (6, 2), (0, 4), (3, 4), (6, 4)]))
    func theGravityDeterminesThePositionOfACrop(gravity: Gravity, corner: (Int, Int)) throws {
        let image = SampleImage.make(9, 7) { x, y in (x * 10, y * 10, 0, 255) }
        let part = try CropTo.crop(to: PixelSize(width: 3, height: 3), gravity: gravity).process(image, context: run)
        #expect(part.size == PixelSize(width: 3, height: 3))
        #expect(part.pixel(0, 0) == [corner.0 * 10, corner.1 * 10, 0, 255])
    }

    @Test func aCropToAnAspectRatioIsAsLargeAsPossible() throws {
        let image = SampleImage.make(100, 60) { _, _ in (0, 0, 0, 255) }
        #expect(try CropTo.crop(aspectRatio: 1, to: 1).process(image, context: run).size == PixelSize(width: 60, height: 60))
        #expect(try CropTo.crop(aspectRatio: 4, to: 1).process(image, context: run).size == PixelSize(width: 100, height: 25))
        #expect(
            try CropTo.crop(to: PixelSize(width: 500, height: 5)).process(image, context: run).size
                == PixelSize(width: 100, height: 5))
    }

    @Test(arguments: [(10, 10), (70, 15), (40, 50)])
    func attentionFindsTheDetail(x: Int, y: Int) throws {
        // A chequered area of 20 × 20 pixels in a flat image.
        let image = SampleImage.make(100, 80) { px, py in
            let isInside = x..<x + 20 ~= px && y..<y + 20 ~= py
            return isInside && (px / 3 + py / 3) % 2 == 0 ? (255, 255, 255, 255) : (40, 40, 40, 255)
        }
        let crop = CropTo(.size(PixelSize(width: 30, height: 30)), anchor: .attention)
        let part = try crop.process(image, context: run)
        var bright = 0
        for py in 0..<30 { for px in 0..<30 where part.pixel(px, py)[0] == 255 { bright += 1 } }
        #expect(bright > 180, "of about 200")
    }

    @Test func uniformBordersAreRemoved() throws {
        let image = SampleImage.make(20, 15) { x, y in
            4..<9 ~= x && 6..<8 ~= y ? (200, 0, 0, 255) : (250 + (x + y) % 3, 250, 250, 255)
        }
        #expect(try Trim.trim().process(image, context: run).size == PixelSize(width: 5, height: 2))
        #expect(try Trim.trim(tolerance: 0).process(image, context: run).size == PixelSize(width: 20, height: 15))
        // A difference equal to the tolerance still counts as border: 51 is a fifth of the full level.
        let edge = SampleImage.make(5, 5) { x, y in x == 2 && y == 2 ? (151, 151, 100, 255) : (100, 100, 100, 255) }
        #expect(try Trim.trim(tolerance: 0.2).process(edge, context: run).size == PixelSize(width: 5, height: 5))
        #expect(try Trim.trim(tolerance: 0.19).process(edge, context: run).size == PixelSize(width: 1, height: 1))
        let flat = SampleImage.make(6, 5) { _, _ in (1, 2, 3, 255) }
        #expect(try Trim.trim().process(flat, context: run).size == PixelSize(width: 6, height: 5))
    }

    @Test func aSingleDifferentPixelIsKept() throws {
        let image = SampleImage.make(9, 9) { x, y in x == 7 && y == 1 ? (255, 255, 255, 255) : (0, 0, 0, 255) }
        let result = try Trim.trim().process(image, context: run)
        #expect(result.size == PixelSize(width: 1, height: 1))
        #expect(result.pixel(0, 0) == [255, 255, 255, 255])
    }

    @Test func aCanvasGrowsAroundTheImage() throws {
        let image = SampleImage.make(3, 2) { _, _ in (10, 20, 30, 255) }
        let pad = Pad.pad(to: PixelSize(width: 7, height: 1), color: .white, gravity: .topRight)
        let result = try pad.process(image, context: run)
        #expect(result.size == PixelSize(width: 7, height: 2))
        #expect(result.pixel(3, 1) == [255, 255, 255, 255])
        #expect(result.pixel(4, 1) == [10, 20, 30, 255])
        #expect(result.bitmap.alpha == .opaque)
    }

    @Test func rotationShowsTheBackgroundInTheCorners() throws {
        let image = SampleImage.make(30, 30) { _, _ in (10, 20, 30, 255) }
        let result = try Rotate.rotate(degrees: 45, background: .white).process(image, context: run)
        #expect(result.pixel(0, 0) == [255, 255, 255, 255])
        #expect(result.pixel(21, 21) == [10, 20, 30, 255])
        #expect(
            try Rotate.rotate(degrees: -90).process(SampleImage.make(5, 3) { _, _ in (0, 0, 0, 255) }, context: run).size
                == PixelSize(width: 3, height: 5))
    }

    @Test func flipsMirror() throws {
        let image = SampleImage.make(3, 2) { x, y in (x, y, 0, 255) }
        #expect(try Flip.flip(.horizontal).process(image, context: run).pixel(0, 0) == [2, 0, 0, 255])
        #expect(try Flip.flip(.vertical).process(image, context: run).pixel(0, 0) == [0, 1, 0, 255])
    }
}

@Suite struct ShapeProcessorTests {
    private let run = ProcessingContext()

    @Test func bordersAreDrawnInsideTheEdges() throws {
        let image = SampleImage.make(9, 7) { _, _ in (0, 0, 0, 255) }
        let color = PixelColor(red: 1, green: 1, blue: 1, alpha: 0.5)
        for width in [1, 2, 3, 4, 100] {
            let result = try Border.border(width: Double(width), color: color).process(image, context: run)
            for y in 0..<7 {
                for x in 0..<9 {
                    let isInside = min(x, 8 - x, y, 6 - y) < width
                    #expect(result.pixel(x, y)[0] == (isInside ? 128 : 0), "\(width): \(x),\(y)")
                }
            }
        }
    }

    /// A fifth of the shorter side, at least a pixel.
    @Test func theWidthOfABorderMayBeAShareOfTheShorterSide() throws {
        let image = SampleImage.make(20, 10) { _, _ in (0, 0, 0, 255) }
        for (share, width) in [(0.2, 2), (0.001, 1), (0, 1)] {
            let result = try Border.border(width: share, unit: .shorterSide, color: .white).process(image, context: run)
            #expect(result.pixel(10, width - 1)[0] == 255 && result.pixel(10, width)[0] == 0, "\(share)")
        }
    }

    @Test func aBorderAlongACircleIsARing() throws {
        let image = SampleImage.make(60, 40) { _, _ in (0, 0, 200, 255) }
        let ring: Composition = .all([.circle, .border(width: 4, color: .white, radii: CornerRadii(0.5, unit: .shorterSide))])
        let result = try ring.process(image, context: run)
        #expect(result.pixel(20, 20) == [0, 0, 200, 255] && result.pixel(20, 2) == [255, 255, 255, 255])
        #expect(result.pixel(1, 1) == [0, 0, 0, 0])
        // On the diagonal, 4 pixels inside of the circle.
        #expect(result.pixel(7, 7) == [255, 255, 255, 255] && result.pixel(11, 11) == [0, 0, 200, 255])
    }

    @Test func aCircleIsCroppedFromTheMiddle() throws {
        let image = SampleImage.make(60, 40) { x, _ in (x, 0, 0, 255) }
        let result = try CircleCrop.circle.process(image, context: run)
        #expect(result.size == PixelSize(width: 40, height: 40))
        #expect(result.pixel(0, 0) == [0, 0, 0, 0])
        #expect(result.pixel(20, 20) == [30, 0, 0, 255])
    }

    @Test func theGravityAndTheMarginDetermineThePositionOfAWatermark() throws {
        let image = SampleImage.make(20, 10) { _, _ in (0, 0, 0, 255) }
        let mark = SampleImage.make(3, 2) { _, _ in (255, 255, 255, 255) }
        let places: [(Gravity, Int, Int)] = [
            (.bottomRight, 16, 7), (.topLeft, 1, 1), (.top, 8, 1), (.left, 1, 4), (.center, 8, 4),
        ]
        for (gravity, left, top) in places {
            let result = try Overlay.overlay(mark, id: "mark", gravity: gravity, margin: 1, opacity: 0.5).process(
                image, context: run)
            for y in 0..<10 {
                for x in 0..<20 {
                    let isInside = left..<left + 3 ~= x && top..<top + 2 ~= y
                    #expect(result.pixel(x, y)[0] == (isInside ? 128 : 0), "\(gravity) \(x),\(y)")
                }
            }
        }
    }

    @Test func tilesCoverTheImage() throws {
        let image = SampleImage.make(11, 8) { _, _ in (0, 0, 0, 255) }
        let mark = SampleImage.make(2, 2) { _, _ in (255, 255, 255, 255) }
        let result = try Overlay.tiledOverlay(mark, id: "mark", gap: 1).process(image, context: run)
        for y in 0..<8 { for x in 0..<11 { #expect(result.pixel(x, y)[0] == (x % 3 < 2 && y % 3 < 2 ? 255 : 0)) } }
    }

    @Test func aCompositionRunsInOrderAndAClosureIsAProcessor() throws {
        let image = SampleImage.make(8, 4) { _, _ in (0, 0, 0, 255) }
        let all: Composition = .all([
            .resize(width: 4), .closure(id: "turn") { image, _ in image.with(try image.bitmap.oriented(.right)) },
        ])
        #expect(try all.process(image, context: run).size == PixelSize(width: 2, height: 4))
    }
}
