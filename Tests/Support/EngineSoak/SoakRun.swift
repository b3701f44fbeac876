internal import CalotypeTesting
internal import ImageCore
internal import ImageLoading

/// Counts how loads ended.
final class Ends: Sendable {
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

/// A loader with parts that fail and delay, and random loads from a seed.
struct SoakRun {
    let loader: ImageLoader
    let prefetcher: ImagePrefetcher
    let ends = Ends()
    var started = 0
    private var random: SeededGenerator
    private var running: [ImageTask] = []

    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
        var configuration = ImageLoader.Configuration(
            dataLoader: SoakNetwork(), decoder: SoakDecoder(), memoryCache: SmallMemoryCache(), dataCache: SmallDataCache())
        configuration.observers = [SoakObserver()]
        configuration.limits.fetches = 8
        configuration.limits.fetchesPerHost = 3
        loader = ImageLoader(configuration)
        prefetcher = ImagePrefetcher(loader: loader)
    }

    mutating func load(_ count: Int) async {
        for _ in 0..<count {
            act()
            // At most 200 loads run at a time.
            while loader.activity.loads > 200 { await Task.yield() }
        }
    }

    /// Returns the memory of the process after more loads have ended and the caches are empty.
    ///
    /// - Parameters:
    ///   - count: The number of loads.
    ///   - isAlone: Whether to wait some seconds until the threads of the pool have ended. Each keeps up to 1,024
    ///     blocks of 64 bytes, and the number of threads is random.
    mutating func footprint(after count: Int, isAlone: Bool) async throws -> Footprint {
        await load(count)
        burst()
        await finish()
        try await loader.clearCaches()
        if isAlone { Footprint.waitForThreads() }
        // The thread that ends a load releases its memory a little later, so the lowest of several measurements counts.
        var footprints = [Footprint.now]
        for _ in 0..<10 {
            await Task.yield()
            footprints.append(Footprint.now)
        }
        return Footprint.lowest(of: footprints)
    }

    /// Starts and cancels so many loads at once that every table of the engine grows to its largest size and then
    /// shrinks. Otherwise the size that the last loads left would count as more or less memory. With two or three
    /// pieces of work for each load, 1,200 loads are not close to a power of two, at which tables change their size.
    private mutating func burst() {
        loader.isPaused = true
        let firstNew = started
        let handles = (0..<1_200).map { number in
            started += 1
            let ends = ends
            return loader.task(for: ImageRequest(.url(URL(string: "http://burst.example/\(firstNew + number)")!))) { event in
                if case .finished(let result) = event { ends.add(result) }
            }
        }
        for handle in handles { handle.cancel() }
    }

    private mutating func finish() async {
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
        // Resume soon, since otherwise most loads would wait.
        if loader.isPaused, loader.activity.loads > 50 { loader.isPaused = false }
        start()
    }

    private mutating func start() {
        started += 1
        let ends = ends
        let handle = loader.task(for: request()) { event in
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
        case 5: request.options.cachePolicy = .cacheOnly
        case 6: request.options.priority = .veryHigh
        case 7: request.options.timeout = .zero
        case 8: request.owner = LoadOwner("screen")
        default: break
        }
        return request
    }
}
