import CalotypeTesting
import ImageCore
import ImageLoading
import Testing

/// A format with animations: the first byte is the number of frames, and each frame is a solid image whose red value is
/// ten times its number.
private final class AnimationDecoder: AnimationDecoding {
    static let format = ImageFormat(rawValue: "flip-book")
    let log = EventLog<String>()

    var formats: [ImageFormat] { [Self.format] }
    func format(of prefix: Data) -> ImageFormat? { Self.format }

    func info(of data: Data, limits: DecodingLimits) throws -> ImageInfo {
        ImageInfo(format: Self.format, size: PixelSize(width: 8, height: 8), frameCount: Int(data.first ?? 1))
    }

    func decode(_ data: Data, options: DecodeOptions) throws -> DecodedImage {
        log.append("still \(options.frame)")
        return try Self.image(options.frame)
    }

    func animation(of data: Data, options: DecodeOptions) throws -> any ImageAnimation {
        FlipBook(count: Int(data.first ?? 1), log: log, options.cancellation)
    }

    fileprivate static func image(_ frame: Int) throws -> DecodedImage {
        try TestImages.solid(width: 8, height: 8, red: UInt8(frame * 10))
    }
}

private final class FlipBook: ImageAnimation {
    let durations: [Duration]
    let loopCount = 0
    private let log: EventLog<String>
    private let token: CancellationToken?

    init(count: Int, log: EventLog<String>, _ token: CancellationToken?) {
        durations = [.zero, .milliseconds(10), .milliseconds(20), .seconds(7_200), .seconds(200_000)].prefix(count).map(\.self)
        (self.log, self.token) = (log, token)
    }

    func frame(at index: Int) throws -> DecodedImage {
        try token?.check()
        guard durations.indices.contains(index) else { throw ImageError(.invalidRequest, message: "There is no such frame.") }
        log.append("frame \(index)")
        return try AnimationDecoder.image(index)
    }
}

private struct AddOne: Processing {
    var identifier: String { "test.add-one" }
    func process(_ image: DecodedImage, context: ProcessingContext) throws -> DecodedImage {
        // A new value, as a processor that knows nothing of animations makes it.
        let (red, size) = (TestImages.pixel(of: image, x: 0, y: 0)[0], image.size)
        return try TestImages.solid(width: size.width, height: size.height, red: red + 1)
    }
}

