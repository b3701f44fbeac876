internal import ImageCore

/// Who subscribes to whom: lists without arrays, so that coming and going take constant time.
extension LoadGraph {
    // MARK: Leaving

    mutating func remove(_ ticket: LoadTicket) {
        guard let load = loads.remove(ticket) else { return }
        if let previous = load.previous { loads[previous].next = load.next } else { nodes[load.node].firstLoad = load.next }
        if let next = load.next { loads[next].previous = load.previous } else { nodes[load.node].lastLoad = load.previous }
        nodes[load.node].counts.remove(load.terms.rankClass)
        if load.terms.rankClass.purpose != .prefetch {
            awaited -= 1
            if isConstrained { holdPrefetches() }
        }
        let listeners = Listeners(load.terms)
        if !listeners.isEmpty { climb(from: load.node) { $0.listeners -= listeners } }
        rankChanged(load.node)
    }

    /// Ends a node that nobody wants, and then what only it wanted.
    mutating func collect(_ id: NodeID) {
        guard nodes.contains(id), !isWanted(id) else { return }
        index.remove(id, in: nodes)
        keepPreview(of: id)
        let upstream = nodes[id].upstream
        if upstream != nil { detach(id) }
        switch nodes[id].state {
        case .running(let lane, let token):
            nodes[id].state = .stopping(lane)
            actions.append(.stop(token))
        case .stopping: break
        case .queued, .waitingForUpstream, .done:
            withdraw(id)
            nodes.end(id)
        }
        if let upstream { collect(upstream) }
    }

    // Field by field: a question to the node as a whole would copy it.
    private func isWanted(_ id: NodeID) -> Bool {
        nodes[id].firstLoad != nil || nodes[id].firstDependent != nil || nodes[id].isHeld
    }

    // MARK: Links between nodes

    mutating func attach(_ id: NodeID, to upstream: NodeID) {
        nodes[id].upstream = upstream
        nodes[id].previous = nodes[upstream].lastDependent
        nodes[id].next = nil
        if let last = nodes[upstream].lastDependent { nodes[last].next = id } else { nodes[upstream].firstDependent = id }
        nodes[upstream].lastDependent = id
        let listeners = nodes[id].listeners
        if !listeners.isEmpty { climb(from: upstream) { $0.listeners += listeners } }
    }

    mutating func detach(_ id: NodeID) {
        guard let upstream = nodes[id].upstream else { return }
        let (previous, next) = (nodes[id].previous, nodes[id].next)
        if let previous { nodes[previous].next = next } else { nodes[upstream].firstDependent = next }
        if let next { nodes[next].previous = previous } else { nodes[upstream].lastDependent = previous }
        let listeners = nodes[id].listeners
        if !listeners.isEmpty { climb(from: upstream) { $0.listeners -= listeners } }
        nodes[id].upstream = nil
        nodes[id].previous = nil
        nodes[id].next = nil
        if let counted = nodes[id].countedAs {
            nodes[id].countedAs = nil
            nodes[upstream].counts.remove(counted)
            rankChanged(upstream)
        }
    }
}
