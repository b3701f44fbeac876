#if canImport(os)
    public import ImageCore
    internal import os

    /// Shows loads and their stages as intervals in Instruments, under the subsystem `calotype` and the category `load`.
    ///
    /// Costs next to nothing while no tool records.
    public final class SignpostObserver: LoadObserving {
        private let signposter = OSSignposter(subsystem: "calotype", category: "load")
        private let hidesQueries: Bool

        /// - Parameter hidesQueries: whether values in the query of a URL, which may be secrets, are left out; `true`.
        public init(hidesQueries: Bool = true) { self.hidesQueries = hidesQueries }

        public func observe(_ observation: LoadObservation, of load: LoadID, request: ImageRequest) {
            guard signposter.isEnabled else { return }
            // Intervals of one load share its number and are told apart by their names, which must be literals.
            let id = OSSignpostID(load.rawValue)
            switch observation {
            case .started:
                let source = URLRedaction.text(of: request.source, hidesQueries: hidesQueries)
                _ = signposter.beginInterval("load", id: id, "\(source, privacy: .public)")
            case .finished: signposter.endInterval("load", .beginState(id: id))
            case .joined(let other): signposter.emitEvent("joined", id: id, "\(other.rawValue, privacy: .public)")
            case .waitBegan, .waitEnded: break
            case .progress(let progress): signposter.emitEvent("progress", id: id, "\(progress.received, privacy: .public)")
            case .stageBegan(let stage): begin(stage, id)
            case .stageEnded(let stage, _): end(stage, id)
            case .cacheLookup(let tier, let isHit):
                signposter.emitEvent(
                    "cache", id: id, "\(tier.rawValue, privacy: .public) \(isHit ? "hit" : "miss", privacy: .public)")
            case .cacheFailed(let error):
                signposter.emitEvent("cache failed", id: id, "\(error.code.name, privacy: .public)")
            }
        }

        private func begin(_ stage: LoadStage, _ id: OSSignpostID) {
            switch stage {
            case .originalCache: _ = signposter.beginInterval("originalCache", id: id)
            case .network: _ = signposter.beginInterval("network", id: id)
            case .decode: _ = signposter.beginInterval("decode", id: id)
            case .process: _ = signposter.beginInterval("process", id: id)
            case .store: _ = signposter.beginInterval("store", id: id)
            // Done at once, or not a step of its own.
            case .request, .memoryCache, .processedCache, .deliver: break
            }
        }

        private func end(_ stage: LoadStage, _ id: OSSignpostID) {
            switch stage {
            case .originalCache: signposter.endInterval("originalCache", .beginState(id: id))
            case .network: signposter.endInterval("network", .beginState(id: id))
            case .decode: signposter.endInterval("decode", .beginState(id: id))
            case .process: signposter.endInterval("process", .beginState(id: id))
            case .store: signposter.endInterval("store", .beginState(id: id))
            case .request, .memoryCache, .processedCache, .deliver: break
            }
        }
    }
#endif
