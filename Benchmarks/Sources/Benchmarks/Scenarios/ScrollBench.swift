internal import CBenchmarks
internal import Calotype
internal import CalotypeTesting
internal import Foundation

/// A grid of four columns that scrolls up and down by seeded distances, as fast as its images are there. Memory runs
/// short again and again, and the system then reports pressure.
struct ScrollBench {
    private static let columns = 4
    private static let width = 160

    let effort: Effort
    let seed: UInt64
    private var isSmoke: Bool { effort == .smoke }
    private var images: Int { isSmoke ? 100 : 1_000 }

    /// The figures of a walk.
    private struct Figures {
        /// Milliseconds of each row of cells.
        var times: [Double] = []
        /// The part of images that were in memory.
        var fromMemory = 0.0
        /// Megabytes that the allocator gave out before memory was critical, and afterwards.
        var heapBefore = 0.0
        var heapAfter = 0.0
    }

    func rows() async throws -> [Row] {
        let photos = try PhotoServer(widths: isSmoke ? 200...400 : 480...1_600, different: isSmoke ? 4 : 20, seed: seed)
        defer { photos.server.stop() }
        let walk = Self.walk(rows: images / Self.columns, steps: isSmoke ? 20 : 400, seed: seed)
        let files = try ScratchFolder()
        defer { files.remove() }
        // The peers read files, and have no server to wait for.
        let isFetched = try await ThumbnailPeers(folder: files).fetch(images, from: photos) != nil
        var own: [Figures] = []
        var peers: [String: [[Double]]] = [:]
        for _ in 0..<(isSmoke ? 1 : 5) {
            own.append(try await scroll(walk, photos))
            for kind in ["gdk-pixbuf", "GdkTexture"] where isFetched {
                if let times = try await peer(kind, walk, files) { peers[kind, default: []].append(times) }
            }
        }
        func row(_ what: String, _ samples: [Double], _ unit: String, _ peer: Row.Peer? = nil) -> Row {
            Row(suite: "scenario", name: "scroll, \(what)", samples: samples, unit: unit, peer: peer)
        }
        let compared = ["gdk-pixbuf", "GdkTexture"].flatMap { kind in
            let times = peers[kind] ?? []
            return [
                row(
                    "mean of a row of 4 cells", own.map { Self.mean($0.times) }, "ms",
                    Row.Peer(name: "\(kind) from files", samples: times.map(Self.mean))),
                row(
                    "99 of 100 rows within", own.map { Self.late($0.times) }, "ms",
                    Row.Peer(name: "\(kind) from files", samples: times.map(Self.late))),
            ]
        }
        return compared + [
            row("images from memory", own.map(\.fromMemory), "of all"),
            row("heap before critical pressure", own.map(\.heapBefore), "MB"),
            row("heap after critical pressure", own.map(\.heapAfter), "MB"),
        ]
    }

    /// The rows that appear one after the other.
    static func walk(rows: Int, steps: Int, seed: UInt64) -> [Int] {
        var random = SeededGenerator(seed: seed)
        var (walk, place) = ([0], 0)
        while walk.count < steps {
            let target = min(max(0, place + Int.random(in: -30...40, using: &random)), rows - 1)
            let direction = target < place ? -1 : 1
            while place != target, walk.count < steps {
                place += direction
                walk.append(place)
            }
        }
        return walk
    }

    private func scroll(_ walk: [Int], _ photos: PhotoServer) async throws -> Figures {
        let folder = try ScratchFolder()
        defer { folder.remove() }
        let memory = MemoryCache(limits: .init(maximumBytes: 30_000_000))
        let loader = ImageLoader.standard {
            $0.dataCache = DiskCache(.init(directory: folder.url))
            $0.memoryCache = memory
        }
        var figures = Figures()
        var found = 0
        for (step, row) in walk.enumerated() {
            let requests = try (0..<Self.columns).map { try photos.request(row * Self.columns + $0, width: Self.width) }
            let began = ContinuousClock.now
            // A cell that finds its image in memory shows it at once, and needs no task.
            let missing = requests.filter { loader.cachedImage(for: $0) == nil }
            _ = try await loader.milliseconds(missing)
            figures.times.append((.now - began) / .milliseconds(1))
            found += requests.count - missing.count
            if step % 50 == 49 { MemoryPressure.post(.warning) }
        }
        figures.fromMemory = Double(found) / Double(walk.count * Self.columns)
        figures.heapBefore = Double(bench_heap_bytes()) / 1e6
        MemoryPressure.post(.critical)
        figures.heapAfter = Double(bench_heap_bytes()) / 1e6
        // What is written later would create the folder again.
        try await loader.flush()
        return figures
    }

    /// The milliseconds of each row by a loader of GTK, which decodes each cell that appears, or `nil` when the program
    /// was not built.
    private func peer(_ kind: String, _ walk: [Int], _ files: ScratchFolder) async throws -> [Double]? {
        let program = Programs.project.appending(path: ".build/scroll-peer").path
        let (cells, output) = (files.file("cells"), files.file("times"))
        try Data(walk.map { "\($0)\n" }.joined().utf8).write(to: URL(filePath: cells))
        return try await blocking {
            let command = [program, kind, files.path, "\(Self.columns)", "\(Self.width)", cells]
            guard let usage = try? ChildProcess(command, output: output).wait() else { return nil }
            let times = try String(contentsOfFile: output, encoding: .utf8).split(separator: "\n").compactMap { Double($0) }
            guard usage.status == 0, times.count == walk.count else { throw ReportError(message: "\(program) failed.") }
            return times
        }
    }

    private static func mean(_ times: [Double]) -> Double { times.reduce(0, +) / Double(times.count) }

    /// The time that one row of a hundred exceeds.
    private static func late(_ times: [Double]) -> Double { times.sorted()[times.count * 99 / 100] }
}
