import CalotypeTesting
import ImageCore
import ImageKernels
import Testing

/// A step, as a part of a pass and as a separate operation.
private enum Step: CustomStringConvertible {
    case crop(Int, Int, Int, Int)
    case turn(Orientation)
    case resize(PixelSize, ContentMode, ResampleFilter)

    static func random(for size: PixelSize, using numbers: inout SeededGenerator) -> Step {
        switch Int.random(in: 0..<5, using: &numbers) {
        case 0, 1: return .turn(Orientation.allCases.randomElement(using: &numbers) ?? .up)
        case 2:
            let filter = ResampleFilter.allCases.randomElement(using: &numbers) ?? .box
            let mode = ContentMode.allCases.randomElement(using: &numbers) ?? .fit
            let sides = 1...90
            return .resize(
                PixelSize(width: .random(in: sides, using: &numbers), height: .random(in: sides, using: &numbers)), mode, filter)
        default:
            let (x, y) = (Int.random(in: 0..<size.width, using: &numbers), Int.random(in: 0..<size.height, using: &numbers))
            return .crop(
                x, y, .random(in: 1...size.width - x, using: &numbers), .random(in: 1...size.height - y, using: &numbers))
        }
    }

    var description: String {
        switch self {
        case .crop(let x, let y, let width, let height): "crop \(x),\(y) \(width)x\(height)"
        case .turn(let orientation): "turn \(orientation)"
        case .resize(let box, let mode, let filter): "resize \(box) \(mode) \(filter)"
        }
    }

    func applied(to bitmap: Bitmap) throws -> Bitmap {
        switch self {
        case .crop(let x, let y, let width, let height): try bitmap.cropped(x: x, y: y, width: width, height: height)
        case .turn(let orientation): try bitmap.oriented(orientation)
        case .resize(let box, let mode, let filter):
            try Resampler.resize(
                bitmap, to: ResizeGeometry(source: bitmap.size, box: box, mode: mode, upscales: true), filter: filter)
        }
    }

    func add(to pass: inout GeometryPass) throws -> Bool {
        switch self {
        case .crop(let x, let y, let width, let height): try pass.crop(x: x, y: y, width: width, height: height)
        case .turn(let orientation): pass.turn(orientation)
        case .resize(let box, let mode, let filter):
            return try pass.resize(
                to: ResizeGeometry(source: pass.output, box: box, mode: mode, upscales: true), filter: filter)
        }
        return true
    }
}

@Suite struct GeometryPassTests {
    @Test func aPassHasTheResultOfTheSeparateSteps() throws {
        var numbers = SeededGenerator(seed: 21)
        for round in 0..<300 {
            let source = try Bitmap.noise(
                .random(in: 1...80, using: &numbers), .random(in: 1...80, using: &numbers), PixelFormat.allCases[round % 4],
                seed: UInt64(round))
            var pass = GeometryPass(source.size)
            var (expected, steps) = (source, [Step]())
            for _ in 0..<Int.random(in: 1...6, using: &numbers) {
                let step = Step.random(for: pass.output, using: &numbers)
                guard try step.add(to: &pass) else { break }
                steps.append(step)
                expected = try step.applied(to: expected)
            }
            try onEveryPath { path in
                let result = try source.applying(pass)
                #expect(result.size == expected.size && pass.output == expected.size, "\(source.size): \(steps)")
                #expect(result.samples.distance(to: expected.samples) <= 1, "\(source.size) \(source.format) \(path): \(steps)")
            }
            #expect(try source.applying(pass, threads: 3).samples == source.applying(pass).samples)
        }
    }

    @Test(arguments: Orientation.allCases, Orientation.allCases)
    func twoTurnsCanBeCombined(first: Orientation, second: Orientation) throws {
        let bitmap = try Bitmap.noise(7, 5)
        var pass = GeometryPass(bitmap.size)
        pass.turn(first)
        pass.turn(second)
        #expect(try bitmap.applying(pass).samples == bitmap.oriented(first).oriented(second).samples)
    }

