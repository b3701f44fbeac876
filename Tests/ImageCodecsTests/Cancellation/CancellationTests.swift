#if os(Linux)
    import Dispatch
    import CalotypeSystem
    import ImageCore
    import ImageDecoding
    import TestBitmaps
    import ImageCodecs
    import Testing

    /// The processor time of a decode after its cancellation. Only the time of the decoding thread counts, so that
    /// other processes do not matter.
    @Suite(.serialized) struct CancellationTests {
        enum Kind: String, CaseIterable {
            case jpeg, progressiveJPEG, png, webp

            /// Encodes eight megapixels of bands and noise.
            fileprivate func file() throws -> Data {
                var state: UInt32 = 7
                let size = PixelSize(width: 3264, height: 2448)
                let source = try unsafe Bitmap(size: size, format: .rgba8, alpha: .opaque) { pixels, _ in
                    unsafe pixels.withMemoryRebound(to: UInt32.self) { pixels in
                        for i in pixels.indices {
                            state = state &* 1_664_525 &+ 1_013_904_223
                            unsafe pixels[i] = (state >> 4 & 0x0F0F_0F0F) &+ UInt32(i >> 14 & 127) &* 0x0101_0101 | 0xFF00_0000
                        }
                    }
                }
                var options = EncodeOptions()
                options.effort = 1
                options.isProgressive = self == .progressiveJPEG
                let format: ImageFormat =
                    switch self {
                    case .jpeg, .progressiveJPEG: .jpeg
                    case .png: .png
                    case .webp: .webp
                    }
                return try EncoderRegistry(.codecs).encode(DecodedImage(source), as: format, options: options)
            }
        }

        /// Returns the processor time of a thread in milliseconds.
        private static func time(of clock: clockid_t) -> Double {
            var time = timespec()
            unsafe clock_gettime(clock, &time)
            return Double(time.tv_sec) * 1e3 + Double(time.tv_nsec) / 1e6
        }

        private static var ownClock: clockid_t {
            var clock = clockid_t()
            unsafe pthread_getcpuclockid(pthread_self(), &clock)
            return clock
        }

        /// Returns the time from the cancellation, after `moment` milliseconds, to the end of the decode, or `nil` if
        /// the decode ended before it or the cancelling thread was delayed.
        private func rest(_ file: Data, cancelledAt moment: Double) throws -> Double? {
            let (clock, token) = (Self.ownClock, CancellationToken())
            let state = Lock((hasEnded: false, cancelled: Double?.none))
            let isOver = DispatchSemaphore(value: 0)
            let begin = Self.time(of: clock)
            DispatchQueue.global().async {
                while !state.withLock({ $0.hasEnded }), Self.time(of: clock) - begin < moment { sched_yield() }
                let before = Self.time(of: clock)
                token.cancel()
                let after = Self.time(of: clock)
                state.withLock { $0.cancelled = after - before < 0.2 ? before : nil }
                isOver.signal()
            }
            let isCancelled: Bool
            do {
                _ = try DecoderRegistry(.codecs).decode(file, options: .with { $0.cancellation = token })
                isCancelled = false
            } catch is CancellationError {
                isCancelled = true
            }
            let end = Self.time(of: clock)
            state.withLock { $0.hasEnded = true }
            isOver.wait()
            return isCancelled ? state.withLock { $0.cancelled }.map { end - $0 } : nil
        }

        /// A sanitizer makes freeing memory many times slower.
        private static let isSlowed = isSanitized(by: "asan") || isSanitized(by: "tsan")

        @Test(
            .disabled(if: isSlowed, "times mean nothing under a sanitizer"), .timeLimit(.minutes(2)),
            arguments: Kind.allCases)
        func aCancelledDecodeStopsSoon(kind: Kind) throws {
            let file = try kind.file()
            let begin = Self.time(of: Self.ownClock)
            _ = try DecoderRegistry(.codecs).decode(file, options: DecodeOptions())
            let whole = Self.time(of: Self.ownClock) - begin
            var rests: [Double] = []
            for attempt in 0..<100 where rests.count < 12 {
                if let rest = try rest(file, cancelledAt: whole * Double(attempt % 12 + 1) / 13) { rests.append(rest) }
            }
            #expect(rests.count >= 4)
            print("cancelled, \(kind.rawValue): \(whole) ms in all, after the cancel \(rests.sorted())")
            // One measurement may be wrong, because the host of a virtual machine took the processor away.
            #expect(try #require(rests.sorted().dropLast().last) < 10)
        }
    }
#endif
