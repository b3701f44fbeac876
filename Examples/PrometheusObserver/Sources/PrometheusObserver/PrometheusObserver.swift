import ImageCore

/// Counts the loads of a loader, for the text format of Prometheus (exposition format 0.0.4).
///
/// | metric | type | labels |
/// |---|---|---|
/// | `calotype_active_loads` | gauge | |
/// | `calotype_loads_total` | counter | `result`: `memory`, `disk`, `local`, `network`, `failed`, `cancelled` |
/// | `calotype_failures_total` | counter | `code`: the code of the error |
/// | `calotype_fetched_bytes_total` | counter; work that loads share counts once | |
/// | `calotype_load_seconds` | histogram of loads that ended well and missed the memory cache | |
///
/// No label contains what a URL or a server says, so the number of time series is bounded.
public final class PrometheusObserver: LoadObserving {
    /// The media type of ``text``.
    public static let mediaType = "text/plain; version=0.0.4; charset=utf-8"
    /// How many codes of errors have a time series. Plug-ins may add codes; those beyond count as `other`.
    private static let maximumCodes = 100

    private struct Counts {
        var active = 0, fetchedBytes = 0, seconds = 0.0
        var results: [String: Int] = [:], failures: [String: Int] = [:]
        /// The loads by bucket; the last element has those beyond all limits.
        var buckets: [Int]
    }

    private let limits: [Double]
    private let counts: Lock<Counts>

    /// Creates an observer that has counted nothing.
    ///
    /// - Parameter limits: the upper limits of the histogram's buckets in seconds, by default from 5 ms to 30 s. A last
    ///   bucket without a limit is added.
    public init(limits: [Double] = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]) {
        self.limits = Set(limits.filter(\.isFinite)).sorted()
        counts = Lock(Counts(buckets: Array(repeating: 0, count: self.limits.count + 1)))
    }

    public func observe(_ observation: LoadObservation, of load: LoadID, request: ImageRequest) {
        if case .started = observation { counts.withLock { $0.active += 1 } }
        if case .finished(let result) = observation { counts.withLock { count(result, in: &$0) } }
    }

    private func count(_ result: Result<LoadSummary, LoadFailure>, in counts: inout Counts) {
        counts.active -= 1
        switch result {
        case .failure(.cancelled): counts.results["cancelled", default: 0] += 1
        case .failure(.failed(let error)):
            counts.results["failed", default: 0] += 1
            let isNew = counts.failures[error.code.name] == nil
            let code = isNew && counts.failures.count >= Self.maximumCodes ? "other" : error.code.name
            counts.failures[code, default: 0] += 1
        case .success(let summary):
            counts.results[summary.tier.rawValue, default: 0] += 1
            if summary.tier == .network, !summary.metrics.isCoalesced { counts.fetchedBytes += summary.metrics.byteCount }
            // A hit in the memory cache takes no time, and would distort the distribution.
            guard summary.tier != .memory else { return }
            let time = summary.metrics.total / .seconds(1)
            counts.seconds += time
            counts.buckets[limits.firstIndex { time <= $0 } ?? limits.count] += 1
        }
    }

    /// The counts so far, to be served as ``mediaType``.
    public var text: String {
        // Rendered after the lock is released, so that no load waits for it.
        let counts = counts.withLock { $0 }
        let results = (CacheTier.allCases.map(\.rawValue) + ["failed", "cancelled"]).map { ($0, counts.results[$0, default: 0]) }
        let failures = counts.failures.sorted { $0.key < $1.key }
        // Each bucket contains the ones before.
        let sums = counts.buckets.indices.map { counts.buckets[...$0].reduce(0, +) }
        let buckets = zip(limits.map { "\($0)" } + ["+Inf"], sums).map { ("_bucket" + label("le", $0), "\($1)") }
        let totals = [("_sum", "\(counts.seconds)"), ("_count", "\(sums.last ?? 0)")]
        return metric("active_loads", "gauge", "Loads that have not ended.", [("", "\(counts.active)")])
            + metric("loads_total", "counter", "Loads by result.", results.map { (label("result", $0), "\($1)") })
            + metric("failures_total", "counter", "Failed loads.", failures.map { (label("code", $0), "\($1)") })
            + metric("fetched_bytes_total", "counter", "Bytes from the network.", [("", "\(counts.fetchedBytes)")])
            + metric("load_seconds", "histogram", "Time of loads without memory hits and failures.", buckets + totals)
    }
}

private func metric(_ name: String, _ type: String, _ help: String, _ samples: [(suffix: String, value: String)]) -> String {
    let head = "# HELP calotype_\(name) \(help)\n# TYPE calotype_\(name) \(type)\n"
    return samples.reduce(into: head) { $0 += "calotype_\(name)\($1.suffix) \($1.value)\n" }
}

/// A label with its value escaped. By scalars: as characters, `\r\n` is no `\n`, and a quotation mark with an accent is
/// no quotation mark.
private func label(_ name: String, _ value: String) -> String {
    let escaped = value.unicodeScalars.map { $0 == "\n" ? "\\n" : $0 == "\\" || $0 == "\"" ? "\\\($0)" : "\($0)" }
    return "{\(name)=\"\(escaped.joined())\"}"
}
