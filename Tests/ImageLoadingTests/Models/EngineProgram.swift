import CalotypeTesting
import Foundation
import HTTPTypes
import ImageCore
import ImageLoading
import ImageNetworking

/// One loader, its script and the loads of one random program.
///
/// Image `n` is red with value `n`, and each processor adds ten. Image 6 is never found. Image 7 is never found, and
/// has image 5 as its fallback. Image 8 is lost at the first attempt of each fetch, and found at the next; some loads
/// allow no second one.
final class EngineProgram: Sendable {
    private struct Load: Sendable {
        let task: ImageTask
        let number: Int
        let additions: Int
        let hasLowResolution: Bool
        let deadline: Duration?
        let allowsRetries: Bool
        let began: Duration
        var isCancelled = false
        let ends: EventLog<Result<ImageResponse, LoadFailure>>
        let problems: EventLog<String>
    }

    private let gate = Gate()
    private let network: ModelNetwork
    private let loader: ImageLoader
    private let memory = LoggedMemoryCache()
    private let clock = ManualClock()
    private let observer = OrderObserver()
    private let seed: UInt64

    init(seed: UInt64) {
        self.seed = seed
        let network = ModelNetwork(gate)
        self.network = network
        var configuration = ImageLoader.Configuration(
            dataLoader: CountingLoader(
                loader: RetryingLoader(network, policy: .default, clock: clock)),
            decoder: ModelDecoder(), memoryCache: memory, dataCache: LoggedDataCache())
        configuration.limits.fetches = 4
        configuration.limits.fetchesPerHost = 3
        configuration.limits.workers = 2
        configuration.clock = clock
        configuration.previewInterval = .zero
        // Every other program is watched by an observer.
        if seed.isMultiple(of: 2) { configuration.observers = [observer] }
        loader = ImageLoader(configuration)
    }

    /// Runs the program. Returns what went wrong; `nil` where nothing did.
    func run(steps: Int) async -> String? {
        var random = SeededGenerator(seed: seed)
        var loads: [Load] = []
        for _ in 0..<steps {
            switch Int.random(in: 0..<100, using: &random) {
            case 0..<42: loads.append(start(&random))
            case 42..<57 where !loads.isEmpty:
                let index = Int.random(in: loads.indices, using: &random)
                loads[index].task.cancel()
                loads[index].isCancelled = true
            case 57..<65 where !loads.isEmpty:
                loads.randomElement(using: &random)?.task.priority = LoadPriority.allCases.randomElement(using: &random) ?? .low
            case 65..<67: loader.isPaused = Bool.random(using: &random)
            case 67..<69: memory.removeAll()
            case 69..<72: clock.advance(by: .seconds(1))
            case 72..<80: await Task.yield()
            default: gate.letOneThrough()
            }
        }
        loader.isPaused = false
        gate.open()
        // Retries wait for the clock.
        let time = Task { [clock] in
            while !Task.isCancelled {
                clock.advance(by: .milliseconds(100))
                await Task.yield()
            }
        }
        defer { time.cancel() }
        for load in loads {
            let result: Result<ImageResponse, LoadFailure>
            do { result = .success(try await load.task.response) } catch { result = .failure(error) }
            if let problem = check(load, among: loads, result) { return problem }
        }
        while loader.activity != ImageLoader.Activity() { await Task.yield() }
        for load in loads {
            await load.ends.wait(forCount: 1)
            if load.ends.count != 1 { return "load \(load.number) ended \(load.ends.count) times" }
            if let problem = load.problems.events.first { return problem }
        }
        // The loader can be idle a moment before the thread that ended its last stage has reported that.
        var tries = 0
        while observer.problem != nil, tries < 1_000_000 {
            tries += 1
            await Task.yield()
        }
        if let problem = network.problem ?? observer.problem { return problem }
        return await nothingIsRetained(&loads)
    }

