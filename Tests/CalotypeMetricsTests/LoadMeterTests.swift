import CalotypeMetrics
import CalotypeTesting
import CoreMetrics
import ImageCore
import ImageLoading
import MetricsTestKit
import Testing

@Suite(.timeLimit(.minutes(1))) struct MeteringLoads {
    private let metrics = TestMetrics()

    private func url(_ name: String) -> URL { URL(string: "https://example.org/\(name)")! }

    private func makeLoader(_ meter: LoadMeter) -> ImageLoader {
        let network = ScriptedLoader { request in
            request.url.lastPathComponent == "bad" ? .failure(ImageError(.timedOut, message: "late")) : .body(Data([7, 7]))
        }
        var configuration = ImageLoader.Configuration(
            dataLoader: network, decoder: ScriptedDecoder(), memoryCache: LoggedMemoryCache(), dataCache: LoggedDataCache())
        configuration.observers = [meter]
        return ImageLoader(configuration)
    }

    private func total(_ label: String, _ dimensions: [(String, String)] = []) throws -> Int64 {
        try metrics.expectCounter("calotype_" + label, dimensions).totalValue
    }

    @Test func theRetriesOfAFailedFetchAreCountedOnce() throws {
        let meter = LoadMeter(factory: metrics)
        var error = ImageError(.timedOut, message: "The server did not answer.")
        for isCoalesced in [false, true] {
            var loadMetrics = LoadMetrics()
            (loadMetrics.retries, loadMetrics.isCoalesced) = (3, isCoalesced)
            error.metrics = loadMetrics
            let end = LoadObservation.finished(.failure(.failed(error)))
            meter.observe(end, of: LoadID(rawValue: 1), request: ImageRequest(url: url("a")))
        }
        #expect(try total("retries_total") == 3)
    }

    @Test func loadsAreCountedByTheirResult() async throws {
        let loader = makeLoader(LoadMeter(factory: metrics))
        for name in ["a", "a", "b", "bad"] { _ = try? await loader.image(for: url(name)) }
        loader.isPaused = true
        loader.task(for: ImageRequest(url: url("c"))).cancel()
        #expect(try total("loads_total", [("result", "network")]) == 2)
        #expect(try total("loads_total", [("result", "memory")]) == 1)
        #expect(try total("loads_total", [("result", "failed")]) == 1)
        #expect(try total("loads_total", [("result", "cancelled")]) == 1)
        #expect(try total("failures_total", [("code", "timedOut")]) == 1)
        #expect(try total("fetched_bytes_total") == 4)
        #expect(try total("cache_requests_total", [("cache", "memory"), ("result", "hit")]) == 1)
        #expect(try total("cache_requests_total", [("cache", "memory"), ("result", "miss")]) == 4)
    }

    @Test func loadsAndStagesAreTimed() async throws {
        let loader = makeLoader(LoadMeter(factory: metrics))
        // The second load is a hit in the memory cache, which takes no time.
        for _ in 0..<2 { _ = try await loader.image(for: url("a")) }
        #expect(try metrics.expectTimer("calotype_load_seconds").values.count == 1)
        #expect(try metrics.expectTimer("calotype_stage_seconds", [("stage", "decode")]).values.count == 1)
        #expect(try metrics.expectTimer("calotype_stage_seconds", [("stage", "network")]).values.count == 1)
    }

    @Test func bytesOfSharedWorkAreCountedOnce() async throws {
        let loader = makeLoader(LoadMeter(factory: metrics))
        loader.isPaused = true
        let tasks = (0..<3).map { _ in loader.task(for: ImageRequest(url: url("a"))) }
        loader.isPaused = false
        for task in tasks { _ = try await task.response }
        #expect(try total("fetched_bytes_total") == 2)
        #expect(try total("coalesced_total") == 2)
    }

    @Test func statisticsSetTheMeters() async throws {
        let meter = LoadMeter(factory: metrics)
        var statistics = ImageLoader.Statistics()
        statistics.loads.active = 3
        var cache = CacheStatistics(name: "memory")
        (cache.byteCount, cache.count, cache.evictions.overLimit) = (1_000, 5, 2)
        statistics.caches = [cache]
        meter.record(statistics)
        #expect(try metrics.expectMeter("calotype_active_loads").values == [3])
        #expect(try metrics.expectMeter("calotype_cache_bytes", [("cache", "memory")]).values == [1_000])
        #expect(try metrics.expectMeter("calotype_cache_evictions", [("cache", "memory")]).values == [2])
        meter.record(makeLoader(meter).statistics)
        #expect(try metrics.expectMeter("calotype_queue_waiting", [("queue", "network")]).values == [0])
    }
}
