internal import CCalotypeHeap
internal import ImageCaching
internal import ImageCore
internal import ImageLoading

extension BenchmarkSuite {
    /// What the engine costs by itself: sources answer at once, and decoding costs nothing.
    static let engine = BenchmarkSuite(name: "engine", about: "what a load costs beside fetching and decoding") { effort in
        let bench = EngineBench(effort: effort)
        return [
            try await bench.memoryHitByRequest(),
            try await bench.memoryHit(),
            try await bench.coldLoad(processors: 0, peer: 19.9),
            try await bench.coldLoad(processors: 0, decodesInline: false, peer: 26.2),
            try await bench.coldLoad(processors: 2, peer: 37),
            try await bench.joining(),
            await bench.cancellationStorm(),
            try await bench.prefetching(),
        ] + (try await bench.outstanding())
    }
}

private struct EngineBench {
    let effort: BenchmarkEffort
    private let clock = ContinuousClock()

    /// Asked for without waiting, as a view asks before it shows a placeholder.
    func memoryHitByRequest() async throws -> BenchmarkRow {
        let loader = try makeLoader(hasMemoryCache: true)
        let request = ImageRequest(.url(Self.url(0)))
        _ = try await loader.image(for: request)
        let count = effort.scaled(1_000_000)
        var missed = 0
        let median = await effort.median {
            await perItem(count) { for _ in 0..<count where loader.cachedImage(for: request) == nil { missed += 1 } }
        }
        return row("memory hit by request", missed == 0 ? median : .nan, peer: 0.284, reach: 0.11 / 0.284)
    }

    func memoryHit() async throws -> BenchmarkRow {
        let loader = try makeLoader(hasMemoryCache: true)
        let request = ImageRequest(.url(Self.url(0)))
        _ = try await loader.image(for: request)
        let count = effort.scaled(100_000)
        let median = try await effort.median {
            try await perItem(count) { for _ in 0..<count { _ = try await loader.image(for: request) } }
        }
        return row("memory hit through the front door", median, peer: 3.2)
    }

    /// - Parameter decodesInline: whether the decoder says that its decodes need no worker thread; the peer has both, too.
    func coldLoad(processors: Int, decodesInline: Bool = true, peer: Double) async throws -> BenchmarkRow {
        let loader = try makeLoader(hasMemoryCache: false, decodesInline: decodesInline)
        let count = effort.scaled(20_000)
        let requests = (0..<count).map { index in
            ImageRequest(url: Self.url(index), processors: (0..<processors).map { Untouched(number: $0) })
        }
        let median = try await effort.median {
            try await perItem(count) { for request in requests { _ = try await loader.image(for: request) } }
        }
        let what = decodesInline ? processors == 0 ? "" : ", \(processors) processors" : ", decoded on a worker"
        return row("cold load" + what, median, peer: peer)
    }

    /// Many loads of one picture at once.
    func joining() async throws -> BenchmarkRow {
        let count = effort.scaled(10_000)
        let request = ImageRequest(.url(Self.url(0)))
        let median = try await effort.median {
            let loader = try makeLoader(hasMemoryCache: false)
            loader.isPaused = true
            return try await perItem(count) {
                let tasks = (0..<count).map { _ in loader.task(for: request) }
                loader.isPaused = false
                for task in tasks { _ = try await task.response }
            }
        }
        return row("joining a load and getting its result", median, peer: 4.35)
    }

    func cancellationStorm() async -> BenchmarkRow {
        let count = effort.scaled(10_000)
        let requests = (0..<count).map { ImageRequest(.url(Self.url($0))) }
        let median = await effort.median {
            guard let loader = try? makeLoader(hasMemoryCache: false) else { return .nan }
            return await perItem(count) {
                for request in requests { loader.task(for: request).cancel() }
            }
        }
        return row("start and cancel at once", median, peer: 10.2)
    }

    /// From the start to an idle prefetcher, every picture in the memory cache.
    func prefetching() async throws -> BenchmarkRow {
        let count = effort.scaled(20_000)
        let urls = (0..<count).map(Self.url)
        let median = try await effort.median {
            let prefetcher = ImagePrefetcher(loader: try makeLoader(hasMemoryCache: true))
            return await perItem(count) {
                prefetcher.start(urls)
                await prefetcher.waitUntilIdle()
            }
        }
        return row("prefetch to memory, each URL", median, peer: 18.1, reach: 8 / 18.1)
    }

