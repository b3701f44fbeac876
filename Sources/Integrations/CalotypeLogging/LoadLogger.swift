public import ImageCore
public import Logging

/// Logs the loads of a loader with swift-log, as structured messages.
///
/// The metadata of each log entry contains the number and the source of the load, and the option
/// ``LoadOptions/logContext`` if it is set. Credentials are never logged, and query values only if `hidesQueries` is
/// `false`.
///
/// ```swift
/// import Calotype
/// import CalotypeLogging
/// import Logging
///
/// var logger = Logger(label: "example.images")
/// logger.logLevel = .debug
/// let loader = ImageLoader.standard { $0.observers = [LoadLogger(logger)] }
/// ```
public struct LoadLogger: LoadObserving {
    /// The log level of each kind of log entry; `nil` does not log it.
    public struct Levels: Hashable, Sendable {
        /// A load started; `trace`.
        public var started: Logger.Level? = .trace
        /// A stage or its wait began or ended, a cache was looked up, a load joined the work of another, or bytes
        /// arrived; `trace`.
        public var stages: Logger.Level? = .trace
        /// A load ended with an image; `debug`.
        public var finished: Logger.Level? = .debug
        /// A load was cancelled; `trace`.
        public var cancelled: Logger.Level? = .trace
        /// A load failed; `warning`.
        public var failed: Logger.Level? = .warning
        /// A cache failed to read or to store, and the load continued; `warning`.
        public var cacheFailed: Logger.Level? = .warning

        /// Creates the default levels.
        public init() {}
    }

    private let logger: Logger
    private let levels: Levels
    private let hidesQueries: Bool

    /// Creates a logger of loads.
    ///
    /// - Parameters:
    ///   - logger: receives the log entries; by default a logger with the label `calotype`.
    ///   - levels: the level of each kind of log entry.
    ///   - hidesQueries: whether the values of queries, which may be secrets, are replaced by dots; `true`.
    public init(_ logger: Logger = Logger(label: "calotype"), levels: Levels = Levels(), hidesQueries: Bool = true) {
        (self.logger, self.levels, self.hidesQueries) = (logger, levels, hidesQueries)
    }

    public func observe(_ observation: LoadObservation, of load: LoadID, request: ImageRequest) {
        guard let level = level(of: observation), level >= logger.logLevel else { return }
        var metadata: Logger.Metadata = [
            "load": "\(load.rawValue)",
            "source": "\(URLRedaction.text(of: request.source, hidesQueries: hidesQueries))",
        ]
        if let context = request.options.logContext { metadata["context"] = "\(context)" }
        logger.log(level: level, message(for: observation, &metadata), metadata: metadata)
    }

    private func level(of observation: LoadObservation) -> Logger.Level? {
        switch observation {
        case .started: levels.started
        case .joined, .waitBegan, .waitEnded, .stageBegan, .progress, .stageEnded, .cacheLookup: levels.stages
        case .cacheFailed: levels.cacheFailed
        case .finished(.success): levels.finished
        case .finished(.failure(.cancelled)): levels.cancelled
        case .finished(.failure(.failed)): levels.failed
        }
    }

    /// The message, which is the same for all events of a kind, so that it can be searched for. The rest is metadata.
    private func message(for observation: LoadObservation, _ metadata: inout Logger.Metadata) -> Logger.Message {
        func message(_ text: Logger.Message, _ stage: LoadStage, _ time: Duration? = nil) -> Logger.Message {
            metadata["stage"] = "\(stage.rawValue)"
            if let time { metadata["milliseconds"] = "\(milliseconds(time))" }
            return text
        }
        switch observation {
        case .started: return "load started"
        case .joined(let other):
            metadata["joined"] = "\(other.rawValue)"
            return "load joined"
        case .waitBegan(let stage): return message("wait began", stage)
        case .waitEnded(let stage, let time): return message("wait ended", stage, time)
        case .stageBegan(let stage): return message("stage began", stage)
        case .stageEnded(let stage, let time): return message("stage ended", stage, time)
        case .progress(let progress):
            metadata["received"] = "\(progress.received)"
            if let expected = progress.expected { metadata["expected"] = "\(expected)" }
            return "bytes arrived"
        case .cacheLookup(let tier, let isHit):
            metadata["cache"] = "\(tier.rawValue)"
            return isHit ? "cache hit" : "cache miss"
        case .cacheFailed(let error):
            add(error, to: &metadata)
            return "cache failed"
        case .finished(.success(let summary)):
            metadata["tier"] = "\(summary.tier.rawValue)"
            if let image = summary.image { metadata["size"] = "\(image.size)" }
            add(summary.metrics, to: &metadata)
            return "load finished"
        case .finished(.failure(.cancelled)): return "load cancelled"
        case .finished(.failure(.failed(let error))):
            add(error, to: &metadata)
            if let metrics = error.metrics { add(metrics, to: &metadata) }
            return "load failed"
        }
    }

    private func add(_ metrics: LoadMetrics, to metadata: inout Logger.Metadata) {
        metadata["milliseconds"] = "\(milliseconds(metrics.total))"
        metadata["bytes"] = "\(metrics.byteCount)"
        if metrics.isCoalesced { metadata["coalesced"] = "true" }
        if metrics.retries > 0 { metadata["retries"] = "\(metrics.retries)" }
    }

    private func add(_ error: ImageError, to metadata: inout Logger.Metadata) {
        metadata["code"] = "\(error.code.name)"
        if let stage = error.stage { metadata["stage"] = "\(stage.rawValue)" }
        if let status = error.status { metadata["status"] = "\(status)" }
        // Messages of plug-ins may contain credentials.
        metadata["error"] = "\(URLRedaction.text(in: "\(error)", hidesQueries: hidesQueries))"
    }

    /// The time in milliseconds, with three decimals.
    private func milliseconds(_ time: Duration) -> Double { (time / .microseconds(1)).rounded(.down) / 1000 }
}
