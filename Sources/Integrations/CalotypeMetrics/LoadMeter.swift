public import CoreMetrics
public import ImageCore
public import ImageLoading

/// Records metrics of a loader with swift-metrics, for Prometheus, StatsD or another backend of the app.
///
/// | metric | kind | dimensions |
/// |---|---|---|
/// | `calotype_loads_started_total` | counter | |
/// | `calotype_loads_total` | counter | `result`: `memory`, `disk`, `local`, `network`, `failed`, `cancelled` |
/// | `calotype_failures_total` | counter | `code`: the error's code |
/// | `calotype_cache_requests_total` | counter | `cache`: `memory`, `disk`; `result`: `hit`, `miss` |
/// | `calotype_cache_failures_total` | counter | `code`: the error's code |
/// | `calotype_joins_total` | counter of the times that a load joined the work of another | |
/// | `calotype_fetched_bytes_total`, `calotype_retries_total` | counter, once for shared work | |
/// | `calotype_coalesced_total` | counter of finished loads | |
/// | `calotype_load_seconds` | timer of loads that missed the memory cache | |
/// | `calotype_stage_seconds` | timer of the work of a stage | `stage` |
/// | `calotype_wait_seconds` | timer of the wait of a stage in its queue | `stage` |
/// | `calotype_active_loads` | meter | |
/// | `calotype_queue_waiting`, `calotype_queue_running` | meter | `queue` |
/// | `calotype_cache_bytes`, `calotype_cache_entries`, `calotype_cache_evictions` | meter | `cache` |
///
/// Stages, waits and bytes are recorded when they end. ``record(_:)`` sets the meters; call it at intervals.
///
/// ```swift
/// import Calotype
/// import CalotypeMetrics
///
/// let meter = LoadMeter()
/// let loader = ImageLoader.standard { $0.observers = [meter] }
/// meter.record(loader.statistics)
/// ```
public final class LoadMeter: LoadObserving {
    private let factory: any MetricsFactory
    private let ends: [String: Counter]
    private let lookups: [CacheTier: [Bool: Counter]]
    private let stages: [LoadStage: CoreMetrics.Timer]
    private let waits: [LoadStage: CoreMetrics.Timer]
    private let started: Counter
    private let joins: Counter
    private let load: CoreMetrics.Timer
    private let fetchedBytes: Counter
    private let retries: Counter
    private let coalesced: Counter
    /// The counters of failures by label and code. Plug-ins may add codes, so a counter is created at its first use.
    private let failures = Lock<[[String]: Counter]>([:])

    /// Creates a meter.
    ///
    /// - Parameter factory: creates the metrics; by default the factory that the app bootstrapped.
    public init(factory: any MetricsFactory = MetricsSystem.factory) {
        func counter(_ label: String, _ dimensions: [(String, String)] = []) -> Counter {
            Counter(label: "calotype_" + label, dimensions: dimensions, factory: factory)
        }
        self.factory = factory
        ends = Dictionary(
            uniqueKeysWithValues: (CacheTier.allCases.map(\.rawValue) + ["failed", "cancelled"])
                .map { ($0, counter("loads_total", [("result", $0)])) })
        func lookup(_ tier: CacheTier, _ result: String) -> Counter {
            counter("cache_requests_total", [("cache", tier.rawValue), ("result", result)])
        }
        lookups = Dictionary(
            uniqueKeysWithValues: [CacheTier.memory, .disk].map { ($0, [true: lookup($0, "hit"), false: lookup($0, "miss")]) })
        func timers(_ label: String) -> [LoadStage: CoreMetrics.Timer] {
            Dictionary(
                uniqueKeysWithValues: LoadStage.allCases.map { stage in
                    (stage, Timer(label: "calotype_" + label, dimensions: [("stage", stage.rawValue)], factory: factory))
                })
        }
        stages = timers("stage_seconds")
        waits = timers("wait_seconds")
        started = counter("loads_started_total")
        joins = counter("joins_total")
        load = Timer(label: "calotype_load_seconds", dimensions: [], factory: factory)
        fetchedBytes = counter("fetched_bytes_total")
        retries = counter("retries_total")
        coalesced = counter("coalesced_total")
    }

    public func observe(_ observation: LoadObservation, of load: LoadID, request: ImageRequest) {
        switch observation {
        case .started: started.increment()
        case .joined: joins.increment()
        // Recorded when they end.
        case .waitBegan, .stageBegan, .progress: break
        case .waitEnded(let stage, let time): waits[stage]?.recordNanoseconds(nanoseconds(time))
        case .stageEnded(let stage, let time): stages[stage]?.recordNanoseconds(nanoseconds(time))
        case .cacheLookup(let tier, let isHit): lookups[tier]?[isHit]?.increment()
        case .cacheFailed(let error): failureCounter("cache_failures_total", error).increment()
        case .finished(.success(let summary)): count(summary)
        case .finished(.failure(.cancelled)): ends["cancelled"]?.increment()
        case .finished(.failure(.failed(let error))):
            ends["failed"]?.increment()
            failureCounter("failures_total", error).increment()
            // Retries count for the load that began the work.
            if let metrics = error.metrics, !metrics.isCoalesced, metrics.retries > 0 { retries.increment(by: metrics.retries) }
        }
    }

    /// Sets the meters to the current activity and cache contents of a loader.
    public func record(_ statistics: ImageLoader.Statistics) {
        func set(_ label: String, _ value: Int, _ dimensions: [(String, String)] = []) {
            Meter(label: "calotype_" + label, dimensions: dimensions, factory: factory).set(value)
        }
        set("active_loads", statistics.loads.active)
        for queue in statistics.queues {
            set("queue_waiting", queue.waiting, [("queue", queue.name)])
            set("queue_running", queue.running, [("queue", queue.name)])
        }
        for cache in statistics.caches {
            set("cache_bytes", cache.byteCount, [("cache", cache.name)])
            set("cache_entries", cache.count, [("cache", cache.name)])
            set("cache_evictions", cache.evictions.total, [("cache", cache.name)])
        }
    }

    private func count(_ summary: LoadSummary) {
        ends[summary.tier.rawValue]?.increment()
        // A hit in the memory cache takes no time, and would distort the distribution of the other loads.
        guard summary.tier != .memory else { return }
        let metrics = summary.metrics
        load.recordNanoseconds(nanoseconds(metrics.total))
        if metrics.isCoalesced {
            // Bytes and retries count for the load that began the work.
            coalesced.increment()
        } else {
            if metrics.retries > 0 { retries.increment(by: metrics.retries) }
            if summary.tier == .network { fetchedBytes.increment(by: metrics.byteCount) }
        }
    }

    private func failureCounter(_ label: String, _ error: ImageError) -> Counter {
        failures.withLock { failures in
            let key = [label, error.code.name]
            if let counter = failures[key] { return counter }
            let counter = Counter(label: "calotype_" + label, dimensions: [("code", error.code.name)], factory: factory)
            failures[key] = counter
            return counter
        }
    }

    private func nanoseconds(_ time: Duration) -> Int64 { Int64(time / .nanoseconds(1)) }
}
