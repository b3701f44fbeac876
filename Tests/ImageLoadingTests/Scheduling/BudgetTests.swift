import CalotypeTesting
import ImageCore
import ImageLoading
import Testing

@Suite(.timeLimit(.minutes(1))) struct MemoryOfRunningDecodes {
    /// A loader whose images announce as many megabytes as their first byte says.
    private static func loader(_ decoder: SizedDecoder, megabytes: Int) -> ImageLoader {
        let network = ScriptedLoader { request in .body(Data([UInt8(request.url.lastPathComponent) ?? 0])) }
        var configuration = ImageLoader.Configuration(dataLoader: network, decoder: decoder)
        configuration.limits.workers = 4
        configuration.limits.concurrentDecodeBytes = megabytes << 20
        return ImageLoader(configuration)
    }

    @Test func decodesWaitRatherThanExceedTheBudget() async throws {
        let decoder = SizedDecoder()
        let loader = Self.loader(decoder, megabytes: 10)
        let tasks = [6, 3, 5].map { loader.task(for: ImageRequest(url: url("\($0)"))) }
        await decoder.began.wait(forCount: 2)
        while loader.activity.queued == 0 { await Task.yield() }
        #expect(decoder.began.count == 2)
        #expect(decoder.most <= 10)
        decoder.letThrough()
        for task in tasks { _ = try await task.response }
        #expect(decoder.began.count == 3 && decoder.most <= 10)
    }

    @Test func oneThatIsLargerThanTheBudgetRunsAlone() async throws {
        let decoder = SizedDecoder()
        let loader = Self.loader(decoder, megabytes: 10)
        let small = loader.task(for: ImageRequest(url: url("4")))
        await decoder.began.wait(forCount: 1)
        let large = loader.task(for: ImageRequest(url: url("40")))
        while loader.activity.queued == 0 { await Task.yield() }
        #expect(decoder.began.count == 1)
        decoder.letThrough()
        _ = try await (small.response, large.response)
        #expect(decoder.began.events == [4, 40])
        #expect(decoder.most == 40)
    }

    @Test func aDecodeThatWaitsForMemoryCanBeCancelled() async throws {
        let decoder = SizedDecoder()
        let loader = Self.loader(decoder, megabytes: 10)
        let small = loader.task(for: ImageRequest(url: url("9")))
        await decoder.began.wait(forCount: 1)
        let waiting = loader.task(for: ImageRequest(url: url("8")))
        while loader.activity.queued == 0 { await Task.yield() }
        waiting.cancel()
        decoder.letThrough()
        _ = try await small.response
        while loader.activity != ImageLoader.Activity() { await Task.yield() }
        #expect(decoder.began.events == [9])
    }
}

/// Announces an image of as many megabytes as the first byte says, and holds decodes until they are let through.
private final class SizedDecoder: Decoding {
    let began = EventLog<Int>()
    private let isOpen = Lock(false)
    private let memory = Lock((now: 0, most: 0))

    /// The most megabytes that were being decoded at one time.
    var most: Int { memory.withLock { $0.most } }

    func letThrough() { isOpen.withLock { $0 = true } }

    var formats: [ImageFormat] { [ScriptedDecoder.format] }
    func format(of head: Data) -> ImageFormat? { ScriptedDecoder.format }
    func info(of data: Data, limits: DecodingLimits) throws -> ImageInfo {
        ImageInfo(format: ScriptedDecoder.format, size: PixelSize(width: 512, height: 512 * Int(data[0])))
    }
    func decode(_ data: Data, options: DecodeOptions) throws -> DecodedImage {
        let megabytes = Int(data[0])
        memory.withLock { memory in
            memory.now += megabytes
            memory.most = max(memory.most, memory.now)
        }
        began.append(megabytes)
        while !isOpen.withLock({ $0 }), options.cancellation?.isCancelled != true {}
        memory.withLock { $0.now -= megabytes }
        return try TestImages.solid()
    }
}
