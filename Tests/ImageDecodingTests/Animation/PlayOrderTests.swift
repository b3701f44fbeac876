import CalotypeTesting
import ImageCore
import TestBitmaps
import Testing

import ImageDecoding

/// Animations whose frames depend on each other, played in another order than forward.
@Suite struct PlayOrderTests {
    /// Frames of one pixel each on a canvas of 9 × 9 pixels, with every kind of disposal.
    private final class Source: AnimationSource {
        let format = ImageFormat.gif
        let canvas = PixelSize(width: 9, height: 9)
        let orientation = Orientation.up
        let loopCount = 1
        let frames: [AnimationFrame]
        /// The number of decoded frames.
        var decoded = 0

        init(_ count: Int) {
            frames = (0..<count).map { index in
                AnimationFrame(
                    x: index * 5 % 9, y: index * 7 % 8, size: PixelSize(width: 1, height: 1), duration: .milliseconds(100),
                    disposal: [.keep, .clear, .restore, .keep][index % 4], blends: index % 3 > 0, hasAlpha: true)
            }
        }

        func decodePixels(of frame: Int, options: DecodeOptions) throws -> (bitmap: Bitmap, failure: ImageError?) {
            decoded += 1
            let pixel = [UInt8(frame % 251), UInt8(frame / 3 % 256), 9, UInt8(120 + frame % 100)]
            return (try bitmap(1, 1, alpha: .straight) { _, _ in pixel }, nil)
        }
    }

    private func play(_ order: some Sequence<Int>, _ source: Source, _ options: DecodeOptions = .with { _ in }) throws
        -> [Int: [[Int]]]
    {
        let frames = try ComposedAnimation(source, options: options)
        source.decoded = 0
        return try Dictionary(uniqueKeysWithValues: order.map { ($0, try frames.frame(at: $0).bitmap.all) })
    }

    @Test
    func playingForwardsDecodesEachFrameOnce() throws {
        let source = Source(600)
        #expect(Set(try play(0..<600, source).values).count > 590)
        #expect(source.decoded == 600)
    }

    @Test
    func framesAreTheSameInAnyOrder() throws {
        let source = Source(90)
        let forward = try play(0..<90, source)
        var random = SeededGenerator(seed: 11)
        for _ in 0..<4 { #expect(try play((0..<90).shuffled(using: &random), source) == forward) }
        #expect(try play((0..<90).reversed(), source) == forward)
    }
}
