import Dispatch
import CalotypeSystem
import ImageCore
import ImageDecoding
import TestBitmaps
import Testing

@testable import ImageCodecs

/// Decodes that cannot be interrupted are abandoned when they are cancelled.
@Suite(.serialized) struct UncancellableDecodeTests {
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

    private func waitForAbandonedDecodes() { while UncancellableDecode.abandonedBytes > 0 { sched_yield() } }

    @Test(.timeLimit(.minutes(2)), arguments: [ImageFormat.avif, .webp])
    func aCancelledDecodeIsAbandonedAndCountedUntilItEnds(format: ImageFormat) throws {
        let file = file(format)
        var held = 0
        // The scheduler decides whether the cancellation arrives during the decode, so the test tries increasing delays.
        for attempt in 0..<500 where held == 0 {
            waitForAbandonedDecodes()
            let (token, moment) = (CancellationToken(), ContinuousClock.now + .microseconds(100 * attempt))
            DispatchQueue.global().async {
                while ContinuousClock.now < moment { sched_yield() }
                token.cancel()
            }
            _ = try? DecoderRegistry(.codecs).decode(file, options: .with { $0.cancellation = token })
            held = UncancellableDecode.abandonedBytes
        }
        // The remainder is the pixels and the file.
        #expect(held >= 3 << 20)
        waitForAbandonedDecodes()
    }

    /// A decode that ends when the test allows it.
    private struct Held: Sendable {
        let began = DispatchSemaphore(value: 0)
        let mayEnd = DispatchSemaphore(value: 0)
        let token = CancellationToken()

        /// Cancels after the decode has begun.
        func cancelOnceBegun(then: @escaping @Sendable () -> Void = {}) {
            DispatchQueue.global().async {
                began.wait()
                token.cancel()
                then()
            }
        }

        func run(limit: Int, _ image: DecodedImage) throws -> DecodedImage {
            let options = DecodeOptions.with { ($0.cancellation, $0.limits.decodedBytes) = (token, limit) }
            return try UncancellableDecode.run(Data([1, 2, 3]), holding: 1 << 20, options: options) { _ in
                began.signal()
                mayEnd.wait()
                return image
            }
        }
    }

    @Test(.timeLimit(.minutes(1)))
    func theCallerReturnsWhileTheCodecContinues() throws {
        waitForAbandonedDecodes()
        let (held, image) = (Held(), try #require(Self.noise))
        held.cancelOnceBegun()
        #expect(throws: CancellationError.self) { try held.run(limit: 1 << 30, image) }
        // The codec is still waiting.
        #expect(UncancellableDecode.abandonedBytes == 1 << 20 + 3)
        let memory = try #require(held.token.takeResidualMemory())
        #expect(memory.bytes == 1 << 20 + 3)
        let isOver = DispatchSemaphore(value: 0)
        memory.onEnd { isOver.signal() }
        held.mayEnd.signal()
        isOver.wait()
        #expect(UncancellableDecode.abandonedBytes == 0)
    }

    @Test(.timeLimit(.minutes(1)))
    func aDecodeThatWouldExceedTheMemoryLimitIsNotAbandoned() throws {
        waitForAbandonedDecodes()
        let (first, second, image) = (Held(), Held(), try #require(Self.noise))
        first.cancelOnceBegun()
        // The limit allows one decode.
        let limit = 1 << 20 + 3
        #expect(throws: CancellationError.self) { try first.run(limit: limit, image) }
        second.cancelOnceBegun { second.mayEnd.signal() }
        #expect(try second.run(limit: limit, image).size == image.size)
        #expect(UncancellableDecode.abandonedBytes == limit)
        first.mayEnd.signal()
        waitForAbandonedDecodes()
    }

    @Test(.timeLimit(.minutes(1)))
    func atMostTwoDecodesAreAbandoned() throws {
        waitForAbandonedDecodes()
        let (held, image) = ((0..<3).map { _ in Held() }, try #require(Self.noise))
        for first in held.prefix(2) {
            first.cancelOnceBegun()
            #expect(throws: CancellationError.self) { try first.run(limit: 1 << 30, image) }
        }
        held[2].cancelOnceBegun { held[2].mayEnd.signal() }
        #expect(try held[2].run(limit: 1 << 30, image).size == image.size)
        for first in held.prefix(2) { first.mayEnd.signal() }
        waitForAbandonedDecodes()
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
