// instructions SCENARIO COUNT: does one thing so many times, and nothing else. Two runs with different counts and one
// subtraction give what each time costs, start-up left out.
import Dispatch
import ImageCaching
import ImageCore
import ImageLoading

/// Answers everything with the same bytes, at once.
struct InstantLoader: DataLoading {
    let body = Data([0])

    func load(_ request: DataRequest) async throws -> DataResponse { DataResponse(url: request.url, body: ByteStream(body)) }
}

/// Takes everything for the same picture.
struct InstantDecoder: Decoding {
    static let format = ImageFormat(rawValue: "instant")

    let picture: DecodedImage
    let isInline: Bool

    var formats: [ImageFormat] { [Self.format] }

    func format(of head: Data) -> ImageFormat? { Self.format }

    func info(of data: Data, limits: DecodingLimits) throws -> ImageInfo { ImageInfo(format: Self.format, size: picture.size) }

    func decodesInline(_ data: Data, options: DecodeOptions) -> Bool { isInline }

    func decode(_ data: Data, options: DecodeOptions) throws -> DecodedImage { picture }
}

/// A processor that does nothing.
struct Untouched: Processing {
    let number: Int

    var identifier: String { "untouched(\(number))" }

    func process(_ image: DecodedImage, context: ProcessingContext) throws -> DecodedImage { image }
}

func url(_ index: Int) -> URL { URL(filePath: "/\(index)", directoryHint: .notDirectory) }

/// Waits on the main thread for what runs elsewhere.
func wait(_ body: @escaping @Sendable () async throws -> Void) {
    let done = DispatchSemaphore(value: 0)
    Task {
        do { try await body() } catch { print("instructions: \(error)") }
        done.signal()
    }
    done.wait()
}

func run(_ scenario: String, _ count: Int) throws -> Bool {
    let size = PixelSize(width: 1, height: 1)
    let picture = DecodedImage(try Bitmap(size: size, format: .gray8, alpha: .opaque) { _, _ in })
    let decoder = InstantDecoder(picture: picture, isInline: scenario != "cold-worker")
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
    case "cold", "cold-worker", "cold-2":
        let processors = scenario == "cold-2" ? [Untouched(number: 0), Untouched(number: 1)] : []
        let requests = (0..<count).map { ImageRequest(url: url($0), processors: processors) }
        // Making the requests is no part of it: the other run makes none, see the script.
        wait { for request in requests { _ = try await loader.image(for: request) } }
    case "requests": withExtendedLifetime((0..<count).map { ImageRequest(url: url($0), processors: []) }) {}
    case "join":
        loader.isPaused = true
        let remote = ImageRequest(url: URL(string: "http://example.org/x")!)
        let tasks = (0..<count).map { _ in loader.task(for: remote) }
        loader.isPaused = false
        wait { for task in tasks { _ = try await task.response } }
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
    print("usage: instructions hit|hit-await|cold|cold-worker|cold-2|requests|join|cancel|prefetch COUNT")
    throw CancellationError()
}
