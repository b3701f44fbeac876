import Calotype
import Foundation

/// The parts that the screens share: the server, and a loader whose caches can be cleared and which can be restarted.
@MainActor package final class Laboratory {
    package let timeline = Timeline()
    package let server: LabServer
    package let arrivals = Arrivals()
    package let tracing = Tracing()
    /// The folder of the disk cache, which is removed when the lab ends.
    package let folder: URL
    package private(set) var loader: ImageLoader
    /// How often the loader was restarted.
    package private(set) var restarts = 0
    private var (memory, disk): (MemoryCache, DiskCache)
    private var burst: ImagePrefetcher?

    package init() throws {
        server = try LabServer(timeline)
        folder = FileManager.default.temporaryDirectory.appending(path: "calotype-lab-\(UUID().uuidString)")
        (memory, disk) = (MemoryCache(), DiskCache(.init(directory: folder)))
        loader = Laboratory.makeLoader(memory, disk, [arrivals, tracing])
    }

    private static func makeLoader(_ memory: MemoryCache, _ disk: DiskCache, _ observers: [any LoadObserving]) -> ImageLoader {
        .standard {
            ($0.memoryCache, $0.dataCache, $0.observers) = (memory, disk, observers)
            $0.previewInterval = .milliseconds(120)
        }
    }

    /// Stops the server and removes the folder.
    package func close() {
        tracing.stop()
        server.stop()
        // Entries that are still being written would make the folder again.
        let (loader, isFlushed) = (loader, DispatchSemaphore(value: 0))
        Task.detached {
            try? await loader.flush()
            isFlushed.signal()
        }
        isFlushed.wait()
        try? FileManager.default.removeItem(at: folder)
    }

    // MARK: Tiers

    /// Empties memory, once the disk has what is still on its way there: a load ends before its image is stored.
    package func clearMemory() async throws {
        try await loader.flush()
        memory.removeAll()
    }

    package func clearDisk() async throws { try await disk.removeAll() }

    /// Ends the loader and makes another one on the same folder, as a restart of the program does: memory is empty, and
    /// the disk is not.
    package func restart() async throws {
        try await loader.flush()
        burst = nil
        (memory, disk) = (MemoryCache(), DiskCache(.init(directory: folder)))
        loader = Laboratory.makeLoader(memory, disk, [arrivals, tracing])
        restarts += 1
    }

    // MARK: Loads

    /// Lets no fetch begin, so that a list of requests is queued as a whole.
    package func holdFetches() { loader.isPaused = true }

    /// Lets fetches begin once a number of them is queued, or after a second. Before a load is queued, it looks at the
    /// caches.
    package func releaseFetches(whenQueued count: Int) async {
        let end = ContinuousClock.now + .seconds(1)
        while (loader.statistics.queues.first { $0.name == "network" }?.waiting ?? 0) < count, ContinuousClock.now < end {
            try? await Task.sleep(for: .milliseconds(5))
        }
        loader.isPaused = false
    }

    /// Loads one image many times at once, past all caches.
    ///
    /// - Returns: the number of requests that the server got.
    package func coalesce(_ count: Int) async throws -> Int {
        let path = "/tile/7.jpg?coalesced=\(UInt32.random(in: 0 ... .max))"
        let request = ImageRequest(url: server.url(path))
        let loader = loader
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<count { group.addTask { _ = try await loader.image(for: request) } }
            try await group.waitForAll()
        }
        return server.requestCount(path)
    }

    /// Starts loads of sixty images, half of which are in no cache, so that the plots move.
    package func startBurst() {
        let prefetcher = burst ?? ImagePrefetcher(loader: loader, maximumLoads: 12)
        burst = prefetcher
        let new = UInt32.random(in: 0 ... .max)
        prefetcher.start((0..<60).map { server.url("/tile/\($0).jpg\($0 % 2 == 0 ? "?new=\(new)" : "")") })
    }

    package var isBurstRunning: Bool { burst.map { $0.activity.running + $0.activity.waiting > 0 } ?? false }
}

/// Passes observations on to a trace file while one is written.
package final class Tracing: LoadObserving {
    private let trace = Lock<TraceObserver?>(nil)

    init() {}

    package var isOn: Bool { trace.withLock { $0 != nil } }

    /// Begins a file for Perfetto.
    package func start(path: String) throws {
        let new = try TraceObserver(path: path)
        trace.withLock { $0 = new }
    }

    /// Ends the file.
    package func stop() {
        let old = trace.withLock { trace in
            defer { trace = nil }
            return trace
        }
        old?.flush()
    }

    package func observe(_ observation: LoadObservation, of load: LoadID, request: ImageRequest) {
        trace.withLock { $0 }?.observe(observation, of: load, request: request)
    }
}