/// Animation is part of a load (FEATURES 9.3, 9.5).
@Suite(.timeLimit(.minutes(1))) struct AnimationLoads {
    private let decoder = AnimationDecoder()
    private let clock = ManualClock()
    private let memory = LoggedMemoryCache()
    private let disk = LoggedDataCache()

    private func loader(_ frames: UInt8 = 3, _ adjust: (inout ImageLoader.Configuration) -> Void = { _ in }) -> ImageLoader {
        var configuration = ImageLoader.Configuration(
            dataLoader: ScriptedLoader { _ in .body(Data([frames])) }, decoder: decoder, memoryCache: memory, dataCache: disk)
        configuration.clock = clock
        adjust(&configuration)
        return ImageLoader(configuration)
    }

    private func request(_ change: (inout ImageRequest) -> Void = { _ in }) -> ImageRequest {
        var request = ImageRequest(url: url("a"))
        change(&request)
        return request
    }

    @Test func aFrameIsShownForADayAtMost() async throws {
        let animation = try #require(try await loader(5).image(for: request()).animation)
        #expect(animation.durations.suffix(2) == [.seconds(7_200), .seconds(86_400)])
    }

    @Test func theImageOfAnAnimatedFileHasItsFrames() async throws {
        let loader = loader()
        let image = try await loader.image(for: request())
        let animation = try #require(image.animation)
        #expect(animation.frameCount == 3 && animation.loopCount == 0)
        // As in browsers, 10 ms and less are 100 ms.
        #expect(animation.durations == [.milliseconds(100), .milliseconds(100), .milliseconds(20)])
        #expect(try await red(animation.frame(at: 2)) == 20)
        #expect(try await red(animation.frame(at: 1)) == 10)
        // A memory hit has the same animation.
        #expect(loader.cachedImage(for: request())?.animation === animation)
        await #expect(throws: ImageError.self) { try await animation.frame(at: 3) }
    }

    @Test func aFileOfOneFrameIsStill() async throws {
        #expect(try await loader(1).image(for: request()).animation == nil)
    }

    @Test func framesPassTheProcessorsOfTheLoad() async throws {
        let image = try await loader().image(for: request { $0.options.processors = [AddOne(), AddOne()] })
        #expect(red(image) == 2)
        let animation = try #require(image.animation)
        #expect(try await red(animation.frame(at: 2)) == 22)
    }

    /// The decoder returns frames of 8 pixels, whatever size is wanted.
    @Test func framesHaveTheTargetSize() async throws {
        let image = try await loader().image(for: request { $0.options.targetSize = PixelSize(width: 4, height: 4) })
        let frame = try await #require(image.animation).frame(at: 1)
        #expect(image.size == frame.size && frame.size == PixelSize(width: 4, height: 4))
    }

    @Test func anOptionMakesTheImageStill() async throws {
        let loader = loader()
        let still = try await loader.image(for: request { $0.options.animates = false })
        #expect(still.animation == nil)
        // The two are different images in the memory cache.
        #expect(try await loader.image(for: request()).animation != nil)
    }

    @Test func aChosenFrameIsStill() async throws {
        let image = try await loader().image(for: request { $0.options.frame = 2 })
        #expect(red(image) == 20 && image.animation == nil)
    }

    @Test func theFirstFrameIsNotStoredOnDiskAsIfItWereAll() async throws {
        let encoder = AnyEncoder()
        let loader = loader { $0.encoder = encoder }
        let resized = request {
            $0.options.diskStorage = .all; $0.options.processors = [AddOne()]
        }
        _ = try await loader.image(for: resized)
        try await loader.flush()
        #expect(encoder.count.events.isEmpty)
        _ = try await loader.image(
            for: request {
                $0.options = resized.options; $0.options.animates = false
            })
        try await loader.flush()
        #expect(encoder.count.events == [1])
    }

    private final class AnyEncoder: Encoding {
        let count = EventLog<Int>()
        var formats: [ImageFormat] { [.png] }
        func encode(_ image: DecodedImage, as format: ImageFormat, options: EncodeOptions) throws -> Data {
            count.append(1)
            return Data([1])
        }
    }

    /// The image is in the memory cache of the loader, so that it must not retain the loader.
    @Test(.timeLimit(.minutes(1))) func anAnimationDoesNotRetainItsLoader() async throws {
        let ends = EventLog<Bool>()
        do {
            let end = DeinitReport(ends)
            let layer = ScriptedLoader { _ in
                withExtendedLifetime(end) {}
                return .body(Data([3]))
            }
            let loader = ImageLoader(
                .init(dataLoader: layer, decoder: decoder, memoryCache: LoggedMemoryCache(), dataCache: nil))
            #expect(try await loader.image(for: request { $0.options.processors = [AddOne()] }).animation != nil)
        }
        // The loader releases its components after the load, on another thread.
        await ends.wait(forCount: 1)
    }

    /// Reports its end.
    private final class DeinitReport: Sendable {
        private let ends: EventLog<Bool>
        init(_ ends: EventLog<Bool>) { self.ends = ends }
        deinit { ends.append(true) }
    }

    // MARK: Playing

    /// Plays two loops, and returns which frames were decoded.
    private func decodesOfTwoLoops(_ loader: ImageLoader) async throws -> [String] {
        let animation = try #require(try await loader.image(for: request()).animation)
        decoder.log.removeAll()
        let shown = EventLog<UInt8>()
        let player = animation.play { shown.append(red($0)) }
        for count in 1...6 {
            await clock.waitForSleeps(count)
            clock.advance(by: animation.durations[(count - 1) % 3])
            await shown.wait(forCount: count)
        }
        #expect(shown.events == [10, 20, 0, 10, 20, 0])
        await clock.waitForSleeps(7)
        player.stop()
        return decoder.log.events
    }

    @Test func framesThatFitIntoTheBudgetAreDecodedOnce() async throws {
        #expect(try await decodesOfTwoLoops(loader()) == ["frame 1", "frame 2", "frame 0"])
    }

    @Test func framesBeyondTheBudgetAreDecodedInEveryLoop() async throws {
        // Three frames of 512 bytes, in rows of 64.
        let decodes = try await decodesOfTwoLoops(loader { $0.limits.animationBytes = 1_535 })
        #expect(decodes == ["frame 1", "frame 2", "frame 0", "frame 1", "frame 2", "frame 0", "frame 1"])
    }

    @Test func animationsShareTheBudgetAndGiveItBack() async throws {
        let loader = loader { $0.limits.animationBytes = 2_000 }
        let first = try #require(try await loader.image(for: ImageRequest(url: url("b"))).animation)
        let held = first.play { _ in }
        await clock.waitForSleeps(1)
        // The budget has room for the frames of one animation.
        let other = try #require(try await loader.image(for: request()).animation)
        #expect(try await decodesOfALoop(other) == 4)
        held.stop()
        // The playback ends a moment later.
        var decodes = 4
        for _ in 0..<1_000 where decodes > 3 { decodes = try await decodesOfALoop(other) }
        #expect(decodes == 3)
    }

    /// Plays until the second frame comes again, and returns how often frames were decoded.
    private func decodesOfALoop(_ animation: AnimatedImage) async throws -> Int {
        decoder.log.removeAll()
        let shown = EventLog<UInt8>()
        let player = animation.play { shown.append(red($0)) }
        while shown.count < 4 {
            clock.advance(by: .milliseconds(100))
            await Task.yield()
        }
        player.stop()
        // The frame after the last one shown may have been made too.
        return min(4, decoder.log.count)
    }
}
