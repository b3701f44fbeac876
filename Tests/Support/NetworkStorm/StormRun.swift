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
    /// The servers, each a host to the loader. The last one is that of ``Misbehaviour/Pace/limited``.
    static let hosts = 5
    /// The timeout of one attempt. With the retry, its delay, the waits for a host and a busy machine, no load may take
    /// longer than ``bound``.
    static let timeout = Duration.seconds(3)
    static let bound = Duration.seconds(30)
    private static let retries = 1
    /// Some load ends in this time, and another one starts.
    static let longestPause = Duration.seconds(3)
    /// The longest time that an error is served from the cache, in seconds.
    private static let errorLifetime = Duration.seconds(2)

    let misbehaviours: [Misbehaviour]
    let ports: [Int]
    let directory: URL
    let local: LocalSources
    let seed: UInt64
    let records: LoadRecords
    let stop: StopSignal

    /// Makes the standard configuration with short limits and small caches.
    func makeLoader(_ disk: DiskCache) -> ImageLoader {
        var parts = StandardConfiguration()
        (parts.limits.fetches, parts.limits.fetchesPerHost) = (Self.width, Self.width)
        parts.transport.connectTimeout = .seconds(2)
        parts.transport.usesProxyOfEnvironment = false
        parts.transport.storesCookies = true
        parts.hostBackoff?.maximumWait = .seconds(10)
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
        var misbehaviour = misbehaviours[Int.random(in: 0..<misbehaviours.count, using: &random)]
        if misbehaviour.pace != .usual, Int.random(in: 0..<4, using: &random) > 0 {
            misbehaviour = misbehaviours[Int.random(in: 0..<misbehaviours.count, using: &random)]
        }
        // The lesser of two random numbers: some URLs are loaded more often than others, and by several loads at once.
        let number = min(Int.random(in: 0..<Self.images, using: &random), Int.random(in: 0..<Self.images, using: &random))
        let source: LoadSource
        do {
            source = try self.source(of: misbehaviour, number)
        } catch { return records.fail("\(misbehaviour.name): no source: \(error)") }
        let path = misbehaviour.path(number)
        var request = ImageRequest(url: source.url)
        request.options.priority = .allCases.randomElement(using: &random) ?? .normal
        switch Int.random(in: 0..<10, using: &random) {
        case 0, 1: request.options.targetSize = PixelSize(width: 16, height: 16)
        case 2: request.options.targetSize = PixelSize(width: 9, height: 20)
        case 3: request.options.cachePolicy = .reload
        case 4: request.options.cachePolicy = .diskOnly
        case 5: request.options.cachePolicy = .noCache
        case 6: request.options.cachePolicy = .cacheOnly
        default: break
        }
        let task = loader.task(for: request)
        let id = records.begin(path) { task.cancel() }
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
        let outcome = await outcome(of: task, request.options, misbehaviour, path, source)
        if outcome == .cancelled, canceller == nil, !stop.isSet { records.fail("\(path): cancelled without a reason") }
        canceller?.cancel()
        records.end(id, of: misbehaviour, as: outcome)
    }

    private func outcome(
        of task: ImageTask, _ options: OptionLayer, _ misbehaviour: Misbehaviour, _ path: String, _ source: LoadSource
    ) async -> Outcome {
        do throws(LoadFailure) {
            let response = try await task.response
            let problems = source.images().map {
                $0.problem(with: response.image, isFullSize: options.targetSize == nil)
            }
            if !misbehaviour.allowed.contains(.image) {
                records.fail("\(path): an image from \(response.tier.rawValue), which must not be possible")
            } else if !problems.contains(nil) {
                records.fail("\(path): WRONG IMAGE from \(response.tier.rawValue): \(problems.compactMap { $0 })")
            }
            if response.tier == .disk { records.noteStored(misbehaviour) }
            return .image
        } catch {
            guard let error = error.error else { return .cancelled }
            let outcome = Outcome(error)
            let isLookup = options.cachePolicy == .cacheOnly && outcome == .notCached
            if !isLookup, !misbehaviour.allowed.contains(outcome) {
                records.fail("\(misbehaviour.name): \(outcome) is not among its outcomes: \(error)")
            }
            return outcome
        }
    }

    /// Lets servers fail after an image was stored. The image stays stored, and replaces the failures for which HTTP
    /// allows it.
    func checkStored() async {
        let disk = makeDisk()
        let loader = makeLoader(disk)
        await withTaskGroup { group in
            for misbehaviour in misbehaviours {
                guard let stored = misbehaviour.stored, stored != .mayEnd else { continue }
                // The storm has not requested these images.
                for number in Self.images..<Self.images + 4 {
                    group.addTask {
                        await checkStored(misbehaviour, number, stored == .replacesFailure, loader, disk)
                    }
                }
            }
        }
    }

    private func checkStored(
        _ misbehaviour: Misbehaviour, _ number: Int, _ replacesFailure: Bool, _ loader: ImageLoader, _ disk: DiskCache
    ) async {
        let path = misbehaviour.path(number)
        var step = "the first load"
        do {
            var request = ImageRequest(url: try source(of: misbehaviour, number).url)
            request.options.cachePolicy = .diskOnly
            _ = try await loader.image(for: request)
            try await disk.flush()
            step = "the load that fails"
            do throws(LoadFailure) {
                _ = try await loader.response(for: request)
            } catch { if replacesFailure { throw error } }
            step = "the lookup"
            request.options.cachePolicy = [.diskOnly, .onlyIfCached]
            let image = try await loader.image(for: request)
            guard let problem = StormImage(path: path).problem(with: image, isFullSize: true) else { return }
            records.fail("\(path): the stored image is another one: \(problem)")
        } catch { records.fail("\(path): \(step) does not show the stored image: \(error)") }
    }

    /// Loads each image once from a server that responds correctly, with new memory caches over the same directory.
    func checkHealth() async {
        let disk = makeDisk()
        do {
            let found = try await disk.verify()
            if found.damagedCount > 0 { records.fail("disk cache: \(found.damagedCount) of \(found.count) entries are damaged") }
        } catch { records.fail("disk cache: \(error)") }
        let loader = makeLoader(disk)
        let loads = misbehaviours.filter { $0.localSource == nil }
            .flatMap { misbehaviour in (0..<Self.images).map { (misbehaviour, $0) } }
        await withTaskGroup { group in
            for worker in 0..<Self.width {
                group.addTask {
                    for index in stride(from: worker, to: loads.count, by: Self.width) where !stop.isSet {
                        await checkHealth(of: loads[index].0, loads[index].1, with: loader)
                    }
                }
            }
        }
    }

    private func checkHealth(of misbehaviour: Misbehaviour, _ number: Int, with loader: ImageLoader) async {
        let image = StormImage(path: misbehaviour.path(number))
        do {
            let response = try await loader.response(for: ImageRequest(url: try source(of: misbehaviour, number).url))
            if response.tier == .disk { records.noteFromDisk() }
            guard let problem = image.problem(with: response.image, isFullSize: true) else { return }
            records.fail("afterwards: \(image.path): WRONG IMAGE from \(response.tier.rawValue): \(problem)")
        } catch { records.fail("afterwards: \(image.path): \(error)") }
    }

    private func source(of misbehaviour: Misbehaviour, _ number: Int) throws -> LoadSource {
        if let localSource = misbehaviour.localSource { return try localSource(local, number) }
        let path = misbehaviour.path(number)
        // All kinds of responses share the hosts, and so their connections.
        let port = misbehaviour.pace == .limited ? ports[Self.hosts - 1] : ports[number % (Self.hosts - 1)]
        guard let url = URL(string: "http://127.0.0.1:\(port)\(path)") else {
            throw ImageError(.invalidRequest, message: "\(path) makes no URL.")
        }
        return LoadSource(url: url) { [StormImage(path: path)] }
    }
}
