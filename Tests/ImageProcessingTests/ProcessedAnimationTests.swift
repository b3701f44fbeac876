import ImageCore
import ImageKernels
import ImageProcessing
import Testing

/// An animation of frames of one colour, which counts requests.
private final class Flicker: ImageAnimation {
    let durations = [100, 200, 300].map { Duration.milliseconds($0) }
    let loopCount = 2
    private(set) var asked: [Int] = []

    func frame(at index: Int) throws -> DecodedImage {
        asked.append(index)
        guard durations.indices.contains(index) else { throw ImageError(.invalidRequest, message: "There is no such frame.") }
        return SampleImage.make(8, 6) { x, _ in (index * 50 + x, 0, 0, 255) }
    }
}

/// Counts its runs.
private final class Counter: Processing {
    private let count = Lock(0)
    let identifier = "counter"
    var runs: Int { count.withLock { $0 } }

    func process(_ image: DecodedImage, context: ProcessingContext) throws -> DecodedImage {
        count.withLock { $0 += 1 }
        return image
    }
}

@Suite struct ProcessedAnimationTests {
    @Test func onlyARequestedFrameIsProcessed() throws {
        let (flicker, counter) = (Flicker(), Counter())
        let animation = ProcessedAnimation(
            flicker, processors: [counter, .flip(.horizontal), .crop(x: 0, y: 0, width: 3, height: 3)])
        #expect(animation.durations == flicker.durations && animation.loopCount == 2)
        #expect(flicker.asked.isEmpty && counter.runs == 0)
        let second = try animation.frame(at: 1)
        #expect(second.size == PixelSize(width: 3, height: 3) && second.pixel(0, 0)[0] == 57)
        #expect(flicker.asked == [1] && counter.runs == 1)
        #expect(try animation.frame(at: 0).pixel(0, 0)[0] == 7)
        #expect(flicker.asked == [1, 0] && counter.runs == 2)
    }

    @Test func theLastFrameIsNotProcessedAgain() throws {
        let (flicker, counter) = (Flicker(), Counter())
        let animation = ProcessedAnimation(flicker, processors: [counter])
        for _ in 0..<5 { _ = try animation.frame(at: 2) }
        #expect(flicker.asked == [2] && counter.runs == 1)
    }

    @Test func aFrameThatFailsDoesNotAffectTheOthers() throws {
        let animation = ProcessedAnimation(Flicker(), processors: [.crop(to: PixelSize(width: 4, height: 4))])
        #expect(throws: ImageError.self) { try animation.frame(at: 9) }
        #expect(try animation.frame(at: 1).size == PixelSize(width: 4, height: 4))
        let token = CancellationToken()
        token.cancel()
        let cancelled = ProcessedAnimation(
            Flicker(), processors: [.circle], context: ProcessingContext(cancellation: token))
        #expect(throws: CancellationError.self) { try cancelled.frame(at: 0) }
    }
}
