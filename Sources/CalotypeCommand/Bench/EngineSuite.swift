internal import ImageCaching
internal import ImageCore
internal import ImageLoading

extension BenchmarkSuite {
    /// What the engine costs by itself: sources answer at once, and decoding costs nothing.
    static let engine = BenchmarkSuite(name: "engine", about: "what a load costs beside fetching and decoding") { effort in
        let bench = EngineBench(effort: effort)
        return [
            try await bench.memoryHit(),
            try await bench.coldLoad(processors: 0, peer: 19.9),
            try await bench.coldLoad(processors: 2, peer: 37),
            try await bench.joining(),
            await bench.cancellationStorm(),
            try await bench.prefetching(),
        ]
    }
}

private struct EngineBench {
    let effort: BenchmarkEffort
    private let clock = ContinuousClock()

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

    func coldLoad(processors: Int, peer: Double) async throws -> BenchmarkRow {
        let loader = try makeLoader(hasMemoryCache: false)
        let count = effort.scaled(20_000)
        let requests = (0..<count).map { index in
            ImageRequest(url: Self.url(index), processors: (0..<processors).map { Untouched(number: $0) })
        }
        let median = try await effort.median {
            try await perItem(count) { for request in requests { _ = try await loader.image(for: request) } }
        }
        return row("cold load" + (processors == 0 ? "" : ", \(processors) processors"), median, peer: peer)
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

    /// Microseconds per item.
    private func perItem(_ count: Int, _ body: () async throws -> Void) async rethrows -> Double {
        let time = try await clock.measure { try await body() }
        return Units.milliseconds(time) * 1000 / Double(count)
    }

    /// The peer's figures are those of Nuke 14, its core compiled for Linux, recorded on two cores.
    private func row(_ name: String, _ median: Double, peer: Double, reach: Double = 0.5) -> BenchmarkRow {
        BenchmarkRow(
            suite: "engine", name: name, median: median, unit: "µs",
            peer: BenchmarkRow.Peer(name: "Nuke 14", value: peer, ranHere: false, reach: reach))
    }

    private func makeLoader(hasMemoryCache: Bool) throws -> ImageLoader {
        let size = PixelSize(width: 1, height: 1)
        let picture = DecodedImage(try unsafe Bitmap(size: size, format: .gray8, alpha: .opaque) { _, _ in })
        return ImageLoader(
            ImageLoader.Configuration(
                dataLoader: InstantLoader(), decoder: InstantDecoder(picture: picture),
                memoryCache: hasMemoryCache ? MemoryCache() : nil))
    }

    private static func url(_ index: Int) -> URL { URL(filePath: "/\(index)", directoryHint: .notDirectory) }
}

/// Answers everything with the same bytes, at once.
private struct InstantLoader: DataLoading {
    private let body = Data([0])

    func load(_ request: DataRequest) async throws -> DataResponse { DataResponse(url: request.url, body: ByteStream(body)) }
}

/// Takes everything for the same picture.
private struct InstantDecoder: Decoding {
    private static let format = ImageFormat(rawValue: "instant")

    let picture: DecodedImage

    var formats: [ImageFormat] { [Self.format] }

    func format(of head: Data) -> ImageFormat? { Self.format }

    func info(of data: Data, limits: DecodingLimits) throws -> ImageInfo { ImageInfo(format: Self.format, size: picture.size) }

    func decode(_ data: Data, options: DecodeOptions) throws -> DecodedImage { picture }
}

/// A processor that does nothing.
private struct Untouched: Processing {
    let number: Int

    var identifier: String { "bench.untouched(\(number))" }

    func process(_ image: DecodedImage, context: ProcessingContext) throws -> DecodedImage { image }
}
