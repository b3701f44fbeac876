import ImageCore
import TestBitmaps
import Testing

import ImageDecoding

/// Frames that are drawn over a damaged frame are partial too.
@Suite struct DamagedFrameTests {
    /// Frames on a canvas of 2 × 2 pixels, some of which are damaged.
    private final class Source: AnimationSource {
        let format = ImageFormat.gif
        let canvas = PixelSize(width: 2, height: 2)
        let orientation = Orientation.up
        let loopCount = 1
        let frames: [AnimationFrame]
        private let damaged: Set<Int>

        init(_ frames: [(side: Int, disposal: AnimationFrame.Disposal)], damaged: Set<Int>) {
            self.frames = frames.map { side, disposal in
                AnimationFrame(
                    x: 0, y: 0, size: PixelSize(width: side, height: side), duration: .milliseconds(100), disposal: disposal,
                    blends: true,
                    hasAlpha: false)
            }
            self.damaged = damaged
        }

        func decodePixels(of frame: Int, options: DecodeOptions) throws -> (bitmap: Bitmap, failure: ImageError?) {
            let side = frames[frame].size.width
            let failure = damaged.contains(frame) ? ImageError(.corrupt, message: "The frame is damaged.") : nil
            return (try bitmap(side, side) { _, _ in [UInt8(frame), 0, 0, 255] }, failure)
        }
    }

    @Test(arguments: [Array(0..<7), Array((0..<7).reversed()), [5, 2, 6, 0, 4, 1, 3]])
    func aFrameIsPartialIfADamagedFrameIsVisibleInIt(order: [Int]) throws {
        // The second frame is drawn over the first, which is damaged; the third hides both. The fourth is damaged and
        // restored, the sixth is damaged and cleared.
        let source = Source(
            [(2, .keep), (1, .keep), (2, .keep), (1, .restore), (1, .keep), (2, .clear), (1, .keep)], damaged: [0, 3, 5])
        let wanted = [true, true, false, true, false, true, false]
        let options = DecodeOptions.with { $0.allowsPartial = true }
        let frames = try ComposedAnimation(source, options: options)
        let strict = try ComposedAnimation(source, options: DecodeOptions())
        for index in order {
            #expect(try frames.frame(at: index).isPartial == wanted[index], "frame \(index)")
            guard wanted[index] else { continue }
            let error = #expect(throws: ImageError.self) { try strict.frame(at: index) }
            #expect(error?.code == .corrupt)
        }
    }
}