    private func start(_ random: inout SeededGenerator) -> Load {
        let number = Int.random(in: 0..<9, using: &random)
        let additions = Int.random(in: 0...2, using: &random)
        var request = ImageRequest(
            .url(URL(string: "http://host\(number % 2)/\(number)")!),
            purpose: LoadPurpose.allCases.randomElement(using: &random) ?? .plain)
        if number == 7 { request.fallbacks = [.url(URL(string: "http://host0/5")!)] }
        let hasLowResolution = number < 5 && Int.random(in: 0..<6, using: &random) == 0
        if hasLowResolution { request.lowResolution = .url(URL(string: "http://host0/\(number + 100)")!) }
        request.options.processors = (0..<additions).map { Addition(number: $0) }
        request.options.priority = LoadPriority.allCases.randomElement(using: &random) ?? .normal
        request.options.cachePolicy = [.memoryAndDisk, .memoryOnly, .diskOnly].randomElement(using: &random) ?? .noCache
        request.options.previews = Bool.random(using: &random) ? PreviewPolicy.incremental : PreviewPolicy.none
        let deadline = Int.random(in: 0..<5, using: &random) == 0 ? Duration.seconds(Int.random(in: 1...9, using: &random)) : nil
        if let deadline { request.options.deadline = deadline }
        let allowsRetries = Int.random(in: 0..<20, using: &random) > 0
        if !allowsRetries { request.options.retries = 0 }
        let (ends, problems) = (EventLog<Result<ImageResponse, LoadFailure>>(), EventLog<String>())
        let source = number == 7 ? 5 : number
        let handle = loader.task(for: request) { event in
            switch event {
            case .finished(let result): ends.append(result)
            case .progress: if ends.count > 0 { problems.append("progress after the end of a load of \(number)") }
            case .preview(let image):
                if ends.count > 0 { problems.append("a preview after the end of a load of \(number)") }
                if !image.isPreview { problems.append("a preview of \(number) that is none") }
                let value = Int(red(image))
                let isLow = hasLowResolution && (value - 10 * additions) == number + 100
                // A cached image of the resource with fewer processors may stand in.
                let isOwn = (0...additions).contains { value == source + 10 * $0 }
                if !isOwn, !isLow { problems.append("a load of \(number) was shown \(value)") }
            }
        }
        return Load(
            task: handle, number: number, additions: additions, hasLowResolution: hasLowResolution,
            deadline: deadline, allowsRetries: allowsRetries, began: clock.now.offset, ends: ends, problems: problems)
    }

    private func check(_ load: Load, among loads: [Load], _ result: Result<ImageResponse, LoadFailure>) -> String? {
        switch result {
        case .success(let response):
            if response.tier == .network, response.metrics.retries != (load.number == 8 ? 1 : 0) {
                return "load of \(load.number) took \(response.metrics.retries) retries"
            }
            let expected = (load.number == 7 ? 5 : load.number) + 10 * load.additions
            return Int(red(response.image)) == expected && !response.image.isPreview
                ? nil : "load of \(load.number) got \(red(response.image))"
        case .failure(.cancelled): return load.isCancelled ? nil : "load of \(load.number) was cancelled by no one"
        case .failure(.failed(let error)):
            if error.code == .deadlineExceeded {
                let isDue = load.deadline.map { clock.now.offset - load.began >= $0 } ?? false
                return isDue ? nil : "load of \(load.number) ended at a deadline before its time"
            }
            if load.number == 8, error.code == .connectionLost {
                // The load that begins a fetch says how often it is retried; no retry begins that would wait beyond the
                // deadline.
                let mayFail = loads.contains { $0.number == 8 && (!$0.allowsRetries || $0.deadline != nil) }
                return mayFail ? nil : "load of 8 was not retried: \(error)"
            }
            return load.number == 6 && error.status == 404 ? nil : "load of \(load.number) failed: \(error)"
        }
    }

    /// The thread that ended a load lets go of it a moment after its end was reported; nothing may hold it for longer.
    private func nothingIsRetained(_ loads: inout [Load]) async -> String? {
        weak var last: ImageTask?
        last = loads.last?.task
        loads = []
        let limit = ContinuousClock.now + .seconds(30)
        while last != nil, .now < limit { await Task.yield() }
        return last == nil ? nil : "a task outlives its load"
    }
}

/// Answers from a script behind a gate, in two chunks, and watches what runs at a time.
private final class ModelNetwork: DataLoading {
    private struct State {
        var running: [URL] = []
        var problem: String?
    }

    private let gate: Gate
    private let state = Lock(State())

    init(_ gate: Gate) { self.gate = gate }

    var problem: String? { state.withLock { $0.problem } }

