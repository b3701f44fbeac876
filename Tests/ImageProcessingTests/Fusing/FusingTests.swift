import ImageCore
import ImageKernels
import ImageProcessing
import ProcessorParsing
import Testing

@Suite struct FusingTests {
    private let context = ProcessingContext()

    private func scene(_ width: Int, _ height: Int) -> DecodedImage {
        SampleImage.make(width, height) { x, y in
            let disc = (x - width / 3) * (x - width / 3) + (y - height / 2) * (y - height / 2) < height * height / 16
            return (60 + x * 100 / width, disc ? 220 : 40 + y * 60 / height, (x * 7 + y * 13) % 40 + 90, 255)
        }
    }

    private func distance(_ a: DecodedImage, _ b: DecodedImage) -> Int {
        guard a.size == b.size else { return .max }
        var most = 0
        for y in 0..<a.size.height {
            for x in 0..<a.size.width {
                for (one, other) in zip(a.pixel(x, y), b.pixel(x, y)) { most = max(most, abs(one - other)) }
            }
        }
        return most
    }

    @Test(arguments: [
        ("crop(1,2,3,4)", true), ("crop-to(30x20,top)", true), ("crop-to(1:1,top)", false), ("resize(20x) flip", false),
        ("crop(1,2,3,4) resize(20x)", true), ("sepia", false),
    ])
    func fusedProcessorsReportWhetherTheyUsePixelCoordinates(list: String, usesPixelCoordinates: Bool) throws {
        let processors = try ProcessorList.parse(list)
        #expect(ProcessingRun.runs(of: processors).contains { $0.processor.usesPixelCoordinates } == usesPixelCoordinates)
        #expect(Composition(processors).usesPixelCoordinates == usesPixelCoordinates)
    }

    @Test(arguments: [
        ("crop(10,5,80,60) resize(20x)", 1), ("resize(40x30,fill) flip rotate(90) crop(2,3,20,30)", 2),
        ("rotate(90) flip crop-to(1:1,top) resize(25x25,fill,mitchell) rotate(180)", 2), ("flip rotate(-90)", 1),
        ("resize(30x) blur(2) flip", 3), ("crop(0,0,50,50) trim crop-to(10x10,attention) flip", 4),
        ("rotate(90) rotate(10) rotate(90)", 3), ("crop-to(40x30,bottom) resize(30x) resize(20x)", 2),
        ("resize(50x,upscale=true,linear=true) rotate(90)", 2), ("sepia crop(1,1,5,5)", 2),
    ])
    func cropsAndTurnsRunAsOneWithTheResizeThatFollows(list: String, count: Int) throws {
        let processors = try ProcessorList.parse(list)
        let image = scene(120, 90)
        let runs = ProcessingRun.runs(of: processors)
        #expect(runs.count == count)
        #expect(runs.flatMap { Array($0.range) } == Array(processors.indices))
        let stepByStep = try processors.reduce(image) { try $1.process($0, context: context) }
        let fused = try runs.reduce(image) { try $1.processor.process($0, context: context) }
        #expect(distance(fused, stepByStep) <= 1)
        #expect(distance(try Composition(processors).process(image, context: context), stepByStep) <= 1)
    }

    @Test func aFusedRunThrowsTheErrorsOfItsSteps() throws {
        for list in ["resize(20x) crop(0,0,30,30)", "crop(0,0,500,5) flip", "flip resize(0x5)", "flip crop-to(0x3)"] {
            let processors = try ProcessorList.parse(list)
            let error = #expect(throws: ImageError.self) { try Composition(processors).process(scene(40, 30), context: context) }
            #expect(error?.code == .invalidRequest, "\(list)")
        }
        var small = context
        small.maximumPixels = 1000
        let error = #expect(throws: ImageError.self) {
            try Composition(ProcessorList.parse("resize(100x100,exact,upscale=true) crop(0,0,5,5)")).process(
                scene(9, 9), context: small)
        }
        #expect(error?.code == .tooLarge)
    }

    @Test func aFusedRunCanBeCancelled() throws {
        let token = CancellationToken()
        token.cancel()
        let processors = try ProcessorList.parse("crop(0,0,20,20) resize(10x) flip")
        #expect(throws: CancellationError.self) {
            try ProcessingRun.runs(of: processors)[0].processor.process(
                scene(40, 30), context: ProcessingContext(cancellation: token))
        }
    }
}

@Suite struct ReducedDecodeTests {
    private let source = PixelSize(width: 6000, height: 4000)

    private func reduced(_ list: String, of size: PixelSize? = nil) throws -> String {
        let runs = ProcessingRun.runs(of: try ProcessorList.parse(list))
        let first = runs.first?.processor as? any FusingProcessing
        guard let reduced = first?.reducedDecode(of: size ?? source) else { return "full" }
        return "\(reduced.targetSize) \(reduced.contentMode)"
    }

