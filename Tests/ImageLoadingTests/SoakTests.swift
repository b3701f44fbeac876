import CalotypeTesting
import Foundation
import HTTPTypes
import ImageCore
import ImageLoading
import Testing

/// Very many loads of every kind, from a seed, with cancellations and failures: memory must not grow.
///
/// `CALOTYPE_SOAK_LOADS` sets how many; `make soak` runs a million.
@Suite struct Soak {
    @Test func memoryStaysFlatOverManyLoads() async throws {
        let loads = ProcessInfo.processInfo.environment["CALOTYPE_SOAK_LOADS"].flatMap(Int.init) ?? 20_000
        var run = SoakRun(seed: 7)
        // The first third fills caches, pools and the allocator's own.
        await run.load(loads / 3)
        let start = residentBytes()
        var peak = start
        print("soak: \(loads / 3) loads to warm up, then \(megabytes(start)) MB")
        for _ in 0..<4 {
            await run.load(loads / 6)
            let now = residentBytes()
            peak = max(peak, now)
            print("soak: \(run.started) loads, \(megabytes(now)) MB, \(run.ends.summary)")
        }
        await run.finish()
        #expect(run.loader.activity == ImageLoader.Activity())
        let statistics = run.loader.statistics.loads
        #expect(statistics.active == 0 && statistics.cancelled > 0 && statistics.failed > 0 && statistics.coalesced > 0)
        #expect(run.ends.all == run.started)
        guard start > 0 else { return }
        let growth = Double(peak - start) / Double(start)
        print("soak: grew by \(String(format: "%.2f", growth * 100)) %")
        // A short run still warms up while it is measured: the kernel counts pages in batches of threads.
        #expect(growth <= (loads >= 500_000 ? 0.02 : 0.05))
    }

    private func megabytes(_ bytes: Int) -> String { String(format: "%.2f", Double(bytes) / 1_048_576) }

    /// Resident memory of this process; 0 where the system does not tell in this way.
    private func residentBytes() -> Int {
        guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) else { return 0 }
        let pages = text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        return pages * sysconf(Int32(_SC_PAGESIZE))
    }
}

/// How loads ended.
private final class Ends: Sendable {
    private let counts = Lock((finished: 0, failed: 0, cancelled: 0))

    func add(_ result: Result<ImageResponse, LoadFailure>) {
        counts.withLock { counts in
            switch result {
            case .success: counts.finished += 1
            case .failure(.failed): counts.failed += 1
            case .failure(.cancelled): counts.cancelled += 1
            }
        }
    }

    var all: Int { counts.withLock { $0.finished + $0.failed + $0.cancelled } }
    var summary: String {
        counts.withLock { "\($0.finished) finished, \($0.failed) failed, \($0.cancelled) cancelled" }
    }
}

private struct SoakRun {
    let loader: ImageLoader
    let prefetcher: ImagePrefetcher
    let ends = Ends()
    var started = 0
    private var random: SeededGenerator
    private var running: [any LoadHandle] = []

    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
        var configuration = ImageLoader.Configuration(
            dataLoader: SoakNetwork(), decoder: SoakDecoder(), memoryCache: SmallMemory(), dataCache: SmallDisk())
        configuration.observers = [SoakObserver()]
        configuration.maximumFetches = 8
        configuration.maximumFetchesPerHost = 3
        loader = ImageLoader(configuration)
        prefetcher = ImagePrefetcher(loader: loader)
    }

    mutating func load(_ count: Int) async {
        for _ in 0..<count {
            act()
            // So many may be outstanding; whoever goes on beyond that waits for the engine.
            while loader.activity.loads > 200 { await Task.yield() }
        }
    }

    mutating func finish() async {
        loader.isPaused = false
        prefetcher.isPaused = false
        await prefetcher.waitUntilIdle()
        while ends.all < started || loader.activity != ImageLoader.Activity() { await Task.yield() }
        running = []
    }

    private mutating func act() {
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<10: cancelOne()
        case 10..<14: running.randomElement(using: &random)?.priority = .allCases.randomElement(using: &random) ?? .normal
        case 14: loader.isPaused.toggle()
        case 15: loader.runtimeOptions = Bool.random(using: &random) ? OptionLayer() : OptionLayer { $0.retries = 1 }
        case 16: prefetcher.start((0..<5).map { _ in request() })
        case 17: prefetcher.stopAll()
        case 18: loader.cancel(owner: LoadOwner("screen"))
        default: break
        }
        // Never held for long: most loads would wait.
        if loader.isPaused, loader.activity.loads > 50 { loader.isPaused = false }
        start()
    }

    private mutating func start() {
        started += 1
        let ends = ends
        let handle = loader.load(request()) { event in
            if case .finished(let result) = event { ends.add(result) }
        }
        switch Int.random(in: 0..<10, using: &random) {
        case 0: handle.cancel()
        case 1..<4:
            if running.count < 100 {
                running.append(handle)
            } else {
                running[Int.random(in: 0..<100, using: &random)] = handle
            }
        default: break
        }
    }

    private mutating func cancelOne() { running.randomElement(using: &random)?.cancel() }

    private mutating func request() -> ImageRequest {
        let number = Int.random(in: 0..<3_000, using: &random)
        let source: ImageSource =
            switch Int.random(in: 0..<20, using: &random) {
            case 0: .bytes(Data([UInt8(number % 200)]), id: "\(number)")
            case 1: .producer(id: "\(number)") { Data([UInt8(number % 200)]) }
            case 2: .url(URL(filePath: "/soak/\(number)"))
            default: .url(URL(string: "http://host\(number % 7).example/\(number)")!)
            }
        var request = ImageRequest(source, purpose: .allCases.randomElement(using: &random) ?? .plain)
        switch Int.random(in: 0..<12, using: &random) {
        case 0: request.options.targetSize = PixelSize(width: 2, height: 2)
        case 1: request.options.processors = [SoakStep(name: "a")]
        case 2: request.options.processors = [SoakStep(name: "a"), SoakStep(name: "b")]
        case 3: request.options.processors = [SoakStep(name: "bad")]
        case 4: request.options.cachePolicy = .reload
        case 5: request.options.cachePolicy = [.memoryAndDisk, .onlyIfCached]
        case 6: request.options.priority = .veryHigh
        case 7: request.options.timeout = .zero
        case 8: request.owner = LoadOwner("screen")
        default: break
        }
        return request
    }
}

