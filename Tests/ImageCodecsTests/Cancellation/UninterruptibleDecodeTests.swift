import CalotypeSystem
import Dispatch
import ImageCore
import ImageDecoding
import ImageCodecs
import TestBitmaps
import Testing

/// Decodes that their codec cannot interrupt finish before they throw.
@Suite(.serialized) struct UninterruptibleDecodeTests {
    /// A megapixel of noise, whose decode is long enough to be cancelled.
    private static let noise: DecodedImage? = {
        var state: UInt32 = 1
        let bitmap = try? unsafe Bitmap(size: PixelSize(width: 1024, height: 1024), format: .rgba8, alpha: .opaque) { pixels, _ in
            unsafe pixels.withMemoryRebound(to: UInt32.self) { pixels in
                for i in pixels.indices {
                    state = state &* 1_664_525 &+ 1_013_904_223
                    unsafe pixels[i] = state | 0xFF00_0000
                }
            }
        }
        return bitmap.map { DecodedImage($0) }
    }()

    // Arrays, because the leak checker cannot follow the pointer in `Data`.
    private static let avif = file(.avif)
    private static let webp = file(.webp)

    private static func file(_ format: ImageFormat) -> [UInt8] {
        var options = EncodeOptions()
        (options.effort, options.isLossless) = (0, true)
        return noise.flatMap { try? Array(EncoderRegistry(.codecs).encode($0, as: format, options: options)) } ?? []
    }

    private func file(_ format: ImageFormat) -> Data { Data(format == .avif ? Self.avif : Self.webp) }

    @Test(.timeLimit(.minutes(2)), arguments: [ImageFormat.avif, .webp])
    func aDecodeThatIsCancelledDuringItsFrameThrows(format: ImageFormat) throws {
        let file = file(format)
        var wasCancelled = false
        // The scheduler decides whether the cancellation arrives during the decode, so the test tries increasing
        // delays.
        for attempt in 1..<500 where !wasCancelled {
            let (token, moment) = (CancellationToken(), ContinuousClock.now + .microseconds(100 * attempt))
            DispatchQueue.global().async {
                while ContinuousClock.now < moment { sched_yield() }
                token.cancel()
            }
            do {
                _ = try DecoderRegistry(.codecs).decode(file, options: .with { $0.cancellation = token })
            } catch is CancellationError {
                wasCancelled = ContinuousClock.now > moment
            }
        }
        #expect(wasCancelled)
    }

    @Test(arguments: [ImageFormat.avif, .webp])
    func aCancellableDecodeGivesTheSameImage(format: ImageFormat) throws {
        let file = file(format)
        let plain = try DecoderRegistry(.codecs).decode(file, options: DecodeOptions()).bitmap
        let options = DecodeOptions.with { $0.cancellation = CancellationToken() }
        #expect(try DecoderRegistry(.codecs).decode(file, options: options).bitmap.isSame(as: plain))
        options.cancellation?.cancel()
        #expect(throws: CancellationError.self) { try DecoderRegistry(.codecs).decode(file, options: options) }
    }
}
