#if canImport(os)
    public import ImageCore
    internal import os

    /// Shows loads and their stages as intervals in Instruments, under the subsystem `calotype` and the category `load`.
    ///
    /// Costs next to nothing while no tool records.
    public final class SignpostObserver: LoadObserving {
        private let log = OSLog(subsystem: "calotype", category: "load")
        private let hidesQueries: Bool

        /// - Parameter hidesQueries: whether values in the query of a URL, which may be secrets, are left out; `true`.
        public init(hidesQueries: Bool = true) { self.hidesQueries = hidesQueries }

        public func observe(_ observation: LoadObservation, of load: LoadID, request: ImageRequest) {
            guard log.signpostsEnabled else { return }
            // Intervals of one identifier are told apart by their names, which must be literals.
            let id = OSSignpostID(load.rawValue)
            switch observation {
            case .started:
                let source = URLRedaction.text(of: request.source, hidesQueries: hidesQueries)
                os_signpost(.begin, log: log, name: "load", signpostID: id, "%{public}s", source)
            case .finished: os_signpost(.end, log: log, name: "load", signpostID: id)
            case .stageBegan(let stage): mark(.begin, stage, id)
            case .stageEnded(let stage, _): mark(.end, stage, id)
            case .cacheAsked(let tier, let isHit):
                os_signpost(.event, log: log, name: "cache", signpostID: id, "%{public}s %{bool}d", tier.rawValue, isHit)
            case .cacheFailed(let error):
                os_signpost(.event, log: log, name: "cache failed", signpostID: id, "%{public}s", error.code.name)
            }
        }

        private func mark(_ type: OSSignpostType, _ stage: LoadStage, _ id: OSSignpostID) {
            switch stage {
            case .request: os_signpost(type, log: log, name: "request", signpostID: id)
            case .memoryCache: os_signpost(type, log: log, name: "memoryCache", signpostID: id)
            case .processedCache: os_signpost(type, log: log, name: "processedCache", signpostID: id)
            case .originalCache: os_signpost(type, log: log, name: "originalCache", signpostID: id)
            case .network: os_signpost(type, log: log, name: "network", signpostID: id)
            case .decode: os_signpost(type, log: log, name: "decode", signpostID: id)
            case .process: os_signpost(type, log: log, name: "process", signpostID: id)
            case .store: os_signpost(type, log: log, name: "store", signpostID: id)
            case .deliver: os_signpost(type, log: log, name: "deliver", signpostID: id)
            }
        }
    }
#endif
