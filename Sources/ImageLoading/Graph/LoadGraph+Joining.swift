internal import ImageCore

/// How a load finds or makes its work.
extension LoadGraph {
    mutating func insert(_ link: WorkLink<Work>) -> NodeID {
        let id = nodes.insert(
            Node(
                key: link.key, work: link.work, resource: link.resource, group: link.group, scale: link.scale,
                oldest: sequence))
        nodesByKey[link.key] = id
        return id
    }

    mutating func add(
        _ subscriber: Subscriber, to node: NodeID, options: SubscriberOptions, isCoalesced: Bool
    ) -> LoadTicket {
        let ticket = LoadTicket(rawValue: sequence)
        loads[ticket] = LoadRecord(subscriber: subscriber, options: options, node: node, isCoalesced: isCoalesced)
        nodes[node].loads.insert(ticket)
        if options.writesMemory { nodes[node].storeTargets.insert(.memory) }
        if options.writesResult { nodes[node].storeTargets.insert(.disk) }
        nodes[node].counts.add(options.rankClass)
        if options.rankClass.purpose != .prefetch {
            awaited += 1
            if isConstrained { holdPrefetches() }
        }
        let listeners = Listeners(options)
        forEachUpstream(from: node) { [sequence] node in
            if options.rankClass.purpose == .view { node.newest = sequence }
            if !listeners.isEmpty { node.listeners += listeners }
            if options.writesDisk, node.key.isOriginal { node.storeTargets.insert(.disk) }
        }
        rankChanged(node)
        return ticket
    }

    /// Changes a node and all work that it depends on.
    mutating func forEachUpstream(from node: NodeID, _ change: (inout Node) -> Void) {
        var next: NodeID? = node
        while let id = next {
            change(&nodes[id])
            next = nodes[id].upstream
        }
    }

    /// Starts the last link of a new chain.
    mutating func begin(_ id: NodeID, input: Value?) {
        if let input {
            // A finished node holds the input, as if it had been made here. New loads do not find it.
            sequence += 1
            let source = nodes.insert(
                Node(
                    key: nodes[id].key, work: nodes[id].work, resource: .worker, group: "", scale: nil, oldest: sequence,
                    state: .done(input)))
            attach(id, to: source)
            rankChanged(id)
        }
        enqueue(id, for: nodes[id].resource)
    }

    /// A load has joined existing work.
    ///
    /// - Parameter dependent: the node made for the load that needs the result of `joined`; `nil` when `joined` is wanted.
    mutating func resume(_ joined: NodeID, wanted: NodeID, dependent: NodeID?, ticket: LoadTicket) {
        guard let load = loads[ticket] else { return }
        switch nodes[joined].state {
        case .done(let value) where joined == wanted:
            deliver(.success(value), to: ticket)
            if storesNow(joined) { store(joined, value, priority: load.options.cachePriority) }
            remove(ticket)
            collect(joined)
        case .done:
            if let dependent { enqueue(dependent, for: nodes[dependent].resource) }
        default:
            if load.options.wantsProgress, let progress = rootProgress(of: joined) {
                actions.append(.progress(load.subscriber, progress))
            }
            if load.options.previews != .none, let preview = nodes[wanted].preview {
                actions.append(.preview(load.subscriber, preview))
            }
        }
    }

    /// The progress of the fetch that a node depends on.
    private func rootProgress(of id: NodeID) -> LoadProgress? {
        var next: NodeID? = id
        while let id = next {
            if let progress = nodes[id].progress { return progress }
            next = nodes[id].upstream
        }
        return nil
    }
}
