internal import ImageCore

/// What a result, or a failure, does to those who wait for it.
extension LoadGraph {
    // MARK: Results

    mutating func succeed(_ id: NodeID, _ value: Value, _ retention: Retention) {
        nodes[id].state = .done(value)
        nodes[id].version += 1
        nodes[id].retention = retention
        nodes[id].preview = nil
        nodes[id].isFed = false
        // Stores come before deliveries: who has been delivered to finds the result in the caches.
        if storesNow(id) { store(id, value, priority: highestCachePriority(of: id)) }
        if let upstream = nodes[id].upstream { prove(upstream) }
        var next = nodes[id].firstLoad
        while let ticket = next {
            next = loads[ticket].next
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

    /// Those that waited for the result take their turns: all of them queue before one begins, so that the most urgent does.
    private mutating func releaseDependents(of id: NodeID) {
        shareDecodes(of: id)
        var lane: Lane?
        var next = nodes[id].firstDependent
        let isOne = next != nil && next == nodes[id].lastDependent
        while let waiting = next {
            next = nodes[waiting].next
            guard case .waitingForUpstream = nodes[waiting].state else { continue }
            lane = nodes[waiting].lane
            if isOne { enqueue(waiting, in: nodes[waiting].lane) } else { queue(waiting, in: nodes[waiting].lane) }
        }
        if let lane, !isOne { drain(lane) }
    }

    mutating func fail(_ id: NodeID, _ failure: LoadFailure) {
        // Out of the index first: a load that starts now begins afresh.
        index.remove(id, in: nodes)
        endPreviews(of: id)
        while let ticket = nodes[id].firstLoad {
            deliver(.failure(failure), to: ticket)
            remove(ticket)
        }
        while let dependent = nodes[id].firstDependent {
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
        nodes.end(id)
    }

    mutating func deliver(_ result: Result<Value, LoadFailure>, to ticket: LoadTicket) {
        actions.append(.deliver(loads[ticket].subscriber, result, isCoalesced: loads[ticket].isCoalesced))
    }

    mutating func tell(_ progress: LoadProgress, below id: NodeID) {
        var load = nodes[id].firstLoad
        while let ticket = load {
            if loads[ticket].terms.wantsProgress { actions.append(.progress(loads[ticket].subscriber, progress)) }
            load = loads[ticket].next
        }
        var dependent = nodes[id].firstDependent
        while let node = dependent {
            if nodes[node].listeners.progress > 0 { tell(progress, below: node) }
            dependent = nodes[node].next
        }
    }

    // MARK: Storing

    func storesNow(_ id: NodeID) -> Bool {
        nodes[id].retention == .now && !nodes[id].storeTargets.isEmpty && !nodes[id].isHeld
    }

    /// Work that used the node's result succeeded.
    mutating func prove(_ id: NodeID) {
        guard nodes[id].retention == .whenProven, !nodes[id].storeTargets.isEmpty, !nodes[id].isHeld,
            case .done(let value) = nodes[id].state
        else { return }
        store(id, value, priority: .normal)
    }

    mutating func store(_ id: NodeID, _ value: Value, priority: CachePriority) {
        nodes[id].isHeld = true
        nodes[id].retention = .never
        actions.append(.store(id, nodes[id].key, nodes[id].work, value, priority, nodes[id].storeTargets))
    }

    func highestCachePriority(of id: NodeID) -> CachePriority {
        var highest = CachePriority.normal
        var next = nodes[id].firstLoad
        while let ticket = next {
            highest = max(highest, loads[ticket].terms.cachePriority)
            next = loads[ticket].next
        }
        return highest
    }
}
