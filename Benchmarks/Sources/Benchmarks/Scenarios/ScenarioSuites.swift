internal import Calotype
internal import CalotypeTesting
internal import Foundation
internal import ImageNetworkingFoundation

extension Suite {
    /// What an app does, with the standard loader and a server in this process, which takes its share of the
    /// processors.
    static let scenarios = [
        Suite(name: "scenario-cold", summary: "200 thumbnails with empty caches, then from disk and from memory") {
            effort, seed in
            try await ScenarioBench(effort: effort, seed: seed).coldAndWarm()
        },
        Suite(name: "scenario-dedup", summary: "100 loads of one image at the same time") { effort, seed in
            try await ScenarioBench(effort: effort, seed: seed).sameImage()
        },
        Suite(name: "scenario-cancel", summary: "1,000 loads, half cancelled one by one and the rest at once") { effort, seed in
            try await ScenarioBench(effort: effort, seed: seed).cancellationStorm()
        },
        Suite(name: "scenario-scroll", summary: "a grid of 1,000 images that scrolls under memory pressure") { effort, seed in
            try await ScrollBench(effort: effort, seed: seed).rows()
        },
    ]
}

private struct ScenarioBench {
    private static let thumbnailWidth = 200

    let effort: Effort
    let seed: UInt64
    private var rounds: Int { effort == .smoke ? 1 : 7 }
    private var isSmoke: Bool { effort == .smoke }

    // MARK: Cold and warm

    func coldAndWarm() async throws -> [Row] {
        let count = isSmoke ? 20 : 200
        let photos = try PhotoServer(
            widths: isSmoke ? 200...400 : 480...1_600, different: isSmoke ? 4 : 20, seed: seed)
        defer { photos.server.stop() }
        let requests = try photos.requests(count, width: Self.thumbnailWidth)
        var (cold, disk, memory): ([Double], [Double], [Double]) = ([], [], [])
        var fetches: [Double] = []
        var decodes: [ThumbnailPeers.Library: [Double]] = [:]
        // The first round warms up and does not count.
        for round in 0...rounds {
            let (cache, files) = (try ScratchFolder(), try ScratchFolder())
            defer {
                cache.remove()
                files.remove()
            }
            let first = Self.loader(cache)
            let coldTime = try await first.milliseconds(requests)
            let memoryTime = try await first.milliseconds(requests)
            try await first.flush()
            let second = Self.loader(cache)
            let diskTime = try await second.milliseconds(requests)
            // What is written later would create the folder again.
            try await second.flush()
            let peers = ThumbnailPeers(folder: files)
            let fetch = try await peers.fetch(count, from: photos)
            guard round > 0 else { continue }
            cold.append(coldTime)
            disk.append(diskTime)
            memory.append(memoryTime)
            guard let fetch else { continue }
            fetches.append(fetch)
            for library in ThumbnailPeers.Library.allCases {
                guard let time = try await peers.thumbnails(by: library, width: Self.thumbnailWidth) else { continue }
                decodes[library, default: []].append(time)
            }
        }
        let peers = ThumbnailPeers.Library.allCases.flatMap { library -> [Row] in
            let files = decodes[library] ?? []
            let fetched = zip(fetches, files).map { $0 + $1 }
            return [
                row("cold \(count)", cold, "ms", "curl, then \(library.rawValue)", fetched),
                row("warm \(count), from disk", disk, "ms", "\(library.rawValue) from files", files),
            ]
        }
        return peers + [
            row("cold \(count)", cold, "ms", "curl alone", fetches),
            row("warm \(count), from memory", memory, "ms", "the same, from disk", disk),
        ]
    }

    /// A loader with the standard configuration, a directory of its own on disk and an empty memory cache.
    private static func loader(_ cache: ScratchFolder) -> ImageLoader {
        .standard {
            $0.dataCache = DiskCache(.init(directory: cache.url))
            $0.memoryCache = MemoryCache(respondsToPressure: false)
        }
    }

