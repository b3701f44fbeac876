internal import CBenchmarks
internal import Calotype
internal import Foundation
internal import InstantPlugIns

extension Suite {
    /// Measures the engine alone on one core: the network responds at once, and decoding takes no time. Nuke's recorded
    /// figures are of one core, too; with two cores, the time to wake a thread on the other core hides the rest.
    static let engine = Suite(name: "engine-one-core", summary: "the cost of a load without fetching and decoding") { effort, _ in
        if bench_usable_processors() > 1, let rows = try rowsOfOneCore("engine-one-core", effort) {
            return rows
        }
        let bench = EngineBench(effort: effort)
        return [
            try await bench.memoryHitByRequest(),
            try await bench.memoryHit(),
            try await bench.coldLoad("cold load", nuke: 19.9, budget: 18),
            await bench.handOvers(),
            try await bench.coldLoad("cold load, 2 processors", processors: 2, nuke: 37),
            try await bench.joining(),
            try await bench.cancelling(),
            try await bench.prefetching(),
        ] + (try await bench.outstanding())
    }

    /// Measures the same loads on all cores.
    static let engineOnAllCores = Suite(name: "engine-all-cores", summary: "the same loads on all cores") { effort, _ in
        let bench = EngineBench(effort: effort)
        return [try await bench.coldLoad("cold load, all cores"), try await bench.prefetching("prefetch, all cores")]
    }

    /// Returns the rows that this program measures on one core, or `nil` if the system cannot restrict a process to
    /// one.
    private static func rowsOfOneCore(_ suite: String, _ effort: Effort) throws -> [Row]? {
        let scratch = try ScratchFolder()
        defer { scratch.remove() }
        let file = scratch.file("rows.json")
        let command = [
            "taskset", "--cpu-list", "0", CommandLine.arguments[0], suite, "--effort", effort.rawValue, "--json", file,
            "--no-report",
        ]
        guard let child = try? ChildProcess(command), child.wait().status == 0,
            // In the tests of this package, the program is the test runner, which writes no rows.
            let rows = FileManager.default.contents(atPath: file)
        else { return nil }
        return try JSONDecoder().decode([Row].self, from: rows)
    }
}

private struct EngineBench {
    let effort: Effort
    private let clock = ContinuousClock()

    /// Reads the memory cache without waiting, like a view before it shows a placeholder.
    func memoryHitByRequest() async throws -> Row {
        let loader = try makeLoader(hasMemoryCache: true)
        let request = ImageRequest(.url(Self.url(0)))
        _ = try await loader.image(for: request)
        let count = effort.scaled(1_000_000)
        let samples = await effort.samples {
            await perItem(count) {
                for _ in 0..<count { precondition(loader.cachedImage(for: request) != nil, "every lookup is a hit") }
            }
        }
        return row("memory hit by request", samples, nuke: 0.284, budget: 0.25)
    }

    func memoryHit() async throws -> Row {
        let loader = try makeLoader(hasMemoryCache: true)
        let request = ImageRequest(.url(Self.url(0)))
        _ = try await loader.image(for: request)
        let count = effort.scaled(100_000)
        let samples = try await effort.samples {
            try await perItem(count) { for _ in 0..<count { _ = try await loader.image(for: request) } }
        }
        return row("memory hit, awaited", samples, nuke: 3.2, budget: 0.6)
    }

    func coldLoad(_ name: String, processors: Int = 0, nuke: Double? = nil, budget: Double? = nil) async throws -> Row {
        let loader = try makeLoader(hasMemoryCache: false)
        let count = effort.scaled(20_000)
        let requests = (0..<count).map { index in
            guard processors > 0 else { return ImageRequest(url: Self.url(index)) }
            return ImageRequest(url: Self.url(index), processors: (0..<processors).map { IdentityProcessor(number: $0) })
        }
        let samples = try await effort.samples {
            try await perItem(count) { for request in requests { _ = try await loader.image(for: request) } }
        }
        return row(name, samples, nuke: nuke, budget: budget)
    }

    /// The part of a cold load that is not the engine's to save.
    func handOvers() async -> Row {
        let count = effort.scaled(20_000)
        let handOvers = HandOvers()
        defer { handOvers.end() }
        let samples = await effort.samples {
            await perItem(count) { for _ in 0..<count { await handOvers.make() } }
        }
        return row("cold load, its switches between threads alone", samples)
    }