    @Test func aResizeDoesNotReadBeyondTheEdgesOfACrop() throws {
        // A white square on black: pixels from outside of the square would darken its edges.
        let bitmap = try Bitmap.make(40, 40, .gray8) { x, y, _ in 10..<30 ~= x && 10..<30 ~= y ? 255 : 0 }
        for orientation in Orientation.allCases {
            var pass = GeometryPass(bitmap.size)
            try pass.crop(x: 10, y: 10, width: 20, height: 20)
            pass.turn(orientation)
            let box = ResizeGeometry(source: pass.output, box: PixelSize(width: 7, height: 9), mode: .exact)
            #expect(try pass.resize(to: box, filter: .lanczos3))
            #expect(try bitmap.applying(pass).samples.values.allSatisfy { $0 == 255 })
        }
    }

    @Test func aPassAcceptsASecondResizeOnlyIfItChangesNothing() throws {
        var pass = GeometryPass(PixelSize(width: 40, height: 30))
        func resize(_ width: Int, _ height: Int) throws -> Bool {
            let box = PixelSize(width: width, height: height)
            return try pass.resize(to: ResizeGeometry(source: pass.output, box: box, mode: .exact), filter: .box)
        }
        #expect(try resize(40, 30) && pass.isIdentity)
        #expect(try resize(20, 10))
        #expect(try resize(20, 10))
        #expect(try !resize(10, 10))
        #expect(pass.output == PixelSize(width: 20, height: 10))
    }

    @Test func inLinearLightAndWithStraightAlphaAPassHasTheResultOfTheSeparateSteps() throws {
        for alpha in [AlphaMode.straight, .premultiplied] {
            let bitmap = try Bitmap.noise(50, 40, alpha: alpha)
            let part = try bitmap.cropped(x: 5, y: 6, width: 40, height: 30).oriented(.left)
            for isLinear in [true, false] {
                let geometry = ResizeGeometry(source: part.size, box: PixelSize(width: 11, height: 12), mode: .fill)
                let expected = try Resampler.resize(part, to: geometry, isLinear: isLinear).oriented(.upMirrored)
                var pass = GeometryPass(bitmap.size)
                try pass.crop(x: 5, y: 6, width: 40, height: 30)
                pass.turn(.left)
                #expect(try pass.resize(to: geometry, filter: .lanczos3, isLinear: isLinear))
                pass.turn(.upMirrored)
                #expect(try bitmap.applying(pass).samples.distance(to: expected.samples) <= 1)
            }
        }
    }

    @Test func partsOutsideOfTheImageAndImagesOfAnotherSizeThrow() throws {
        var pass = GeometryPass(PixelSize(width: 10, height: 8))
        pass.turn(.right)
        #expect(throws: ImageError.self) { try pass.crop(x: 0, y: 0, width: 9, height: 1) }
        #expect(throws: ImageError.self) { try pass.crop(x: 0, y: 0, width: 0, height: 1) }
        #expect(throws: ImageError.self) { try Bitmap.noise(9, 8).applying(pass) }
        let token = CancellationToken()
        token.cancel()
        #expect(throws: CancellationError.self) { try Bitmap.noise(10, 8).applying(pass, cancellation: token) }
    }

    @Test func aPassForASmallerCopyUsesTheSamePart() throws {
        // A smooth image, so that a copy of a third of the size has the same colours.
        let full = try Bitmap.make(360, 240, .gray8) { x, y, _ in 40 + x / 3 + y / 4 }
        let small = try Resampler.resize(full, to: .stretch(full, to: 120, 80), filter: .box)
        for orientation in Orientation.allCases {
            var pass = GeometryPass(full.size)
            try pass.crop(x: 61, y: 40, width: 200, height: 151)
            pass.turn(orientation)
            let box = PixelSize(width: 30, height: 25)
            #expect(try pass.resize(to: ResizeGeometry(source: pass.output, box: box, mode: .fill), filter: .lanczos3))
            try pass.crop(x: 3, y: 2, width: 20, height: 20)
            let scaled = try #require(pass.scaled(to: small.size))
            #expect(scaled.output == pass.output)
            #expect(try small.applying(scaled).samples.distance(to: full.applying(pass).samples) <= 1, "\(orientation)")
        }
        #expect(GeometryPass(full.size).scaled(to: small.size) == nil)
    }
}
