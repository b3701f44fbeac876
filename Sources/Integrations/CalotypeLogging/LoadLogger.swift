public import ImageCore
public import Logging

/// Writes what a loader does to a swift-log logger, as structured messages.
///
/// Every line carries the load's number and source as metadata, and the option ``LoadOptions/logContext`` where one is set.
/// Credentials are never written, and neither are the values of a URL's query unless asked for. A level that the logger
/// leaves out costs one comparison.
///
/// ```swift
/// import Calotype
/// import CalotypeLogging
/// import Logging
///
/// var logger = Logger(label: "example.pictures")
/// logger.logLevel = .debug
/// let loader = ImageLoader.standard { $0.observers = [LoadLogger(logger)] }
/// ```
public struct LoadLogger: LoadObserving {
    /// At which level each kind of line is written; `nil` never writes it.
    public struct Levels: Hashable, Sendable {
        /// A load was asked for; `trace`.
        public var started: Logger.Level? = .trace
        /// A stage or its wait in a queue began or ended, a cache was looked up, the work of another load was joined, bytes
        /// arrived; `trace`.
        public var stages: Logger.Level? = .trace
        /// A load ended with an image; `debug`.
        public var finished: Logger.Level? = .debug
        /// Nobody wanted the image any more; `trace`.
        public var cancelled: Logger.Level? = .trace
        /// A load failed; `warning`.
        public var failed: Logger.Level? = .warning
        /// A cache failed to read or to store, and the load went on; `warning`.
        public var cacheFailed: Logger.Level? = .warning

        public init() {}
    }

    private let logger: Logger
    private let levels: Levels
    private let hidesQueries: Bool

    /// - Parameter hidesQueries: whether values in the query of a URL, which may be secrets, are left out; `true`.
    public init(_ logger: Logger = Logger(label: "calotype"), levels: Levels = Levels(), hidesQueries: Bool = true) {
        self.logger = logger
        self.levels = levels
        self.hidesQueries = hidesQueries
    }

    public func observe(_ observation: LoadObservation, of load: LoadID, request: ImageRequest) {
        guard let level = level(of: observation), level >= logger.logLevel else { return }
        var metadata: Logger.Metadata = [
            "load": "\(load.rawValue)",
            "source": "\(URLRedaction.text(of: request.source, hidesQueries: hidesQueries))",
        ]
        if let context = request.options.logContext ?? nil { metadata["context"] = "\(context)" }
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

    /// The same words for the same event, so that lines can be searched for; what varies is metadata.
    private func message(for observation: LoadObservation, _ metadata: inout Logger.Metadata) -> Logger.Message {
        switch observation {
        case .started: return "load started"
        case .joined(let other):
            metadata["joined"] = "\(other.rawValue)"
            return "load joined"
        case .waitBegan(let stage):
            metadata["stage"] = "\(stage.rawValue)"
            return "wait began"
        case .waitEnded(let stage, let time):
            metadata["stage"] = "\(stage.rawValue)"
            metadata["milliseconds"] = "\(milliseconds(time))"
            return "wait ended"
        case .progress(let progress):
            metadata["received"] = "\(progress.received)"
            if let expected = progress.expected { metadata["expected"] = "\(expected)" }
            return "bytes arrived"
        case .stageBegan(let stage):
            metadata["stage"] = "\(stage.rawValue)"
            return "stage began"
        case .stageEnded(let stage, let time):
            metadata["stage"] = "\(stage.rawValue)"
            metadata["milliseconds"] = "\(milliseconds(time))"
            return "stage ended"
        case .cacheLookup(let tier, let isHit):
            metadata["cache"] = "\(tier.rawValue)"
            return isHit ? "cache hit" : "cache miss"
        case .cacheFailed(let error):
            add(error, to: &metadata)
            return "cache failed"
        case .finished(.success(let response)):
            metadata["tier"] = "\(response.tier.rawValue)"
            metadata["size"] = "\(response.image.size)"
            let metrics = response.metrics
            metadata["milliseconds"] = "\(milliseconds(metrics.total))"
            metadata["bytes"] = "\(metrics.byteCount)"
            if metrics.isCoalesced { metadata["coalesced"] = "true" }
            if metrics.retries > 0 { metadata["retries"] = "\(metrics.retries)" }
            return "load finished"
        case .finished(.failure(.cancelled)): return "load cancelled"
        case .finished(.failure(.failed(let error))):
            add(error, to: &metadata)
            return "load failed"
        }
    }

    private func add(_ error: ImageError, to metadata: inout Logger.Metadata) {
        metadata["code"] = "\(error.code.name)"
        if let stage = error.stage { metadata["stage"] = "\(stage.rawValue)" }
        if let status = error.status { metadata["status"] = "\(status)" }
        // This project's own sentences quote no secrets; those of plug-ins may.
        metadata["error"] = "\(URLRedaction.text(in: "\(error)", hidesQueries: hidesQueries))"
    }

    /// With three decimals.
    private func milliseconds(_ time: Duration) -> Double {
        let (seconds, attoseconds) = time.components
        return Double(seconds * 1_000_000 + attoseconds / 1_000_000_000_000) / 1000
    }
}
