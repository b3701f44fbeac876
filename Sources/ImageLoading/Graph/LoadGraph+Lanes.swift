internal import ImageCore

/// Where work waits for its turn, and what its class is.
extension LoadGraph {
    /// Passes a node's highest class on to its upstream, and to the queue in which either waits.
    mutating func rankChanged(_ id: NodeID) {
        var next: NodeID? = id
        while let id = next {
            if case .queued(let lane) = nodes[id].state {
                lanes[lane.rawValue].enqueue(id, group: nodes[id].group, rank: rank(of: id), cost: nodes[id].cost)
                // A prefetch that was held back may have become more than that.
                if lanes[lane.rawValue].holdsPrefetches { mayFetchAgain = true }
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

    mutating func enqueue(_ id: NodeID, in lane: Lane) {
        makeRoom(for: nodes[id].cost)
        let isPrefetch = lanes[lane.rawValue].holdsPrefetches && rank(of: id).rankClass.purpose == .prefetch
        if lanes[lane.rawValue].startAtOnce(group: nodes[id].group, cost: nodes[id].cost, isPrefetch: isPrefetch) {
            run(id, in: lane)
        } else {
            queue(id, in: lane)
            // Others may be waiting only for their own host.
            drain(lane)
        }
    }

    /// Has a node wait for its turn, without a look at who comes next.
    mutating func queue(_ id: NodeID, in lane: Lane) {
        makeRoom(for: nodes[id].cost)
        nodes[id].state = .queued(lane)
        lanes[lane.rawValue].enqueue(id, group: nodes[id].group, rank: rank(of: id), cost: nodes[id].cost)
    }

    private func rank(of id: NodeID) -> QueueRank {
        QueueRank(
            rankClass: nodes[id].counts.highest ?? RankClass(rawValue: 0), oldest: nodes[id].oldest,
            newest: nodes[id].newest)
    }

    mutating func withdraw(_ id: NodeID) {
        if case .queued(let lane) = nodes[id].state { lanes[lane.rawValue].withdraw(id, group: nodes[id].group) }
    }

    /// While the network is spared, no prefetch begins to fetch as long as anybody waits for a picture.
    mutating func holdPrefetches() {
        let holds = isConstrained && awaited > 0
        guard holds != lanes[Lane.network.rawValue].holdsPrefetches else { return }
        lanes[Lane.network.rawValue].holdsPrefetches = holds
        if !holds { mayFetchAgain = true }
    }

    mutating func drain(_ lane: Lane) {
        while let id = lanes[lane.rawValue].take() { run(id, in: lane) }
    }

    mutating func run(_ id: NodeID, in lane: Lane) {
        let token = CancellationToken()
        nodes[id].state = .running(lane, token)
        // What was decoded for previews is taken over.
        releasePreviewMemory(of: id)
        nodes[id].spent = nodes[id].cost
        var input: Value?
        if let upstream = nodes[id].upstream, case .done(let value) = nodes[upstream].state {
            input = value
            nodes[id].inputVersion = nodes[upstream].version
        }
        let rank = nodes[id].counts.highest ?? RankClass(.plain, .normal)
        actions.append(.run(id, nodes[id].work, lane, input: input, rank, token, isAdmitted: nodes[id].cost > 0))
    }

    /// Gives a running step's slot back; `nil` when the node is not running.
    @discardableResult
    mutating func releaseSlot(_ id: NodeID) -> Lane? {
        switch nodes[id].state {
        case .running(let lane, _), .stopping(let lane):
            lanes[lane.rawValue].release(group: nodes[id].group, cost: nodes[id].spent)
            nodes[id].spent = 0
            return lane
        default: return nil
        }
    }
}
