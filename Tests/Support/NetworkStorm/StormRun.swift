internal import Calotype
internal import CalotypeSystem
internal import CalotypeTesting
internal import ImageCaching
internal import ImageCore
internal import ImageLoading
internal import ImageNetworking
internal import ImageNetworkingCurl

/// A flag that an interrupt sets to end the storm early.
final class StopSignal: Sendable {
    private let state = Lock(false)

    var isSet: Bool { state.withLock { $0 } }
    func set() { state.withLock { $0 = true } }
}

/// Loads the server's images, 64 at a time, and checks each.
struct StormRun: Sendable {
    static let width = 64
    /// The number of images of each misbehaviour.
    static let images = 24
    /// The timeout of one attempt. With the retry, its delay and a busy machine, no load may take longer than
    /// ``bound``.
    private static let timeout = Duration.seconds(6)
    static let bound = Duration.seconds(30)
    private static let retries = 1
    /// The longest time that an error is served from the cache, in seconds.
    private static let errorLifetime = Duration.seconds(2)

    let misbehaviours: [Misbehaviour]
    let port: Int
    let directory: URL
    let seed: UInt64
    let records: LoadRecords
    let stop: StopSignal

    /// Makes the standard configuration with short limits and small caches.
    func makeLoader(_ disk: DiskCache) -> ImageLoader {
        var parts = StandardConfiguration()
        (parts.limits.fetches, parts.limits.fetchesPerHost) = (Self.width, Self.width)
        parts.transport.connectTimeout = .seconds(2)
        parts.transport.usesProxyOfEnvironment = false
        var retry = RetryPolicy(maximumRetries: Self.retries, baseDelay: .milliseconds(50), multiplier: 2)
        retry.maximumDelay = .seconds(1)
        parts.retryPolicy = retry
        parts.memoryCache = MemoryCache(limits: .init(maximumBytes: 2_000_000))
        parts.dataCache = disk
        parts.httpCachePolicy = HTTPCachePolicy(maximumErrorLifetime: Self.errorLifetime)
        (parts.options.timeout, parts.options.retries) = (Self.timeout, Self.retries)
        (parts.options.maximumResponseBytes, parts.options.maximumPixels) = (1_000_000, 1_000_000)
        return ImageLoader(parts.makeConfiguration())
    }

    func makeDisk() -> DiskCache {
        let records = records
        return DiskCache(
            .init(
                directory: directory, limits: .init(maximumBytes: 12_000_000, minimumBytes: 0),
                onWarning: { records.fail("disk cache: \($0)") }))
    }

    /// Loads images for a time. The loader and its caches are deallocated when it returns.
    func storm(seconds: Double, round: UInt64, leaks: Bool = false) async {
        let loader = makeLoader(makeDisk())
        let end = ContinuousClock.now + .seconds(seconds)
        await withTaskGroup { group in
            for worker in 0..<Self.width {
                group.addTask {
                    var random = SeededGenerator(seed: seed &* 1_000_003 &+ round &* 1_009 &+ UInt64(worker))
                    while ContinuousClock.now < end, !stop.isSet {
                        if leaks, worker == 0 { _ = dup(1) }
                        await load(with: loader, &random)
                    }
                }
            }
        }
        let left = loader.activity
        // A cancelled step may still run for a moment.
        let limit = ContinuousClock.now + Self.bound
        while loader.activity != ImageLoader.Activity(), ContinuousClock.now < limit { await Task.yield() }
        if loader.activity != ImageLoader.Activity() { records.fail("work is left after all loads have ended: \(left)") }
    }

