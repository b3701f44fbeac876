internal import ImageCore

/// How loads leave their nodes, and nodes the work that they depend on.
extension LoadGraph {
    // MARK: Leaving

    /// Removes a load and returns it; `nil` when it had ended.
    @discardableResult
    mutating func remove(_ ticket: LoadTicket) -> LoadRecord<Subscriber>? {
        guard let load = loads.removeValue(forKey: ticket) else { return nil }
        nodes[load.node].loads.remove(ticket)
        nodes[load.node].counts.remove(load.options.rankClass)
        if load.options.rankClass.purpose != .prefetch {
            awaited -= 1
            if isConstrained { holdPrefetches() }
        }
        let listeners = Listeners(load.options)
        if !listeners.isEmpty { forEachUpstream(from: load.node) { $0.listeners -= listeners } }
        rankChanged(load.node)
        return load
    }

    /// Ends a node that has no subscriber left, and then the work that only it depended on.
    mutating func collect(_ id: NodeID) {
        guard nodes.contains(id), !nodes[id].isWanted else { return }
        hide(id)
        keepPreview(of: id)
        let upstream = nodes[id].upstream
        if upstream != nil { detach(id) }
        switch nodes[id].state {
        case .running(let resource, let token):
            nodes[id].state = .stopping(resource)
            actions.append(.stop(token))
        case .stopping: break
        case .queued, .waitingForUpstream, .done:
            withdraw(id)
            nodes.remove(id)
        }
        if let upstream { collect(upstream) }
    }

    /// New loads no longer find the node: they begin their own work.
    mutating func hide(_ id: NodeID) {
        if nodesByKey[nodes[id].key] == id { nodesByKey[nodes[id].key] = nil }
    }

    // MARK: Links between nodes

    mutating func attach(_ id: NodeID, to upstream: NodeID) {
        nodes[id].upstream = upstream
        nodes[upstream].dependents.insert(id)
        let listeners = nodes[id].listeners
        if !listeners.isEmpty { forEachUpstream(from: upstream) { $0.listeners += listeners } }
    }

    mutating func detach(_ id: NodeID) {
        guard let upstream = nodes[id].upstream else { return }
        nodes[id].upstream = nil
        nodes[upstream].dependents.remove(id)
        let listeners = nodes[id].listeners
        if !listeners.isEmpty { forEachUpstream(from: upstream) { $0.listeners -= listeners } }
        if let counted = nodes[id].countedAs {
            nodes[id].countedAs = nil
            nodes[upstream].counts.remove(counted)
            rankChanged(upstream)
        }
    }
}
