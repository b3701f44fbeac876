import CalotypeTesting
import Foundation
import HTTPTypes
import ImageCore
import ImageLoading
import Testing

/// Random programs of starts, cancels, changes of priority and pauses, run against a whole loader whose plug-ins follow a
/// script, and checked against what each load must come to.
@Suite struct EngineModel {
    @Test func randomProgramsAgainstTheWholeEngineKeepEveryPromise() async throws {
        let environment = ProcessInfo.processInfo.environment
        let steps = (environment["CALOTYPE_MODEL_STEPS"].flatMap(Int.init) ?? 120_000) / 20
        let seeds =
            if let seed = environment["CALOTYPE_MODEL_SEED"].flatMap(UInt64.init) { [seed] } else {
                (0..<UInt64(max(1, steps / 500))).map { $0 }
            }
        for seed in seeds {
            if let problem = await Program(seed: seed).run(steps: 500) {
                Issue.record("seed \(seed): \(problem)")
                return
            }
        }
    }
}

/// One loader, its script and the loads of one program.
private final class Program: Sendable {
    private struct Load: Sendable {
        let task: ImageTask
        let number: Int
        let additions: Int
        var isCancelled = false
        let ends: EventLog<Result<ImageResponse, LoadFailure>>
    }

    private static let fetches = 4
    private let seed: UInt64
    private let gate = Gate()
    private let watch: Watch
    private let loader: ImageLoader
    private let memory = LoggedMemoryCache()

    init(seed: UInt64) {
        self.seed = seed
        let watch = Watch(gate)
        self.watch = watch
        var configuration = ImageLoader.Configuration(
            dataLoader: watch, decoder: ScriptedDecoder(), memoryCache: memory, dataCache: LoggedDataCache())
        configuration.limits.fetches = Self.fetches
        configuration.limits.fetchesPerHost = 3
        configuration.limits.workers = 2
        loader = ImageLoader(configuration)
    }

    func run(steps: Int) async -> String? {
        var random = SeededGenerator(seed: seed)
        var loads: [Load] = []
        for _ in 0..<steps {
            switch Int.random(in: 0..<100, using: &random) {
            case 0..<45: loads.append(start(&random))
            case 45..<60 where !loads.isEmpty:
                let index = Int.random(in: loads.indices, using: &random)
                loads[index].task.cancel()
                loads[index].isCancelled = true
            case 60..<68 where !loads.isEmpty:
                loads.randomElement(using: &random)?.task.priority = LoadPriority.allCases.randomElement(using: &random) ?? .low
            case 68..<70: loader.isPaused = Bool.random(using: &random)
            case 70..<72: memory.removeAll()
            case 72..<80: await Task.yield()
            default: gate.letOneThrough()
            }
        }
        loader.isPaused = false
        gate.open()
        for load in loads {
            let result: Result<ImageResponse, LoadFailure>
            do { result = .success(try await load.task.response) } catch { result = .failure(error) }
            if let problem = check(load, result) { return problem }
        }
        while loader.activity != ImageLoader.Activity() { await Task.yield() }
        for load in loads {
            await load.ends.wait(forCount: 1)
            if load.ends.count != 1 { return "load \(load.number) ended \(load.ends.count) times" }
        }
        if let problem = watch.problem { return problem }
        return await nothingIsRetained(&loads)
    }

    private func start(_ random: inout SeededGenerator) -> Load {
        let number = Int.random(in: 0..<8, using: &random)
        let additions = Int.random(in: 0...2, using: &random)
        // Pictures 6 and 7 are never found, and 7 has a second source.
        var request = ImageRequest(
            .url(URL(string: "http://host\(number % 2)/\(number)")!),
            purpose: LoadPurpose.allCases.randomElement(using: &random) ?? .plain)
        if number == 7 { request.fallbacks = [.url(URL(string: "http://host0/5")!)] }
        request.options.processors = (0..<additions).map { Addition(number: $0) }
        request.options.priority = LoadPriority.allCases.randomElement(using: &random) ?? .normal
        request.options.cachePolicy = [.memoryAndDisk, .memoryOnly, .diskOnly].randomElement(using: &random) ?? .noCache
        let ends = EventLog<Result<ImageResponse, LoadFailure>>()
        let handle = loader.load(request) { event in if case .finished(let result) = event { ends.append(result) } }
        return Load(task: handle as! ImageTask, number: number, additions: additions, ends: ends)
    }

    private func check(_ load: Load, _ result: Result<ImageResponse, LoadFailure>) -> String? {
        switch result {
        case .success(let response):
            let expected = (load.number == 7 ? 5 : load.number) + 10 * load.additions
            return Int(red(response.image)) == expected ? nil : "load of \(load.number) got \(red(response.image))"
        case .failure(.cancelled): return load.isCancelled ? nil : "load of \(load.number) was cancelled by nobody"
        case .failure(.failed(let error)):
            return load.number == 6 && error.status == 404 ? nil : "load of \(load.number) failed: \(error)"
        }
    }

    /// The thread that ended a load lets go of it a moment after its end was told; nobody may hold it for longer.
    private func nothingIsRetained(_ loads: inout [Load]) async -> String? {
        weak var last: ImageTask?
        last = loads.last?.task
        loads = []
        let limit = ContinuousClock.now + .seconds(30)
        while last != nil, .now < limit { await Task.yield() }
        return last == nil ? nil : "a task outlives its load"
    }
}

/// Answers from a script behind a gate, and watches what runs at a time.
private final class Watch: DataLoading {
    private let gate: Gate
    private let running = Lock<(urls: [URL], problem: String?)>(([], nil))

    init(_ gate: Gate) { self.gate = gate }

    var problem: String? { running.withLock { $0.problem } }

    func load(_ request: DataRequest) async throws -> DataResponse {
        running.withLock { running in
            running.urls.append(request.url)
            if running.urls.count > 4 { running.problem = "more fetches run than may" }
            if running.urls.count(where: { $0.host() == request.url.host() }) > 3 { running.problem = "a host is over its limit" }
        }
        defer {
            running.withLock { running in
                if let index = running.urls.firstIndex(of: request.url) { running.urls.remove(at: index) }
            }
        }
        try await gate.pass()
        let number = UInt8(request.url.lastPathComponent) ?? 0
        guard number < 6 else {
            return DataResponse(url: request.url, head: HTTPResponse(status: .notFound), body: ByteStream(Data()))
        }
        return DataResponse(url: request.url, body: ByteStream(Data([number])))
    }
}

private struct Addition: Processing {
    let number: Int
    var identifier: String { "add-ten-\(number)" }
    func process(_ image: DecodedImage, context: ProcessingContext) throws -> DecodedImage {
        image.with(try TestPictures.solid(red: red(image) + 10).bitmap)
    }
}