    /// What each load takes of memory while it waits: for a slot, as nearly all do, and with its fetch under way.
    func outstanding() async throws -> [BenchmarkRow] {
        let count = 10_000
        let requests = (0..<count).compactMap { URL(string: "https://example.org/\($0).jpg").map { ImageRequest(url: $0) } }
        var rows: [BenchmarkRow] = []
        for (name, fetches) in [("outstanding load", 6), ("outstanding load that is being fetched", count)] {
            let network = HeldLoader()
            let loader = try makeLoader(hasMemoryCache: true, dataLoader: network) {
                ($0.limits.fetches, $0.limits.fetchesPerHost) = (fetches, fetches)
            }
            let before = calotype_heap_bytes()
            let tasks = requests.map { loader.task(for: $0) }
            while network.held < fetches { await Task.yield() }
            let after = calotype_heap_bytes()
            network.release()
            for task in tasks { _ = try await task.response }
            // Where the allocator does not tell.
            guard before > 0 else { continue }
            rows.append(row(name, Double(after - before) / Double(count), unit: "bytes", peer: 4_300, reach: 2_000 / 4_300))
        }
        return rows
    }

    /// Microseconds per item.
    private func perItem(_ count: Int, _ body: () async throws -> Void) async rethrows -> Double {
        let time = try await clock.measure { try await body() }
        return Units.milliseconds(time) * 1000 / Double(count)
    }

    /// The peer's figures are those of Nuke 14, its core compiled for Linux, recorded on two cores.
    private func row(
        _ name: String, _ median: Double, unit: String = "µs", peer: Double, reach: Double = 0.5
    ) -> BenchmarkRow {
        BenchmarkRow(
            suite: "engine", name: name, median: median, unit: unit,
            peer: BenchmarkRow.Peer(name: "Nuke 14", value: peer, ranHere: false, reach: reach))
    }

    private func makeLoader(
        hasMemoryCache: Bool, decodesInline: Bool = true, dataLoader: any DataLoading = InstantLoader(),
        _ adjust: (inout ImageLoader.Configuration) -> Void = { _ in }
    ) throws -> ImageLoader {
        let size = PixelSize(width: 1, height: 1)
        let picture = DecodedImage(try unsafe Bitmap(size: size, format: .gray8, alpha: .opaque) { _, _ in })
        var configuration = ImageLoader.Configuration(
            dataLoader: dataLoader, decoder: InstantDecoder(picture: picture, isInline: decodesInline),
            memoryCache: hasMemoryCache ? MemoryCache() : nil)
        adjust(&configuration)
        return ImageLoader(configuration)
    }

    private static func url(_ index: Int) -> URL { URL(filePath: "/\(index)", directoryHint: .notDirectory) }
}

/// Answers everything with the same bytes, at once.
private struct InstantLoader: DataLoading {
    private let body = Data([0])

    func load(_ request: DataRequest) async throws -> DataResponse { DataResponse(url: request.url, body: ByteStream(body)) }
}

/// Answers nothing until it is told to, then everything.
private final class HeldLoader: DataLoading {
    @safe private struct State {
        var waiting: [UnsafeContinuation<Void, Never>]
        var isOpen: Bool

        init(isOpen: Bool) {
            unsafe waiting = []
            self.isOpen = isOpen
        }
    }

    private let state = Lock(State(isOpen: false))

    /// How many requests wait for their answers.
    var held: Int { state.withLock { unsafe $0.waiting.count } }

    func load(_ request: DataRequest) async throws -> DataResponse {
        // Unchecked: a checked continuation would be counted as memory of the load's.
        unsafe await withUnsafeContinuation { continuation in
            let isOpen = state.withLock { state in
                if !state.isOpen { unsafe state.waiting.append(continuation) }
                return state.isOpen
            }
            if isOpen { unsafe continuation.resume() }
        }
        return try await InstantLoader().load(request)
    }

    func release() {
        let waiting = unsafe state.withLock { state in
            defer { state = State(isOpen: true) }
            return unsafe state.waiting
        }
        unsafe waiting.forEach { unsafe $0.resume() }
    }
}

/// Takes everything for the same picture.
private struct InstantDecoder: Decoding {
    private static let format = ImageFormat(rawValue: "instant")

    let picture: DecodedImage
    let isInline: Bool

    var formats: [ImageFormat] { [Self.format] }

    func format(of head: Data) -> ImageFormat? { Self.format }

    func info(of data: Data, limits: DecodingLimits) throws -> ImageInfo { ImageInfo(format: Self.format, size: picture.size) }

    func decodesInline(_ data: Data, options: DecodeOptions) -> Bool { isInline }

    func decode(_ data: Data, options: DecodeOptions) throws -> DecodedImage { picture }
}

/// A processor that does nothing.
private struct Untouched: Processing {
    let number: Int

    var identifier: String { "bench.untouched(\(number))" }

    func process(_ image: DecodedImage, context: ProcessingContext) throws -> DecodedImage { image }
}