    /// Many loads of one image at once.
    func joining() async throws -> Row {
        let count = effort.scaled(10_000)
        let request = ImageRequest(.url(Self.url(0)))
        let samples = try await effort.samples {
            let loader = try makeLoader(hasMemoryCache: false)
            loader.isPaused = true
            return try await perItem(count) {
                let tasks = (0..<count).map { _ in loader.task(for: request) }
                loader.isPaused = false
                for task in tasks { _ = try await task.response }
            }
        }
        return row("join a load and get its result", samples, nuke: 4.35, budget: 4)
    }

    func cancelling() async throws -> Row {
        let count = effort.scaled(10_000)
        let requests = (0..<count).map { ImageRequest(.url(Self.url($0))) }
        let samples = try await effort.samples {
            let loader = try makeLoader(hasMemoryCache: false)
            return await perItem(count) {
                for request in requests { loader.task(for: request).cancel() }
            }
        }
        return row("start and cancel at once", samples, nuke: 10.2, budget: 10)
    }

    /// The time from the start until the prefetcher is idle, with every image in the memory cache.
    func prefetching(_ name: String? = nil) async throws -> Row {
        let count = effort.scaled(20_000)
        let urls = (0..<count).map(Self.url)
        let samples = try await effort.samples {
            let prefetcher = ImagePrefetcher(loader: try makeLoader(hasMemoryCache: true))
            return await perItem(count) {
                prefetcher.start(urls)
                await prefetcher.waitUntilIdle()
            }
        }
        guard let name else { return row("prefetch to memory, each URL", samples, nuke: 18.1, budget: 18) }
        return row(name, samples)
    }

    /// The memory of each load while it waits for a slot, as nearly all do, and while its image is fetched.
    func outstanding() async throws -> [Row] {
        let count = effort == .smoke ? 1_000 : 10_000
        let requests = (0..<count).compactMap { URL(string: "https://example.org/\($0).jpg").map { ImageRequest(url: $0) } }
        var rows: [Row] = []
        for (name, fetches, budget) in [("waiting request", 6, 16_000.0), ("request being fetched", count, 20_000)] {
            let network = HeldLoader()
            let loader = try makeLoader(hasMemoryCache: true, dataLoader: network) {
                ($0.limits.fetches, $0.limits.fetchesPerHost) = (fetches, fetches)
            }
            let before = Double(bench_heap_bytes())
            let tasks = requests.map { loader.task(for: $0) }
            while network.held < fetches { await Task.yield() }
            let after = Double(bench_heap_bytes())
            network.release()
            for task in tasks { _ = try await task.response }
            // Not every allocator reports the allocated memory.
            guard before > 0 else { continue }
            rows.append(row(name, [(after - before) / Double(count)], unit: "bytes", nuke: 4_300, budget: budget))
        }
        return rows
    }

    /// Microseconds per item.
    private func perItem(_ count: Int, _ body: () async throws -> Void) async rethrows -> Double {
        try await clock.measure { try await body() } / .microseconds(count)
    }

    /// - Parameter nuke: the figure of Nuke 14, its core compiled for Linux, recorded on one core.
    private func row(
        _ name: String, _ samples: [Double], unit: String = "µs", nuke: Double? = nil, budget: Double? = nil
    ) -> Row {
        Row(
            suite: "engine", name: name, samples: samples, unit: unit,
            peer: nuke.map { Row.Peer(name: "Nuke 14", value: $0, isRecorded: true) }, budget: budget.map { .atMost($0) })
    }

    private func makeLoader(
        hasMemoryCache: Bool, dataLoader: any DataLoading = InstantLoader(),
        _ adjust: (inout ImageLoader.Configuration) -> Void = { _ in }
    ) throws -> ImageLoader {
        var configuration = ImageLoader.Configuration(
            dataLoader: dataLoader, decoder: try InstantDecoder(), memoryCache: hasMemoryCache ? MemoryCache() : nil)
        adjust(&configuration)
        return ImageLoader(configuration)
    }

    private static func url(_ index: Int) -> URL { URL(string: "https://example.org/\(index).jpg") ?? URL(filePath: "/") }
}