    @Test(arguments: [
        ("resize(320x)", "320x213 exact"), ("resize(320x320)", "320x213 exact"), ("resize(320x320,fill) blur(4)", "320x320 fill"),
        ("resize(300x300,exact)", "300x300 exact"), ("flip resize(320x320,fill)", "320x320 fill"),
        // A quarter turn before the resize exchanges the sides; one after it does not.
        ("rotate(90) resize(320x)", "480x320 exact"), ("resize(320x) rotate(90)", "320x213 exact"),
        ("rotate(90) resize(100x200,fill)", "200x100 fill"), ("resize(320x) crop-to(1:1,top)", "320x213 exact"),
        // A part that was cropped before keeps twice the pixels of the result.
        ("crop(0,0,3000,2000) resize(300x)", "1200x800 exact"), ("crop-to(1:1,right) resize(200x200)", "600x400 exact"),
        ("crop-to(1:1,right) flip rotate(90) resize(200x200,fill)", "600x400 exact"),
        // The result has more detail than a small decode.
        ("crop(0,0,300,200) resize(200x)", "full"), ("resize(9000x,upscale=true)", "full"), ("resize(6000x)", "full"),
        // Other filters and linear light need every pixel, and so do processors before the resize.
        ("resize(320x,filter=nearest)", "full"), ("resize(320x,linear=true)", "full"), ("blur(2) resize(320x)", "full"),
        ("sepia resize(320x)", "full"), ("crop-to(1:1,attention) resize(320x)", "full"), ("flip crop(0,0,10,10)", "full"),
        ("crop(0,0,9000,10) resize(320x)", "full"),
    ])
    func theDecodeIsAsSmallAsTheProcessorsAllow(list: String, expected: String) throws {
        #expect(try reduced(list) == expected)
    }

    @Test func aCompositionReducesAsItsFirstRunDoes() throws {
        let list = Composition(try ProcessorList.parse("resize(320x) flip blur(2)"))
        #expect(list.reducesDecode)
        let reduced = try #require(list.reducedDecode(of: source))
        #expect(reduced.targetSize == PixelSize(width: 320, height: 213))
        let small = SampleImage.make(320, 213) { x, y in (x % 256, y, 9, 255) }
        let result = try reduced.processor.process(small, context: ProcessingContext())
        #expect(result.size == small.size && result.pixel(0, 100)[0] < 70, "flipped and blurred")
        #expect(!Composition([.circle, .resize(width: 5)]).reducesDecode)
    }

    /// An image with the detail of a photograph and without aliasing.
    private func photograph() throws -> DecodedImage {
        let noise = SampleImage.make(150, 100) { x, y in
            let n = (x &* 374_761_393 &+ y &* 668_265_263) & 0xFFFF
            return (50 + n % 150, 60 + n / 7 % 120, 40 + n / 31 % 160, 255)
        }
        return try Resize(width: 1200, height: 800, mode: .exact, upscales: true).process(noise, context: ProcessingContext())
    }

    @Test(arguments: [
        "resize(100x)", "resize(90x90,fill) flip", "rotate(90) resize(64x64,fill)", "crop(300,120,700,500) resize(90x)",
        "crop-to(1:1,right) resize(70x70)", "crop(111,77,803,555) flip rotate(90) resize(60x60,fill) crop(3,3,50,50)",
        "rotate(-90) crop-to(500x700,bottom-left) resize(80x)",
    ])
    func aReducedDecodeHasTheResultOfTheFullOne(list: String) throws {
        let image = try photograph()
        let processor = try #require(ProcessingRun.runs(of: try ProcessorList.parse(list)).first?.processor)
        let full = try processor.process(image, context: ProcessingContext())
        let reduced = try #require((processor as? any FusingProcessing)?.reducedDecode(of: image.size))
        // Scales down as a decoder does for a target size.
        let geometry = ResizeGeometry(source: image.size, box: reduced.targetSize, mode: reduced.contentMode)
        let decoded = image.with(try Resampler.resize(image.bitmap, to: geometry))
        let result = try reduced.processor.process(decoded, context: ProcessingContext())
        #expect(result.size == full.size)
        var (sum, most, edge) = (0, 0, 0)
        for y in 0..<full.size.height {
            for x in 0..<full.size.width {
                let isEdge = min(x, y, full.size.width - 1 - x, full.size.height - 1 - y) < 2
                for (a, b) in zip(full.pixel(x, y), result.pixel(x, y)) {
                    sum += abs(a - b)
                    if isEdge { edge = max(edge, abs(a - b)) } else { most = max(most, abs(a - b)) }
                }
            }
        }
        #expect(Double(sum) / Double(full.size.width * full.size.height * 3) <= 0.5)
        #expect(most <= 2)
        // The outermost pixels of a part depend a little on pixels outside of it.
        #expect(edge <= 12)
    }
}