    private func load(with loader: ImageLoader, _ random: inout SeededGenerator) async {
        let misbehaviour = misbehaviours[Int.random(in: 0..<misbehaviours.count, using: &random)]
        // The lesser of two random numbers: some URLs are loaded more often than others, and by several loads at once.
        let number = min(Int.random(in: 0..<Self.images, using: &random), Int.random(in: 0..<Self.images, using: &random))
        let image = StormImage(path: misbehaviour.path(number))
        var request = ImageRequest(url: url(image.path))
        request.options.priority = .allCases.randomElement(using: &random) ?? .normal
        switch Int.random(in: 0..<10, using: &random) {
        case 0, 1: request.options.targetSize = PixelSize(width: 16, height: 16)
        case 2: request.options.targetSize = PixelSize(width: 9, height: 20)
        case 3: request.options.cachePolicy = .reload
        case 4: request.options.cachePolicy = .diskOnly
        case 5: request.options.cachePolicy = .noCache
        default: break
        }
        let task = loader.task(for: request)
        let id = records.begin(image.path) { task.cancel() }
        // An interrupt cancels only the loads that were recorded before it.
        if stop.isSet { task.cancel() }
        var canceller: Task<Void, Never>?
        // Many of these loads end before they are cancelled.
        if Bool.random(using: &random) {
            // The delay is up to half a second, and more often short.
            let share = Double.random(in: 0...1, using: &random)
            let delay = Duration.microseconds(Int(pow(share, 6) * 500_000))
            canceller = Task {
                if delay > .microseconds(100) { try? await Task.sleep(for: delay) }
                task.cancel()
            }
        } else if Int.random(in: 0..<8, using: &random) == 0 {
            task.priority = .allCases.randomElement(using: &random) ?? .normal
        }
        let outcome = await outcome(of: task, misbehaviour, image, isFullSize: request.options.targetSize == nil)
        if outcome == .cancelled, canceller == nil, !stop.isSet { records.fail("\(image.path): cancelled without a reason") }
        canceller?.cancel()
        records.end(id, of: misbehaviour, as: outcome)
    }

    private func outcome(
        of task: ImageTask, _ misbehaviour: Misbehaviour, _ image: StormImage, isFullSize: Bool
    ) async -> Outcome {
        do throws(LoadFailure) {
            let response = try await task.response
            if let problem = image.problem(with: response.image, isFullSize: isFullSize) {
                records.fail("\(image.path): WRONG IMAGE from \(response.tier.rawValue): \(problem)")
            } else if !misbehaviour.allowed.contains(.image) {
                records.fail("\(image.path): an image from \(response.tier.rawValue), which must not be possible")
            }
            return .image
        } catch {
            guard let error = error.error else { return .cancelled }
            let outcome = Outcome(error)
            if !misbehaviour.allowed.contains(outcome) {
                records.fail("\(misbehaviour.name): \(outcome) is not among its outcomes: \(error)")
            }
            return outcome
        }
    }

    /// Loads each image once from a server that responds correctly, with new memory caches over the same directory.
    func checkHealth() async {
        let disk = makeDisk()
        do {
            let found = try await disk.verify()
            if found.damagedCount > 0 { records.fail("disk cache: \(found.damagedCount) of \(found.count) entries are damaged") }
        } catch { records.fail("disk cache: \(error)") }
        let loader = makeLoader(disk)
        let paths = misbehaviours.flatMap { misbehaviour in (0..<Self.images).map { misbehaviour.path($0) } }
        await withTaskGroup { group in
            for worker in 0..<Self.width {
                group.addTask {
                    for index in stride(from: worker, to: paths.count, by: Self.width) where !stop.isSet {
                        await checkHealth(of: StormImage(path: paths[index]), with: loader)
                    }
                }
            }
        }
    }

    private func checkHealth(of image: StormImage, with loader: ImageLoader) async {
        do {
            let response = try await loader.response(for: ImageRequest(url: url(image.path)))
            if response.tier == .disk { records.noteFromDisk() }
            guard let problem = image.problem(with: response.image, isFullSize: true) else { return }
            records.fail("afterwards: \(image.path): WRONG IMAGE from \(response.tier.rawValue): \(problem)")
        } catch { records.fail("afterwards: \(image.path): \(error)") }
    }

    private func url(_ path: String) -> URL {
        // The URL is valid, because the port is a number and the paths are plain.
        URL(string: "http://127.0.0.1:\(port)\(path)") ?? URL(filePath: path)
    }
}