    func load(_ request: DataRequest) async throws -> DataResponse {
        state.withLock { state in
            state.running.append(request.url)
            if state.running.count > 4 { state.problem = "more fetches run than may" }
            if state.running.count(where: { $0.host() == request.url.host() }) > 3 { state.problem = "a host is over its limit" }
        }
        defer {
            state.withLock { state in
                if let index = state.running.firstIndex(of: request.url) { state.running.remove(at: index) }
            }
        }
        try await gate.pass()
        let number = UInt8(request.url.lastPathComponent) ?? 0
        if number == 8, CountingLoader.nextAttempt() == 1 {
            throw ImageError(.connectionLost, message: "The first attempt is lost.")
        }
        guard number != 6, number != 7 else {
            return DataResponse(url: request.url, head: HTTPResponse(status: .notFound), body: ByteStream(Data()))
        }
        let chunks = Lock([Data(repeating: number, count: 64), Data(repeating: number, count: 64)])
        return DataResponse(
            url: request.url, body: ByteStream { chunks.withLock { $0.isEmpty ? nil : $0.removeFirst() } })
    }
}

/// Counts the attempts that a loader makes of each of its requests.
private struct CountingLoader: DataLoading {
    private final class Attempts: Sendable {
        private let count = Lock(0)

        func next() -> Int {
            count.withLock { count in
                count += 1
                return count
            }
        }
    }

    @TaskLocal private static var attempts: Attempts?

    let loader: any DataLoading

    func load(_ request: DataRequest) async throws -> DataResponse {
        try await Self.$attempts.withValue(Attempts()) { try await loader.load(request) }
    }

    /// The number of the attempt that begins now, from 1.
    static func nextAttempt() -> Int { attempts?.next() ?? 0 }
}

/// Images of one colour, named by each byte; shows previews.
private struct ModelDecoder: IncrementalDecoding {
    private let base = ScriptedDecoder()

    var formats: [ImageFormat] { base.formats }
    func format(of head: Data) -> ImageFormat? { base.format(of: head) }
    func info(of data: Data, limits: DecodingLimits) throws -> ImageInfo { try base.info(of: data, limits: limits) }
    func decode(_ data: Data, options: DecodeOptions) throws -> DecodedImage { try base.decode(data, options: options) }
    func makeIncrementalDecoder(for head: Data, options: DecodeOptions) -> (any IncrementalDecoder)? { Pieces(base, options) }

    private final class Pieces: IncrementalDecoder {
        private let base: ScriptedDecoder
        private let options: DecodeOptions

        init(_ base: ScriptedDecoder, _ options: DecodeOptions) { (self.base, self.options) = (base, options) }

        func preview(of prefix: Data) throws -> DecodedImage? { try base.decode(prefix, options: options) }
    }
}

private struct Addition: Processing {
    let number: Int
    var identifier: String { "add-ten-\(number)" }
    func process(_ image: DecodedImage, context: ProcessingContext) throws -> DecodedImage {
        image.with(try TestImages.solid(red: red(image) + 10).bitmap)
    }
}

/// Checks the order of observations: each load starts and finishes once, and each stage that begins ends.
private final class OrderObserver: LoadObserving {
    private struct Seen {
        var ended: Set<LoadID> = []
        var started: Set<LoadID> = []
        var stages: [LoadID: [LoadStage: Int]] = [:]
        var problem: String?
    }

    private let seen = Lock(Seen())

    var problem: String? {
        seen.withLock { seen in
            if let problem = seen.problem { return problem }
            if seen.started != seen.ended { return "an observer saw \(seen.started.count) starts and \(seen.ended.count) ends" }
            return seen.stages.values.contains { $0.values.contains { $0 != 0 } } ? "a stage that began did not end" : nil
        }
    }

    func observe(_ observation: LoadObservation, of load: LoadID, request: ImageRequest) {
        seen.withLock { seen in
            switch observation {
            case .started: if !seen.started.insert(load).inserted { seen.problem = "\(load) started twice" }
            case .finished: if !seen.ended.insert(load).inserted { seen.problem = "\(load) ended twice" }
            case .stageBegan(let stage), .waitBegan(let stage): seen.stages[load, default: [:]][stage, default: 0] += 1
            case .stageEnded(let stage, _), .waitEnded(let stage, _): seen.stages[load, default: [:]][stage, default: 0] -= 1
            case .joined(let other):
                if other == load || !seen.started.contains(other) { seen.problem = "\(load) joined \(other)" }
            case .progress, .cacheLookup, .cacheFailed: break
            }
        }
    }
}
