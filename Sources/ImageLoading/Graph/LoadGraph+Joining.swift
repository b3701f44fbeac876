internal import ImageCore

/// How a load gets its place: which work it joins, which is made for it.
extension LoadGraph {
    mutating func insert(_ link: WorkLink<Work>, hash: Int) -> NodeID {
        let id = nodes.insert(
            Node(
                key: link.key, hash: hash, work: link.work, lane: link.lane, group: link.group, scale: link.scale,
                oldest: sequence))
        index.insert(id, in: nodes)
        return id
    }

    mutating func add(
        _ subscriber: Subscriber, to node: NodeID, terms: LoadTerms, isCoalesced: Bool
    ) -> LoadTicket {
        let ticket = loads.insert(
            LoadRecord(
                subscriber: subscriber, terms: terms, node: node, sequence: sequence, isCoalesced: isCoalesced,
                previous: nodes[node].lastLoad))
        if let last = nodes[node].lastLoad { loads[last].next = ticket } else { nodes[node].firstLoad = ticket }
        nodes[node].lastLoad = ticket
        if terms.writesMemory { nodes[node].storeTargets.insert(.memory) }
        if terms.writesResult { nodes[node].storeTargets.insert(.disk) }
        nodes[node].counts.add(terms.rankClass)
        if terms.rankClass.purpose != .prefetch {
            awaited += 1
            if isConstrained { holdPrefetches() }
        }
        let listeners = Listeners(terms)
        climb(from: node) { [sequence] node in
            if terms.rankClass.purpose == .view { node.newest = sequence }
            if !listeners.isEmpty { node.listeners += listeners }
            if terms.writesDisk, node.key.isOriginal { node.storeTargets.insert(.disk) }
        }
        rankChanged(node)
        return ticket
    }

    mutating func climb(from node: NodeID, _ change: (inout Node) -> Void) {
        var next: NodeID? = node
        while let id = next {
            change(&nodes[id])
            next = nodes[id].upstream
        }
    }

    /// The end of a chain that had to be made whole: its first step begins.
    mutating func begin(_ id: NodeID, input: Value?) {
        if let input {
            // A finished node of its own holds what was at hand, as if it had been made here.
            sequence += 1
            let source = nodes.insert(
                Node(
                    key: nodes[id].key, hash: nodes[id].hash, work: nodes[id].work, lane: .worker, group: "",
                    scale: nil, oldest: sequence, state: .done(input)))
            attach(id, to: source)
            rankChanged(id)
        }
        enqueue(id, in: nodes[id].lane)
    }

    /// A load has joined existing work.
    mutating func resume(_ joined: NodeID, wanted: NodeID, ticket: LoadTicket) {
        switch nodes[joined].state {
        case .done(let value) where joined == wanted:
            deliver(.success(value), to: ticket)
            if storesNow(joined) { store(joined, value, priority: loads[ticket].terms.cachePriority) }
            remove(ticket)
            collect(joined)
        case .done:
            // The dependent that has just been attached is the last one.
            if let dependent = nodes[joined].lastDependent { enqueue(dependent, in: nodes[dependent].lane) }
        default:
            if loads[ticket].terms.wantsProgress, let progress = rootProgress(of: joined) {
                actions.append(.progress(loads[ticket].subscriber, progress))
            }
            if loads[ticket].terms.previews != .none, let preview = nodes[wanted].preview {
                actions.append(.preview(loads[ticket].subscriber, preview))
            }
        }
    }

    func rootProgress(of id: NodeID) -> LoadProgress? {
        var next: NodeID? = id
        while let id = next {
            if let progress = nodes[id].progress { return progress }
            next = nodes[id].upstream
        }
        return nil
    }
}
