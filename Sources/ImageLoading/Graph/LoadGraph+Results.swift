internal import ImageCore

/// What a result, or a failure, does to the loads and the work that wait for it.
extension LoadGraph {
    // MARK: Results

    mutating func succeed(_ id: NodeID, _ value: Value, _ retention: Retention) {
        nodes[id].state = .done(value)
        nodes[id].version += 1
        nodes[id].retention = retention
        nodes[id].preview = nil
        nodes[id].receivesPartialData = false
        // Store before delivering: a caller that has its image finds it in the caches.
        if storesNow(id) { store(id, value, priority: highestCachePriority(of: id)) }
        if let upstream = nodes[id].upstream { prove(upstream) }
        for ticket in nodes[id].loads.sorted() {
            deliver(.success(value), to: ticket)
            remove(ticket)
        }
        releaseDependents(of: id)
        if let upstream = nodes[id].upstream {
            detach(id)
            collect(upstream)
        }
        collect(id)
    }

    /// Starts the work that waited for the result. All of it queues before any begins, so that the most urgent comes first.
    private mutating func releaseDependents(of id: NodeID) {
        shareDecodes(of: id)
        let waiting = nodes[id].dependents.sorted().filter { nodes[$0].isWaitingForUpstream }
        if let only = waiting.first, waiting.count == 1 { return enqueue(only, for: nodes[only].resource) }
        for dependent in waiting { queue(dependent, for: nodes[dependent].resource) }
        if let first = waiting.first { drain(nodes[first].resource) }
    }

    mutating func fail(_ id: NodeID, _ failure: LoadFailure) {
        // Hide the node first, so that a load that starts now begins its own work.
        hide(id)
        endPreviews(of: id)
        for ticket in nodes[id].loads.sorted() {
            deliver(.failure(failure), to: ticket)
            remove(ticket)
        }
        for dependent in nodes[id].dependents.sorted() {
            detach(dependent)
            // A dependent that runs already has its input from an earlier attempt and ends by itself.
            if case .running = nodes[dependent].state { continue }
            withdraw(dependent)
            fail(dependent, failure)
        }
        if let upstream = nodes[id].upstream {
            detach(id)
            collect(upstream)
        }
        nodes.remove(id)
    }

    mutating func deliver(_ result: Result<Value, LoadFailure>, to ticket: LoadTicket) {
        guard let load = loads[ticket] else { return }
        actions.append(.deliver(load.subscriber, result, isCoalesced: load.isCoalesced))
    }

    /// Reports progress to the loads of a node and of all work that depends on it.
    mutating func report(_ progress: LoadProgress, below id: NodeID) {
        for ticket in nodes[id].loads.sorted() {
            guard let load = loads[ticket], load.options.wantsProgress else { continue }
            actions.append(.progress(load.subscriber, progress))
        }
        for dependent in nodes[id].dependents.sorted() where nodes[dependent].listeners.progress > 0 {
            report(progress, below: dependent)
        }
    }

    // MARK: Storing

    func storesNow(_ id: NodeID) -> Bool {
        nodes[id].retention == .now && !nodes[id].storeTargets.isEmpty && !nodes[id].isStoring
    }

    /// Work that used the node's result succeeded.
    private mutating func prove(_ id: NodeID) {
        guard nodes[id].retention == .whenProven, !nodes[id].storeTargets.isEmpty, !nodes[id].isStoring,
            case .done(let value) = nodes[id].state
        else { return }
        store(id, value, priority: .normal)
    }

    mutating func store(_ id: NodeID, _ value: Value, priority: CachePriority) {
        nodes[id].isStoring = true
        nodes[id].retention = .never
        actions.append(.store(id, nodes[id].key, nodes[id].work, value, priority, nodes[id].storeTargets))
    }

    private func highestCachePriority(of id: NodeID) -> CachePriority {
        nodes[id].loads.lazy.compactMap { loads[$0]?.options.cachePriority }.max() ?? .normal
    }
}
