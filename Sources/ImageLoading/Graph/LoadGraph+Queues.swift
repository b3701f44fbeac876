internal import ImageCore

/// How work waits for a resource, and in which order it gets one.
extension LoadGraph {
    /// Passes a node's highest class on to its upstream, and to the queues in which they wait.
    mutating func rankChanged(_ id: NodeID) {
        var next: NodeID? = id
        while let id = next {
            if case .queued(let resource) = nodes[id].state {
                queues[resource].enqueue(id, group: nodes[id].group, rank: rank(of: id), cost: nodes[id].cost)
                // A prefetch that was held back may have got a subscriber that is not a prefetch.
                if queues[resource].holdsPrefetches { mayFetchAgain = true }
            }
            guard let upstream = nodes[id].upstream else { return }
            let (old, new) = (nodes[id].countedAs, nodes[id].counts.highest)
            if old != new {
                nodes[id].countedAs = new
                if let old { nodes[upstream].counts.remove(old) }
                if let new { nodes[upstream].counts.add(new) }
            } else if new?.purpose != .view {
                return
            }
            next = upstream
        }
    }

    /// Runs a node's step now if the limits allow it, or queues it.
    mutating func enqueue(_ id: NodeID, for resource: ResourceClass) {
        makeRoom(for: nodes[id].cost)
        let isPrefetch = queues[resource].holdsPrefetches && rank(of: id).rankClass.purpose == .prefetch
        if queues[resource].startAtOnce(group: nodes[id].group, cost: nodes[id].cost, isPrefetch: isPrefetch) {
            run(id, with: resource)
        } else {
            queue(id, for: resource)
            // The others in the queue may be waiting only for their own host.
            drain(resource)
        }
    }

    /// Queues a node, and starts nothing.
    mutating func queue(_ id: NodeID, for resource: ResourceClass) {
        makeRoom(for: nodes[id].cost)
        nodes[id].state = .queued(resource)
        queues[resource].enqueue(id, group: nodes[id].group, rank: rank(of: id), cost: nodes[id].cost)
    }

    private func rank(of id: NodeID) -> QueueRank {
        QueueRank(
            rankClass: nodes[id].counts.highest ?? RankClass(rawValue: 0), oldest: nodes[id].oldest,
            newest: nodes[id].newest)
    }

    /// Takes a node out of its queue, if it waits in one.
    mutating func withdraw(_ id: NodeID) {
        if case .queued(let resource) = nodes[id].state { queues[resource].withdraw(id, group: nodes[id].group) }
    }

    /// While the network is constrained, no prefetch begins to fetch as long as another load waits.
    mutating func holdPrefetches() {
        let holds = isConstrained && awaited > 0
        guard holds != queues[.network].holdsPrefetches else { return }
        queues[.network].holdsPrefetches = holds
        if !holds { mayFetchAgain = true }
    }

    /// Runs queued work as far as the limits allow.
    mutating func drain(_ resource: ResourceClass) {
        while let id = queues[resource].take() { run(id, with: resource) }
    }

    private mutating func run(_ id: NodeID, with resource: ResourceClass) {
        let token = CancellationToken()
        nodes[id].state = .running(resource, token)
        // The decode takes over what was decoded for previews.
        releasePreviewMemory(of: id)
        nodes[id].spent = nodes[id].cost
        var input: Value?
        if let upstream = nodes[id].upstream, case .done(let value) = nodes[upstream].state {
            input = value
            nodes[id].inputVersion = nodes[upstream].version
        }
        let rank = nodes[id].counts.highest ?? RankClass(.plain, .normal)
        actions.append(
            .run(id, nodes[id].work, resource, input: input, rank, token, hasMemoryReservation: nodes[id].cost > 0))
    }

    /// Frees a running step's slot and returns its resource; `nil` when the node is not running.
    @discardableResult
    mutating func releaseSlot(_ id: NodeID) -> ResourceClass? {
        switch nodes[id].state {
        case .running(let resource, _), .stopping(let resource):
            queues[resource].release(group: nodes[id].group, cost: nodes[id].spent)
            nodes[id].spent = 0
            return resource
        default: return nil
        }
    }
}