/// Answers by the number in the URL: whole, in pieces, late, with errors, with what is no picture.
private struct SoakNetwork: DataLoading {
    func load(_ request: DataRequest) async throws -> DataResponse {
        let number = Int(request.url.lastPathComponent) ?? 0
        let byte = UInt8(number % 200)
        switch number % 11 {
        case 0: throw ImageError(.connectionFailed, message: "no line")
        case 1: return DataResponse(url: request.url, head: .init(status: .notFound), body: ByteStream(Data()))
        case 2: return DataResponse(url: request.url, body: ByteStream(Data([0xFF])))
        case 3, 4:
            let left = Lock(5)
            return DataResponse(
                url: request.url,
                body: ByteStream {
                    await Task.yield()
                    try Task.checkCancellation()
                    let count = left.withLock { left in
                        left -= 1
                        return left
                    }
                    if number % 3 == 0, count == 2 { throw ImageError(.connectionLost, message: "lost") }
                    return count < 0 ? nil : Data(repeating: byte, count: 1_000)
                })
        case 5, 6:
            await Task.yield()
            fallthrough
        default: return DataResponse(url: request.url, body: ByteStream(Data(repeating: byte, count: 2_000)))
        }
    }
}

private struct SoakDecoder: Decoding {
    private static let format = ImageFormat(rawValue: "soak")

    var formats: [ImageFormat] { [Self.format] }

    func format(of head: Data) -> ImageFormat? { Self.format }

    func info(of data: Data, limits: DecodingLimits) throws -> ImageInfo {
        ImageInfo(format: Self.format, size: PixelSize(width: 8, height: 8))
    }

    func decode(_ data: Data, options: DecodeOptions) throws -> DecodedImage {
        try options.checkCancellation()
        guard data.first != 0xFF else { throw ImageError(.corrupt, message: "damaged") }
        return DecodedImage(try unsafe Bitmap(size: PixelSize(width: 8, height: 8), format: .gray8, alpha: .opaque) { _, _ in })
    }
}

private struct SoakStep: Processing {
    let name: String

    var identifier: String { "soak.\(name)" }

    func process(_ image: DecodedImage, context: ProcessingContext) throws -> DecodedImage {
        if name == "bad" { throw ImageError(.plugInFailed, message: "bad") }
        return image
    }
}

/// Looks at everything and keeps nothing.
private struct SoakObserver: LoadObserving {
    func observe(_ observation: LoadObservation, of load: LoadID, request: ImageRequest) {}
}

/// The last 500 images.
private final class SmallMemory: Caching {
    private let images = Lock<(byKey: [ImageKey: DecodedImage], order: [ImageKey])>(([:], []))

    func image(for key: ImageKey) -> DecodedImage? { images.withLock { $0.byKey[key] } }

    func store(_ image: DecodedImage, for key: ImageKey, priority: CachePriority) {
        images.withLock { images in
            if images.byKey.updateValue(image, forKey: key) == nil { images.order.append(key) }
            if images.order.count > 500 { images.byKey[images.order.removeFirst()] = nil }
        }
    }

    func removeImage(for key: ImageKey) {
        images.withLock { images in
            if images.byKey.removeValue(forKey: key) != nil { images.order.removeAll { $0 == key } }
        }
    }

    func removeAll() { images.withLock { $0 = ([:], []) } }
}

/// The last 500 originals; every hundredth call fails.
private final class SmallDisk: DataCaching {
    private let entries = Lock<(byKey: [DataKey: DataEntry], order: [DataKey], calls: Int)>(([:], [], 0))

    func entry(for key: DataKey) async throws -> DataEntry? {
        try fail()
        return entries.withLock { $0.byKey[key] }
    }

    func store(_ entry: DataEntry, for key: DataKey) async throws {
        try fail()
        entries.withLock { entries in
            if entries.byKey.updateValue(entry, forKey: key) == nil { entries.order.append(key) }
            if entries.order.count > 500 { entries.byKey[entries.order.removeFirst()] = nil }
        }
    }

    func removeEntry(for key: DataKey) async throws {
        entries.withLock { entries in
            if entries.byKey.removeValue(forKey: key) != nil { entries.order.removeAll { $0 == key } }
        }
    }

    func removeAll() async throws { entries.withLock { $0 = ([:], [], 0) } }

    private func fail() throws {
        let isDue = entries.withLock { entries in
            entries.calls += 1
            return entries.calls % 100 == 0
        }
        if isDue { throw ImageError(.plugInFailed, message: "disk trouble") }
    }
}
