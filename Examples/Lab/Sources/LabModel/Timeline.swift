import Calotype

/// What happened, in order: on the network, in the server, and in the loads of a scenario.
package final class Timeline: LoadObserving {
    /// Where something happened.
    package enum Source: String, Sendable, CaseIterable {
        case lab, network, server, loader
    }

    package struct Entry: Sendable {
        /// The time since the timeline was cleared.
        package let time: Duration
        package let source: Source
        package let text: String
    }

    private struct State {
        var began = ContinuousClock.now
        var entries: [Entry] = []
        /// The quarters of the body that have arrived, of each load.
        var quarters: [LoadID: Int] = [:]
    }

    private let state = Lock(State())

    package init() {}

    package var entries: [Entry] { state.withLock { $0.entries } }

    package func clear() { state.withLock { $0 = State() } }

    package func add(_ source: Source, _ text: String) {
        state.withLock { $0.entries.append(Entry(time: ContinuousClock.now - $0.began, source: source, text: text)) }
    }

    package func observe(_ observation: LoadObservation, of load: LoadID, request: ImageRequest) {
        switch observation {
        case .started: add(.loader, "\(load) started: \(name(of: request))")
        case .joined, .cacheFailed: add(.loader, "\(load) \(observation)")
        case .stageBegan(.network): add(.loader, "\(load) fetch began")
        case .progress(let progress):
            let quarter = Int((progress.fraction ?? 0) * 4)
            let isNew = state.withLock { state in
                defer { state.quarters[load] = quarter }
                return quarter > state.quarters[load] ?? 0
            }
            if isNew { add(.loader, "\(load) has \(progress)") }
        case .finished(let result):
            let text =
                switch result {
                case .success(let summary): "finished: \(summary)"
                case .failure(.cancelled): "cancelled"
                case .failure(.failed(let error)): "failed: \(error.message)"
                }
            add(.loader, "\(load) \(text)")
        default: break
        }
    }

    private func name(of request: ImageRequest) -> String {
        guard let url = request.source.url else { return "\(request)" }
        return url.path
    }
}
