// Instructions SCENARIO COUNT: does one thing COUNT times, and nothing else. The difference of two runs, divided by the
// difference of their counts, is the cost of one time without the start.
import Dispatch
import ImageCaching
import ImageCore
import ImageLoading
import InstantPlugIns

func url(_ index: Int) -> URL { URL(string: "https://example.org/\(index).jpg") ?? URL(filePath: "/") }

/// Runs `body` and blocks the main thread until it has ended.
func wait(_ body: @escaping @Sendable () async throws -> Void) {
    let done = DispatchSemaphore(value: 0)
    Task {
        do { try await body() } catch { print("Instructions: \(error)") }
        done.signal()
    }
    done.wait()
}

func run(_ scenario: String, _ count: Int) throws -> Bool {
    let decoder = try InstantDecoder()
    var configuration = ImageLoader.Configuration(dataLoader: InstantLoader(), decoder: decoder)
    if scenario.hasPrefix("hit") || scenario == "prefetch" { configuration.memoryCache = MemoryCache() }
    let loader = ImageLoader(configuration)
    let hit = ImageRequest(url: url(0))
    switch scenario {
    case "hit":
        wait { _ = try await loader.image(for: hit) }
        for _ in 0..<count where loader.cachedImage(for: hit) == nil { return false }
    case "hit-await":
        wait {
            _ = try await loader.image(for: hit)
            for _ in 0..<count { _ = try await loader.image(for: hit) }
        }
    case "cold", "cold-2":
        let processors = scenario == "cold-2" ? [IdentityProcessor(number: 0), IdentityProcessor(number: 1)] : []
        let requests = (0..<count).map {
            processors.isEmpty ? ImageRequest(url: url($0)) : ImageRequest(url: url($0), processors: processors)
        }
        // The script subtracts the cost of making the requests, which the scenario "requests" measures.
        wait { for request in requests { _ = try await loader.image(for: request) } }
    case "requests": withExtendedLifetime((0..<count).map { ImageRequest(url: url($0)) }) {}
    case "join":
        loader.isPaused = true
        let remote = ImageRequest(url: URL(string: "http://example.org/x")!)
        let tasks = (0..<count).map { _ in loader.task(for: remote) }
        loader.isPaused = false
        wait { for task in tasks { _ = try await task.response } }
    case "waiting":
        loader.isPaused = true
        let tasks = (0..<count).map { loader.task(for: ImageRequest(url: URL(string: "http://example.org/\($0)")!)) }
        wait { while loader.activity.queued < count { await Task.yield() } }
        withExtendedLifetime(tasks) {}
    case "cancel":
        let requests = (0..<count).map { ImageRequest(url: url($0)) }
        for request in requests { loader.task(for: request).cancel() }
        wait { while loader.activity.work > 0 { await Task.yield() } }
    case "prefetch":
        let prefetcher = ImagePrefetcher(loader: loader)
        prefetcher.start((0..<count).map { ImageRequest(url: url($0)) })
        wait { await prefetcher.waitUntilIdle() }
    default: return false
    }
    return true
}

let arguments = CommandLine.arguments
guard arguments.count == 3, let count = Int(arguments[2]), try run(arguments[1], count) else {
    print("usage: Instructions hit|hit-await|cold|cold-2|requests|join|cancel|prefetch COUNT")
    throw CancellationError()
}
