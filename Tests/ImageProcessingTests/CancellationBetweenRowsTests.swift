import Dispatch
import ImageCore
import ImageProcessing
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A processor that is at work ends long before its work would once its token is cancelled.
@Suite(.serialized) struct CancellationBetweenRowsTests {
    /// Processor time of this process, in seconds.
    private static func processorTime() -> Double {
        var time = timespec()
        unsafe clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    private static let picture = Result {
        DecodedImage(
            try unsafe Bitmap(size: PixelSize(width: 1200, height: 1200), format: .rgba8, alpha: .opaque) { pixels, _ in
                unsafe pixels.initializeMemory(as: UInt8.self, repeating: 255)
            })
    }

    @Test(arguments: [
        "resize(1100x1100,exact)", "blur(3)", "blur(40)", "sharpen", "rotate(10)", "gamma(2)",
        "crop(3,3,1190,1190) rotate(90) resize(1000x1000,exact)",
    ])
    func whatIsCancelledOnTheWayStops(list: String) throws {
        let processor = Composition(try ProcessorList.parse(list))
        let image = try Self.picture.get()
        let start = Self.processorTime()
        _ = try processor.process(image, context: ProcessingContext())
        let whole = Self.processorTime() - start
        // On a busy machine the work may be over before this thread has its turn again.
        for _ in 0..<8 {
            guard let time = cancelled(processor, image, after: whole / 4) else { continue }
            #expect(time < whole)
            return
        }
        Issue.record("It was never stopped; the whole takes \(whole) s.")
    }

    /// Cancels a run once so much processor time was taken, and returns what it took; `nil` where it came to its end.
    private func cancelled(_ processor: Composition, _ image: DecodedImage, after limit: Double) -> Double? {
        let token = CancellationToken()
        let began = Lock(Double?.none)
        let time = Lock(Double?.none)
        let ended = DispatchSemaphore(value: 0)
        DispatchQueue.global().async {
            let start = Self.processorTime()
            began.withLock { $0 = start }
            do {
                _ = try processor.process(image, context: ProcessingContext(cancellation: token))
            } catch {
                let taken = Self.processorTime() - start
                if error is CancellationError { time.withLock { $0 = taken } }
            }
            ended.signal()
        }
        while began.withLock({ $0 }).map({ Self.processorTime() - $0 < limit }) ?? true {}
        token.cancel()
        ended.wait()
        return time.withLock { $0 }
    }
}
