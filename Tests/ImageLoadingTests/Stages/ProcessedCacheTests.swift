import CalotypeTesting
import ImageCore
import ImageLoading
import Testing

@Suite(.timeLimit(.minutes(1))) struct KeepingResultsOnDisk {
    /// Which of the two entries of an image are on disk.
    private enum Kept: String, Hashable { case original, result }

    private static func bench(_ encoder: any Encoding = RedEncoder(), disk: LoggedDataCache = LoggedDataCache()) -> Bench {
        Bench(disk: disk) {
            $0.encoder = encoder
            $0.processedFormat = ScriptedDecoder.format
        }
    }

    private static func request(_ storage: DiskStorage, isProcessed: Bool = true, log: EventLog<String> = .init())
        -> ImageRequest
    {
        var request = ImageRequest(url: url("x"))
        request.options.diskStorage = storage
        if isProcessed {
            request.options.processors = [
                RecordingProcessor("add", log: log) { image, _ in image.with(try TestImages.solid(red: red(image) + 1).bitmap) }
            ]
        }
        return request
    }

    @Test(arguments: DiskStorage.allCases, [true, false])
    func eachPolicyKeepsWhatItSays(_ storage: DiskStorage, isProcessed: Bool) async throws {
        let bench = Self.bench()
        _ = try await bench.loader.image(for: Self.request(storage, isProcessed: isProcessed))
        try await bench.loader.flush()
        let kept = Set(bench.disk.keys.map { $0.variant == nil ? Kept.original : .result })
        let expected: Set<Kept> =
            switch storage {
            case .originalData: [.original]
            case .processedImages: [.result]
            case .automatic: isProcessed ? [.result] : [.original]
            case .all: isProcessed ? [.original, .result] : [.original]
            }
        #expect(kept == expected)
        await bench.waitUntilIdle()
    }

    @Test func aKeptResultIsServedWithoutFetchAndWithoutProcessors() async throws {
        let bench = Self.bench()
        let log = EventLog<String>()
        _ = try await bench.loader.image(for: Self.request(.automatic, log: log))
        try await bench.loader.flush()
        bench.memory.removeAll()
        let response = try await bench.loader.response(for: Self.request(.automatic, log: log))
        #expect(red(response.image) == 8 && response.tier == .disk && response.image.format == ScriptedDecoder.format)
        #expect(bench.network.requests.count == 1 && log.events == ["add"])
        // It is in memory again, and was not stored twice.
        #expect(bench.loader.cachedImage(for: Self.request(.automatic, log: log)) != nil)
        try await bench.loader.flush()
        #expect(bench.disk.calls.count { if case .store = $0 { true } else { false } } == 1)
    }

    /// FEATURES 1.7: no cache policy reads more than it says, and here no server can confirm a result.
    @Test(arguments: [CachePolicy.revalidate, .reload, .memoryOnly])
    func aResultIsNotUsedByALoadThatMayNotReadIt(_ policy: CachePolicy) async throws {
        let bench = Self.bench()
        var request = Self.request(.processedImages)
        _ = try await bench.loader.image(for: request)
        try await bench.loader.flush()
        bench.memory.removeAll()
        request.options.cachePolicy = policy
        #expect(try await bench.loader.response(for: request).tier == .network)
        #expect(bench.network.requests.count == 2)
    }

    /// FEATURES 2.1, on disk too.
    @Test(
        "A result that begins like the wanted one is where the processors start",
        arguments: [DiskStorage.processedImages, .automatic])
    func aPrefixOnDiskIsTheStart(_ storage: DiskStorage) async throws {
        let bench = Self.bench()
        let log = EventLog<String>()
        func request(_ names: String) -> ImageRequest {
            var request = Self.request(storage, isProcessed: false)
            request.options.processors = names.map { name in
                RecordingProcessor("\(name)", log: log) { image, _ in image.with(try TestImages.solid(red: red(image) + 1).bitmap)
                }
            }
            return request
        }
        _ = try await bench.loader.image(for: request("ab"))
        try await bench.loader.flush()
        bench.memory.removeAll()
        log.removeAll()
        let response = try await bench.loader.response(for: request("abcd"))
        #expect(red(response.image) == 11 && log.events == ["c", "d"])
        #expect(bench.network.requests.count == 1)
        // Another list begins differently.
        #expect(red(try await bench.loader.image(for: request("ba"))) == 9)
        #expect(bench.network.requests.count == 2)
    }

    @Test func severalLoadsShareTheLookupAndTheFetch() async throws {
        let bench = Bench(network: ScriptedLoader(gate: Gate()) { _ in .body(Data([7])) }) {
            $0.encoder = RedEncoder()
            $0.processedFormat = ScriptedDecoder.format
        }
        let log = EventLog<String>()
        let tasks = (0..<100).map { _ in bench.loader.task(for: Self.request(.all, log: log)) }
        await bench.network.waitForRequests(1)
        // The lookups on disk have given their slots back.
        #expect(bench.loader.activity.running == 1)
        bench.network.gate.open()
        for task in tasks { #expect(red(try await task.response.image) == 8) }
        #expect(bench.network.requests.count == 1 && log.events == ["add"])
        await bench.waitUntilIdle()
    }

    @Test func aDamagedResultIsAMissAndIsReplaced() async throws {
        let bench = Self.bench()
        _ = try await bench.loader.image(for: Self.request(.automatic))
        try await bench.loader.flush()
        let key = try #require(bench.disk.keys.first)
        try await bench.disk.store(DataEntry(data: Data([0xFF]), storedAt: 0), for: key)
        bench.memory.removeAll()
        #expect(red(try await bench.loader.image(for: Self.request(.automatic))) == 8)
        #expect(bench.disk.calls.contains(.remove(key)))
        try await bench.loader.flush()
        #expect(try await bench.disk.entry(for: key)?.data == Data([8]))
    }

    @Test func theImageIsDeliveredBeforeItIsEncoded() async throws {
        let encoder = RedEncoder(isHeld: true)
        let bench = Self.bench(encoder)
        #expect(red(try await bench.loader.image(for: Self.request(.automatic))) == 8)
        #expect(bench.disk.keys.isEmpty)
        encoder.letThrough()
        try await bench.loader.flush()
        #expect(bench.disk.keys.count == 1)
    }

    @Test func anEncoderThatFailsFailsNoLoad() async throws {
        let bench = Self.bench(RedEncoder(fails: true))
        #expect(red(try await bench.loader.image(for: Self.request(.automatic))) == 8)
        try await bench.loader.flush()
        #expect(bench.disk.keys.isEmpty)
        await bench.waitUntilIdle()
    }

    @Test func onlyIfCachedIsAnsweredByAKeptResult() async throws {
        let bench = Self.bench()
        _ = try await bench.loader.image(for: Self.request(.automatic))
        try await bench.loader.flush()
        bench.memory.removeAll()
        var request = Self.request(.automatic)
        request.options.cachePolicy = .cacheOnly
        #expect(red(try await bench.loader.image(for: request)) == 8)
        var other = ImageRequest(url: url("other"))
        other.options = request.options
        let failure = await #expect(throws: LoadFailure.self) { try await bench.loader.image(for: other) }
        #expect(failure?.error?.code == .notCached)
        #expect(bench.network.requests.count == 1)
    }

    @Test func aPriorityRaisedDuringTheDiskLookupAppliesToTheFetch() async throws {
        let disk = LoggedDataCache(readGate: Gate())
        let network = ScriptedLoader(gate: Gate()) { _ in .body(Data([7])) }
        let bench = Bench(network: network, disk: disk) {
            $0.encoder = RedEncoder()
            $0.processedFormat = ScriptedDecoder.format
            $0.limits.fetches = 1
        }
        var plain = OptionLayer()
        plain.cachePolicy = .memoryOnly
        let first = bench.loader.task(for: ImageRequest(url: url("first"), options: plain))
        await network.waitForRequests(1)
        let task = bench.loader.task(for: Self.request(.processedImages))
        let others = ["a", "b"].map { bench.loader.task(for: ImageRequest(url: url($0), options: plain)) }
        await disk.readGate.waitForArrivals(1)
        task.priority = .veryHigh
        disk.readGate.open()
        while bench.loader.activity.queued < 3 { await Task.yield() }
        network.gate.open()
        for task in [first, task] + others { _ = try await task.response }
        #expect(network.requests.map(\.url.lastPathComponent) == ["first", "x", "a", "b"])
    }

    @Test func resultsOfLocalSourcesAreNotKept() async throws {
        let bench = Self.bench()
        var request = ImageRequest(.bytes(Data([7]), id: "seven"))
        request.options = Self.request(.processedImages).options
        #expect(red(try await bench.loader.image(for: request)) == 8)
        try await bench.loader.flush()
        #expect(bench.disk.calls.isEmpty)
    }

    @Test func withoutAnEncoderOriginalsAreKept() async throws {
        let bench = Bench()
        _ = try await bench.loader.image(for: Self.request(.processedImages))
        try await bench.loader.flush()
        #expect(bench.disk.keys.map(\.variant) == [nil])
    }

    @Test func theResultOfAPrefixIsKeptUnderItsOwnName() async throws {
        let bench = Bench(network: ScriptedLoader(gate: Gate()) { _ in .body(Data([7])) }) {
            $0.encoder = RedEncoder()
            $0.processedFormat = ScriptedDecoder.format
        }
        var long = Self.request(.automatic)
        long.options.processors = (long.options.processors ?? []) + [RecordingProcessor("b", log: .init())]
        let tasks = [bench.loader.task(for: long), bench.loader.task(for: Self.request(.automatic))]
        await bench.network.waitForRequests(1)
        bench.network.gate.open()
        for task in tasks { _ = try await task.response }
        try await bench.loader.flush()
        #expect(Set(bench.disk.keys.map(\.variant)).count == 2)
    }
}

/// Writes the red of the first pixel.
final class RedEncoder: Encoding {
    private let fails: Bool
    private let isHeld: Lock<Bool>

    init(fails: Bool = false, isHeld: Bool = false) {
        self.fails = fails
        self.isHeld = Lock(isHeld)
    }

    func letThrough() { isHeld.withLock { $0 = false } }

    var formats: [ImageFormat] { [ScriptedDecoder.format] }

    func encode(_ image: DecodedImage, as format: ImageFormat, options: EncodeOptions) throws -> Data {
        while isHeld.withLock({ $0 }) {}
        if fails { throw ImageError(.unsupportedFeature, message: "No.") }
        return Data([red(image)])
    }
}
