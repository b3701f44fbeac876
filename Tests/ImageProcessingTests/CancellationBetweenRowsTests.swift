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
        let uncancelled = CheckCount()
        _ = try processor.process(image, context: ProcessingContext(cancellation: uncancelled.token))
        // On average a processor checks at least once for each 64 rows.
        #expect(uncancelled.made >= Self.side / 64)
        for part in [1, 4, 2] {
            let count = CheckCount(cancelledAt: uncancelled.made / part)
            #expect(throws: CancellationError.self) {
                try processor.process(image, context: ProcessingContext(cancellation: count.token))
            }
            #expect(count.made == uncancelled.made / part)
        }
    }
}

/// Counts the checks of a token, and cancels it at one of them.
private struct CheckCount {
    let token: CancellationToken
    private let checks: Checks

    private final class Checks: Sendable {
        let made = Lock(0)
    }

    init(cancelledAt limit: Int = .max) {
        let checks = Checks()
        self.checks = checks
        token = CancellationToken {
            checks.made.withLock { made in
                made += 1
                return made >= limit
            }
        }
    }

    var made: Int { checks.made.withLock { $0 } }
}
