import ImageCore
import ImageProcessing
import ProcessorParsing
import Testing

/// Processors check their token between blocks of rows, and stop at the next check after it was cancelled.
@Suite struct CancellationBetweenRowsTests {
    private static let side = 640

    private static let source = Result {
        DecodedImage(
            try unsafe Bitmap(size: PixelSize(width: side, height: side), format: .rgba8, alpha: .opaque) { pixels, _ in
                unsafe pixels.initializeMemory(as: UInt8.self, repeating: 255)
            })
    }

    @Test(arguments: [
        "resize(600x600,exact)", "blur(3)", "blur(40)", "sharpen", "rotate(10)", "gamma(2)",
        "crop(3,3,630,630) rotate(90) resize(500x500,exact)",
    ])
    func aProcessorStopsAtTheNextCheck(list: String) throws {
        let processor = Composition(try ProcessorList.parse(list))
        let image = try Self.source.get()
        let uncancelled = CancellationToken(cancelledAtCheck: .max)
        _ = try processor.process(image, context: ProcessingContext(cancellation: uncancelled))
        // On average a processor checks at least once for each 64 rows.
        #expect(uncancelled.checkCount >= Self.side / 64)
        for part in [1, 4, 2] {
            let token = CancellationToken(cancelledAtCheck: uncancelled.checkCount / part)
            #expect(throws: CancellationError.self) {
                try processor.process(image, context: ProcessingContext(cancellation: token))
            }
            #expect(token.checkCount == uncancelled.checkCount / part)
        }
    }
}
