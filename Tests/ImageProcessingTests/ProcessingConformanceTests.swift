import CalotypeTesting
import ImageCore
import ImageProcessing
import ProcessorParsing
import Testing

@Suite struct ProcessingConformanceTests {
    @Test(
        arguments: [
            "resize(9x7)", "resize(40x40,fill,upscale=true)", "crop-to(1:1,attention)", "trim", "pad(130x90,white)", "rotate(90)",
            "rotate(33)", "flip", "grayscale", "sepia", "tint(#40c0ff)", "brightness(0.1)", "contrast(1.5)", "saturation(2)",
            "gamma(2.2)", "invert", "background(white)", "round(4)", "circle", "border(1)", "blur(2)", "sharpen", "pixelate(4)",
        ])
    func theBuiltInProcessorsPass(list: String) throws {
        try checkProcessingConformance { Composition(try ProcessorList.parse(list)) }
        for processor in try ProcessorList.parse(list) { try checkProcessingConformance { processor } }
    }

    @Test func aProcessorWhoseIdentifierChangesFails() throws {
        let names = Lock(0)
        let error = try #require(throws: ConformanceFailure.self) {
            try checkProcessingConformance { .closure(id: "\(names.withLock { $0 += 1; return $0 })") { image, _ in image } }
        }
        #expect(error.message.contains("two identifiers"))
    }

    @Test func aProcessorThatDependsOnMoreThanTheImageFails() throws {
        let calls = Lock(0)
        let error = try #require(throws: ConformanceFailure.self) {
            try checkProcessingConformance {
                .closure(id: "moody") { image, _ in
                    try calls.withLock {
                        $0 += 1; return $0
                    } % 2 == 0 ? image : TestImages.solid(red: 9)
                }
            }
        }
        #expect(error.message.contains("two results"))
    }

    @Test func aProcessorThatReturnsColourAboveAlphaFails() throws {
        let error = try #require(throws: ConformanceFailure.self) {
            try checkProcessingConformance {
                .closure(id: "half") { _, _ in
                    let straight = try TestImages.solid(red: 200, alpha: 255).bitmap
                    return DecodedImage(
                        try unsafe Bitmap(size: straight.size, format: .rgba8, alpha: .premultiplied) { pixels, _ in
                            for i in pixels.indices { unsafe pixels[i] = i % 4 == 3 ? 100 : 200 }
                        })
                }
            }
        }
        #expect(error.message.contains("above its alpha"))
    }

    @Test func aProcessorThatReportsACancellationAsAnErrorFails() throws {
        let error = try #require(throws: ConformanceFailure.self) {
            try checkProcessingConformance {
                .closure(id: "sulky") { image, context in
                    if context.cancellation?.isCancelled == true { throw ImageError(.corrupt, message: "Stopped.") }
                    return image
                }
            }
        }
        #expect(error.message.contains("instead of a CancellationError"))
    }

    @Test func aProcessorWhoseFusedResultDiffersFails() throws {
        struct Wrong: FusingProcessing {
            var identifier: String { "wrong" }
            func process(_ image: DecodedImage, context: ProcessingContext) throws -> DecodedImage {
                try Flip(.vertical).process(image, context: context)
            }
            func fused(with next: any Processing) -> (any Processing)? { self }
        }
        let error = try #require(throws: ConformanceFailure.self) { try checkProcessingConformance { Wrong() } }
        #expect(error.message.contains("one after the other"))
    }
}
