#if canImport(os)
    public import ImageCore
    internal import os

    /// Shows loads in Instruments, under the subsystem `calotype` and the category `load`: each load is an interval,
    /// and so are its stages (`network`) and their waits (`network queue`).
    ///
    /// Costs next to nothing while no tool records.
    public final class SignpostObserver: LoadObserving {
        private let signposter = OSSignposter(subsystem: "calotype", category: "load")
        private let hidesQueries: Bool

        /// - Parameter hidesQueries: whether values in the query of a URL, which may be secrets, are left out; `true`.
        public init(hidesQueries: Bool = true) { self.hidesQueries = hidesQueries }

        public func observe(_ observation: LoadObservation, of load: LoadID, request: ImageRequest) {
            guard signposter.isEnabled else { return }
            // Intervals of one load share its number; their names tell them apart.
            let id = OSSignpostID(load.rawValue)
            switch observation {
            case .started:
                let source = URLRedaction.text(of: request.source, hidesQueries: hidesQueries)
                _ = signposter.beginInterval("load", id: id, "\(source, privacy: .public)")
            case .joined(let other):
                signposter.emitEvent("joined", id: id, "load \(String(other.rawValue), privacy: .public)")
            case .waitBegan(let stage): _ = signposter.beginInterval(stage.queueSignpost, id: id)
            case .waitEnded(let stage, _): signposter.endInterval(stage.queueSignpost, .beginState(id: id))
            case .stageBegan(let stage): _ = signposter.beginInterval(stage.signpost, id: id)
            case .progress(let progress): signposter.emitEvent("progress", id: id, "\(progress.received, privacy: .public)")
            case .stageEnded(let stage, _): signposter.endInterval(stage.signpost, .beginState(id: id))
            case .cacheLookup(let tier, let isHit):
                signposter.emitEvent(
                    "cache", id: id, "\(tier.rawValue, privacy: .public) \(isHit ? "hit" : "miss", privacy: .public)")
            case .cacheFailed(let error):
                signposter.emitEvent("cache failed", id: id, "\(error.code.name, privacy: .public)")
            case .finished(let result):
                signposter.endInterval("load", .beginState(id: id), "\(result.word, privacy: .public)")
            }
        }
    }

    extension LoadStage {
        /// The name of the stage's interval: names of signposts are static strings.
        fileprivate var signpost: StaticString {
            switch self {
            case .request: "request"
            case .memoryCache: "memoryCache"
            case .processedCache: "processedCache"
            case .originalCache: "originalCache"
            case .network: "network"
            case .decode: "decode"
            case .process: "process"
            case .encode: "encode"
            case .store: "store"
            case .deliver: "deliver"
            case .revalidate: "revalidate"
            }
        }

        /// The name of the interval in which the stage waits.
        fileprivate var queueSignpost: StaticString {
            switch self {
            case .request: "request queue"
            case .memoryCache: "memoryCache queue"
            case .processedCache: "processedCache queue"
            case .originalCache: "originalCache queue"
            case .network: "network queue"
            case .decode: "decode queue"
            case .process: "process queue"
            case .encode: "encode queue"
            case .store: "store queue"
            case .deliver: "deliver queue"
            case .revalidate: "revalidate queue"
            }
        }
    }

    extension Result<LoadSummary, LoadFailure> {
        fileprivate var word: String {
            switch self {
            case .success(let summary): summary.tier.rawValue
            case .failure(.failed(let error)): error.code.name
            case .failure(.cancelled): "cancelled"
            }
        }
    }
#endif