    // MARK: One image

    func sameImage() async throws -> [Row] {
        let count = 100
        let photos = try PhotoServer(widths: isSmoke ? 400...400 : 1_600...1_600, different: 1, seed: seed)
        defer { photos.server.stop() }
        var (shared, single, separate): ([Double], [Double], [Double]) = ([], [], [])
        var requests: [Double] = []
        for round in 0...rounds {
            let first = try photos.requests(1, width: Self.thumbnailWidth)
            let alone = try await ImageLoader.standard(.memoryOnly).milliseconds(first)
            let before = photos.server.requests.value
            let together = try await ImageLoader.standard(.memoryOnly).milliseconds(Array(repeating: first[0], count: count))
            let sent = photos.server.requests.value - before
            let different = try await ImageLoader.standard(.memoryOnly).milliseconds(
                photos.requests(count, width: Self.thumbnailWidth))
            guard round > 0 else { continue }
            shared.append(together)
            single.append(alone)
            separate.append(different)
            requests.append(Double(sent))
        }
        return [
            row("dedup \(count)x", shared, "ms", "one load", single),
            row("dedup \(count)x", shared, "ms", "\(count) URLs of the same image", separate),
            Row(
                suite: "scenario", name: "dedup \(count)x, requests at the server", samples: requests, unit: "requests",
                budget: .atMost(1)),
        ]
    }

    // MARK: Cancellation

    func cancellationStorm() async throws -> [Row] {
        let count = isSmoke ? 100 : 1_000
        let photos = try PhotoServer(widths: 200...480, different: 8, slices: 8, seed: seed)
        defer { photos.server.stop() }
        let requests = try photos.requests(count + 20, width: Self.thumbnailWidth)
        var (own, session): ([(idle: Double, after: Double)], [(idle: Double, after: Double)]) = ([], [])
        for _ in 0..<rounds {
            own.append(try await storm(requests, photos, through: nil))
            session.append(try await storm(requests, photos, through: URLSessionLoader(connectionsPerHost: 32)))
        }
        return [
            row(
                "storm of \(count), from the cancel of the rest until idle", own.map(\.idle), "ms", "with URLSession",
                session.map(\.idle)),
            row("storm of \(count), 20 loads afterwards", own.map(\.after), "ms", "with URLSession", session.map(\.after)),
        ]
    }

    /// Starts all loads but the last 20, cancels half of them at seeded moments and then the rest at once. Returns the
    /// milliseconds from that moment until the loader is idle, and those of the last 20 loads.
    private func storm(
        _ requests: [ImageRequest], _ photos: PhotoServer, through network: (any DataLoading)?
    ) async throws -> (idle: Double, after: Double) {
        let loader = ImageLoader.standard(.memoryOnly) {
            $0.network = network
            ($0.limits.fetches, $0.limits.fetchesPerHost) = (32, 32)
        }
        var random = SeededGenerator(seed: seed)
        let tasks = requests.dropLast(20).map { loader.task(for: $0) }
        let began = ContinuousClock.now
        let order = tasks.shuffled(using: &random)
        let moments = (0..<order.count / 2).map { _ in Duration.microseconds(Int.random(in: 0...100_000, using: &random)) }
        for (moment, task) in zip(moments.sorted(), order) {
            try await Task.sleep(until: began + moment)
            task.cancel()
        }
        let cancelled = ContinuousClock.now
        for task in order.dropFirst(moments.count) { task.cancel() }
        while loader.activity.work > 0 { await Task.yield() }
        let idle = (.now - cancelled) / .milliseconds(1)
        return (idle, try await loader.milliseconds(requests.suffix(20)))
    }

    private func row(_ name: String, _ own: [Double], _ unit: String, _ peer: String, _ theirs: [Double]) -> Row {
        Row(suite: "scenario", name: name, samples: own, unit: unit, peer: Row.Peer(name: peer, samples: theirs))
    }
}
