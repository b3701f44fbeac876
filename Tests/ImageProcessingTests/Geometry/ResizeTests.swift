import ImageCore
import ImageKernels
import ImageProcessing
import Testing

@Suite struct ResizeTests {
    private func sample(_ width: Int, _ height: Int) throws -> DecodedImage {
        let size = PixelSize(width: width, height: height)
        return DecodedImage(
            try unsafe Bitmap(size: size, format: .rgba8, alpha: .opaque) { pixels, _ in
                unsafe pixels.initializeMemory(as: UInt8.self, repeating: 255)
            })
    }

    private func size(_ processor: Resize, _ width: Int, _ height: Int) throws -> String {
        try processor.process(sample(width, height), context: ProcessingContext()).size.description
    }

    @Test func aWidthKeepsTheAspectRatio() throws {
        #expect(try size(.resize(width: 320), 640, 400) == "320x200")
        #expect(try size(.resize(height: 100), 640, 400) == "160x100")
        #expect(try size(.resize(width: 320), 100, 50) == "100x50")
    }

    @Test func eachModeFillsTheBoxByItsRule() throws {
        let box = PixelSize(width: 100, height: 100)
        #expect(try size(.resize(to: box), 400, 200) == "100x50")
        #expect(try size(.resize(to: box, mode: .fill), 400, 200) == "100x100")
        #expect(try size(.resize(to: box, mode: .exact), 400, 200) == "100x100")
        #expect(try size(.resize(to: box, mode: .exact), 50, 200) == "50x100")
        #expect(try size(.resize(to: box, mode: .fit, upscales: true), 50, 20) == "100x40")
    }

    @Test func theIdentifierNamesEveryParameter() {
        let box = PixelSize(width: 320, height: 200)
        #expect(Resize.resize(width: 320).identifier == "calotype.resize(320x,fit,lanczos3)")
        #expect(Resize.resize(height: 200).identifier == "calotype.resize(x200,fit,lanczos3)")
        #expect(
            Resize.resize(to: box, mode: .fill, filter: .catmullRom, upscales: true).identifier
                == "calotype.resize(320x200,fill,catmull-rom,upscale)")
    }

    @Test func staticFactoriesFormAList() {
        let list: [any Processing] = [.resize(width: 320), .crop(x: 0, y: 0, width: 10, height: 10)]
        #expect(list.map(\.identifier) == ["calotype.resize(320x,fit,lanczos3)", "calotype.crop(0,0,10,10)"])
    }

    @Test(arguments: [
        Resize(width: 0, height: 5), Resize(width: -1, height: nil), Resize(width: nil, height: nil),
        Resize(width: Int.max, height: 5), Resize(width: 5, height: 1_000_001),
    ])
    func invalidSizesThrow(processor: Resize) throws {
        let error = #expect(throws: ImageError.self) { try size(processor, 4, 4) }
        #expect(error?.code == .invalidRequest)
    }

    @Test func anEnlargementBeyondTheLimitThrowsBeforeItIsMade() throws {
        for processor in [
            Resize.resize(to: PixelSize(width: 1_000_000, height: 1_000_000), mode: .exact, upscales: true),
            Resize(width: 1_000_000, height: nil, upscales: true),
        ] {
            let error = #expect(throws: ImageError.self) { try size(processor, 1, 9) }
            #expect(error?.code == .tooLarge)
        }
    }
}

@Suite struct CropTests {
    @Test func aRectangleOutsideOfTheImageThrows() throws {
        let bitmap = try unsafe Bitmap(size: PixelSize(width: 8, height: 8), format: .gray8, alpha: .opaque) { _, _ in }
        let crop = Crop.crop(x: 4, y: 4, width: 5, height: 4)
        let error = #expect(throws: ImageError.self) { try crop.process(DecodedImage(bitmap), context: ProcessingContext()) }
        #expect(error?.code == .invalidRequest)
        let part = try Crop.crop(x: 4, y: 4, width: 4, height: 2).process(DecodedImage(bitmap), context: ProcessingContext())
        #expect(part.size == PixelSize(width: 4, height: 2))
    }
}
