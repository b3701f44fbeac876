import CalotypeTesting
import ImageCore
import ImageLoading
import Testing

/// Several sizes of one image that are wanted at once.
@Suite(.timeLimit(.minutes(1))) struct SharedSizes {
    private func request(_ side: Int, mode: ImageContentMode = .fit) -> ImageRequest {
        var request = ImageRequest(url: url("x"))
        request.options.targetSize = PixelSize(width: side, height: side)
        request.options.contentMode = mode
        return request
    }

    /// Starts loads while the network is held, lets it go, and returns the sides of what they got.
    private func sides(_ bench: SizeBench, _ requests: [ImageRequest]) async throws -> [Int] {
        let tasks = requests.map { bench.loader.task(for: $0) }
        while bench.gate.held == 0 { await Task.yield() }
        bench.gate.open()
        var sides: [Int] = []
        for task in tasks { sides.append(try await task.response.image.size.width) }
        return sides
    }

    @Test func twoSizesAtOnceMakeOneDecode() async throws {
        let bench = SizeBench()
        #expect(try await sides(bench, [request(2), request(8), request(4)]) == [2, 8, 4])
        #expect(bench.decoder.log.events == ["decode 8"])
        await bench.waitUntilIdle()
    }

    @Test func aPartialImageIsNotScaledToOtherSizes() async throws {
        let bench = SizeBench(isPartial: true)
        #expect(try await sides(bench, [request(2), request(8)]) == [2, 8])
        #expect(Set(bench.decoder.log.events) == ["decode 2", "decode 8"])
    }

    @Test func aSizeThatIsWantedAloneIsDecodedAsItIs() async throws {
        let bench = SizeBench()
        #expect(try await sides(bench, [request(2)]) == [2])
        #expect(try await bench.loader.image(for: request(8)).size.width == 8)
        #expect(bench.decoder.log.events == ["decode 2", "decode 8"])
    }

    @Test func sizesTooCloseToEachOtherAreDecodedEach() async throws {
        let bench = SizeBench()
        #expect(try await sides(bench, [request(5), request(8)]) == [5, 8])
        #expect(Set(bench.decoder.log.events) == ["decode 5", "decode 8"])
    }

    /// FEATURES 2.11.
    @Test(arguments: [ImageContentMode.fill, .exact]) func twoSizesAtOnceMakeOneDecodeInEveryMode(mode: ImageContentMode)
        async throws
    {
        let bench = SizeBench()
        #expect(try await sides(bench, [request(2, mode: mode), request(8, mode: mode), request(4, mode: mode)]) == [2, 8, 4])
        #expect(bench.decoder.log.events == ["decode 8"])
    }

    @Test func partsOfOtherProportionsAreDecodedEach() async throws {
        let bench = SizeBench()
        var wide = request(2, mode: .fill)
        wide.options.targetSize = PixelSize(width: 4, height: 2)
        #expect(try await sides(bench, [wide, request(8, mode: .fill)]) == [4, 8])
        #expect(Set(bench.decoder.log.events) == ["decode 4", "decode 8"])
    }

    @Test func aSmallerSizeIsMadeThoughTheLargerIsGivenUp() async throws {
        let bench = SizeBench(isHeld: true)
        let (large, small) = (bench.loader.task(for: request(8)), bench.loader.task(for: request(2)))
        while bench.gate.held == 0 { await Task.yield() }
        bench.gate.open()
        await bench.decoder.log.wait(forCount: 1)
        // Given that the larger size is being decoded and its only load was cancelled.
        large.cancel()
        bench.decoder.letThrough()
        #expect(try await small.response.image.size.width == 2)
        #expect(bench.decoder.log.events == ["decode 8"])
        await bench.waitUntilIdle()
    }

    @Test func aFailureAtTheLargestSizeFailsAllSizes() async throws {
        let bench = SizeBench(body: 0xFF)
        let (large, small) = (bench.loader.task(for: request(8)), bench.loader.task(for: request(2)))
        while bench.gate.held == 0 { await Task.yield() }
        bench.gate.open()
        for task in [large, small] {
            do {
                _ = try await task.response
                Issue.record("a damaged image was shown")
            } catch .failed(let error) {
                #expect(error.code == .corrupt)
            } catch { Issue.record("\(error)") }
        }
        await bench.waitUntilIdle()
    }
}

private struct SizeBench {
    let gate = Gate()
    let decoder: SizeDecoder
    let loader: ImageLoader

    init(isHeld: Bool = false, isPartial: Bool = false, body: UInt8 = 7) {
        decoder = SizeDecoder(isHeld: isHeld, isPartial: isPartial)
        loader = ImageLoader(
            ImageLoader.Configuration(dataLoader: ScriptedLoader(gate: gate) { _ in .body(Data([body])) }, decoder: decoder))
    }

    func waitUntilIdle() async {
        while loader.activity != ImageLoader.Activity() { await Task.yield() }
    }
}

/// Tells which sizes it decoded.
private final class SizeDecoder: Decoding {
    let log = EventLog<String>()
    private let base = ScriptedDecoder()
    private let isHeld: Lock<Bool>
    private let isPartial: Bool

    init(isHeld: Bool, isPartial: Bool) {
        self.isHeld = Lock(isHeld)
        self.isPartial = isPartial
    }

    func letThrough() { isHeld.withLock { $0 = false } }

    var formats: [ImageFormat] { base.formats }
    func format(of head: Data) -> ImageFormat? { base.format(of: head) }
    func info(of data: Data, limits: DecodingLimits) throws -> ImageInfo {
        ImageInfo(format: ScriptedDecoder.format, size: PixelSize(width: 16, height: 16))
    }

    func decode(_ data: Data, options: DecodeOptions) throws -> DecodedImage {
        log.append("decode \(options.targetSize?.width ?? 0)")
        while isHeld.withLock({ $0 }) {}
        var image = try base.decode(data, options: options)
        image.isPartial = isPartial
        return image
    }
}
