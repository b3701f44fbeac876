internal import ImageCore

/// Which loads wait for which work: the state machine of a loader.
///
/// A pure value: copies are independent. Each call is one event and leaves actions that the engine executes outside the lock
/// that guards the graph. Loads subscribe to nodes, nodes to the node whose result they need; a node lives as long as
/// it has a subscriber, and a finished one answers late loads at once. Joining, leaving and changing a priority take
/// constant time, apart from the logarithm of a queue.
struct LoadGraph<Subscriber: Sendable, Work: Sendable, Value: Sendable>: Sendable {
    typealias Node = WorkNode<Work, Value>

    /// What the engine must do about the events so far, in order.
    var actions: [Action] = []
    var nodes = SlotMap<Node>()
    var loads: [LoadTicket: LoadRecord<Subscriber>] = [:]
    /// The work that new loads can join.
    var nodesByKey: [WorkKey: NodeID] = [:]
    var queues: ResourceQueues
    /// The number of the newest load; also counts work that is made from an input at hand.
    var sequence: UInt64 = 0
    /// Nodes whose previews take memory, the youngest last.
    var previewing: [NodeID] = []
    /// Whether previews gave memory back since the queue of decodes was last drained.
    var hasRoomAgain = false
    /// Whether the network is constrained, so that prefetches wait.
    var isConstrained = false
    /// Loads that are not prefetches.
    var awaited = 0
    /// Whether the network queue must be drained, because fetches that it held back may begin.
    var mayFetchAgain = false

    /// - Parameters: limits of concurrent steps, at least 1 each.
    init(fetches: Int, fetchesPerHost: Int, localReads: Int, workers: Int, decodingBytes: Int = .max) {
        queues = ResourceQueues(
            fetches: fetches, fetchesPerHost: fetchesPerHost, localReads: localReads, workers: workers,
            decodingBytes: decodingBytes)
    }

    /// Loads that have not ended, work that has not, and queued and running steps: all zero when nothing is left.
    var counts: (loads: Int, nodes: Int, queued: Int, running: Int) {
        (loads.count, nodes.count, queues.queued, queues.running)
    }

    /// The queues of work, for the loader's statistics.
    var statistics: [ImageLoader.Queue] {
        ResourceClass.allCases.map { resource in
            let queue = queues[resource]
            return ImageLoader.Queue(
                name: "\(resource)", waiting: queue.queued, running: queue.running,
                limit: queue.limit == .max ? nil : queue.limit)
        }
    }

    /// Removes and returns what the engine must do about the events since the last call, in order.
    mutating func takeActions() -> [Action] {
        if hasRoomAgain {
            hasRoomAgain = false
            drain(.worker)
        }
        if mayFetchAgain {
            mayFetchAgain = false
            drain(.network)
        }
        // Give back the memory of a burst.
        if loads.isEmpty, loads.capacity > 256 { loads = [:] }
        if nodesByKey.isEmpty, nodesByKey.capacity > 256 { nodesByKey = [:] }
        defer { actions = [] }
        return actions
    }

    // MARK: Events of loads

    /// A load begins. It joins the first work of the chain that exists; what comes before that is made.
    ///
    /// - Parameters:
    ///   - chain: the wanted work first, each link depending on the next; not empty.
    ///   - input: the result that the last link needs, where it is at hand.
    mutating func join(
        _ subscriber: Subscriber, chain: [WorkLink<Work>], input: Value? = nil, options: SubscriberOptions
    ) -> LoadTicket {
        sequence += 1
        var wanted: NodeID?
        var joined: NodeID?
        // The last of the nodes that are made for this load.
        var made: NodeID?
        for link in chain {
            let existing = nodesByKey[link.key]
            let id = existing ?? insert(link)
            if let made { attach(made, to: id) }
            wanted = wanted ?? id
            if existing != nil {
                joined = existing
                break
            }
            made = id
        }
        // The chain is not empty: there is a wanted node, and work was joined or made.
        let ticket = add(subscriber, to: wanted!, options: options, isCoalesced: joined != nil)
        if let joined {
            resume(joined, wanted: wanted!, dependent: made, ticket: ticket)
        } else {
            begin(made!, input: input)
        }
        return ticket
    }

    /// Whether work with that key exists.
    func contains(_ key: WorkKey) -> Bool { nodesByKey[key] != nil }

    /// Whether a load that has just begun joined existing work. A load that joined finished work has ended already.
    func hasJoined(_ ticket: LoadTicket) -> Bool { loads[ticket]?.isCoalesced ?? true }

    /// A load begins whose work exists; returns `nil`, and changes nothing, where it does not.
    mutating func join(_ subscriber: Subscriber, existing key: WorkKey, options: SubscriberOptions) -> LoadTicket? {
        guard let wanted = nodesByKey[key] else { return nil }
        sequence += 1
        let ticket = add(subscriber, to: wanted, options: options, isCoalesced: true)
        resume(wanted, wanted: wanted, dependent: nil, ticket: ticket)
        return ticket
    }

    /// A load is cancelled. Returns whether it was still waiting; it then gets no delivery.
    @discardableResult
    mutating func leave(_ ticket: LoadTicket) -> Bool {
        guard let load = remove(ticket) else { return false }
        collect(load.node)
        return true
    }

    /// Changes the priority of a load in flight.
    mutating func setPriority(_ ticket: LoadTicket, _ priority: LoadPriority) {
        guard let load = loads[ticket] else { return }
        let old = load.options.rankClass
        let new = RankClass(old.purpose, priority)
        guard old != new else { return }
        loads[ticket]?.options.rankClass = new
        nodes[load.node].counts.remove(old)
        nodes[load.node].counts.add(new)
        rankChanged(load.node)
    }

    /// Whether no fetch may begin.
    var isPaused: Bool { queues[.network].isPaused }

    /// Stops fetches from beginning, or lets them begin again. Running fetches continue.
    mutating func setPaused(_ isPaused: Bool) {
        queues[.network].isPaused = isPaused
        drain(.network)
    }

    /// Tells the graph whether the network is constrained: prefetches then wait until no other load is left.
    mutating func setConstrained(_ isConstrained: Bool) {
        self.isConstrained = isConstrained
        holdPrefetches()
    }

    /// Ends every load as cancelled and stops all work.
    mutating func cancelAll() {
        for ticket in loads.keys.sorted() {
            guard let load = loads[ticket] else { continue }
            actions.append(.deliver(load.subscriber, .failure(.cancelled), isCoalesced: load.isCoalesced))
            leave(ticket)
        }
    }

    // MARK: Events of work

    /// A running step has learnt how much memory it will take, in bytes.
    ///
    /// - Returns: whether it may continue. Otherwise it has lost its slot, and runs again when there is room.
    mutating func claim(_ id: NodeID, bytes: Int) -> Bool {
        // A cancelled step continues; it checks its token.
        guard nodes.contains(id), case .running(let resource, _) = nodes[id].state else { return true }
        nodes[id].cost = max(0, bytes)
        makeRoom(for: nodes[id].cost)
        if queues[resource].claim(nodes[id].cost) {
            nodes[id].spent = nodes[id].cost
            return true
        }
        // Without an upstream the step could not get its input a second time, so it continues.
        guard let upstream = nodes[id].upstream else { return true }
        releaseSlot(id)
        if case .done = nodes[upstream].state {
            queue(id, for: resource)
        } else {
            // The upstream is making the input again.
            nodes[id].state = .waitingForUpstream
        }
        drain(resource)
        return false
    }

    /// Memory is taken that belongs to no step any more, until ``giveBack(_:)``.
    mutating func hold(_ bytes: Int) { queues[.worker].hold(bytes) }

    /// Frees memory that ``hold(_:)`` took.
    mutating func giveBack(_ bytes: Int) {
        queues[.worker].giveBack(bytes)
        drain(.worker)
    }

    /// A step ended without a result; the node continues with another resource.
    mutating func advance(_ id: NodeID, to resource: ResourceClass) {
        guard nodes.contains(id), let released = releaseSlot(id) else { return }
        if case .stopping = nodes[id].state {
            nodes.remove(id)
        } else {
            enqueue(id, for: resource)
        }
        drain(released)
    }

    /// Bytes arrived for a running node.
    mutating func report(_ progress: LoadProgress, from id: NodeID) {
        guard nodes.contains(id), case .running = nodes[id].state else { return }
        nodes[id].progress = progress
        if nodes[id].listeners.progress > 0 { report(progress, below: id) }
        if nodes[id].listeners.previewPolicy != nil { appendPartialData(toDependentsOf: id) }
    }

    /// A step ended with the node's result, or failed.
    mutating func finish(_ id: NodeID, _ result: Result<Value, LoadFailure>, retention: Retention = .never) {
        guard nodes.contains(id), let released = releaseSlot(id) else { return }
        if case .stopping = nodes[id].state {
            nodes.remove(id)
        } else {
            switch result {
            case .success(let value): succeed(id, value, retention)
            case .failure(let failure): fail(id, failure)
            }
        }
        drain(released)
    }

    /// A step found its input unsound (a cached original that does not decode): the upstream makes it again with `resource`,
    /// and the node waits for it. Where another dependent has already tried that without success, the node fails.
    mutating func retryUpstream(of id: NodeID, with resource: ResourceClass, otherwise failure: LoadFailure) {
        guard nodes.contains(id), let released = releaseSlot(id) else { return }
        if case .stopping = nodes[id].state {
            nodes.remove(id)
        } else if let upstream = nodes[id].upstream {
            nodes[id].state = .waitingForUpstream
            // The new bytes may announce another size.
            nodes[id].cost = 0
            if case .done = nodes[upstream].state {
                if nodes[upstream].version != nodes[id].inputVersion {
                    // Another dependent asked before, and the new result is here already.
                    enqueue(id, for: nodes[id].resource)
                } else {
                    holdBack(dependentsOf: upstream)
                    enqueue(upstream, for: resource)
                }
            }
        } else {
            fail(id, failure)
        }
        drain(released)
    }

    /// Dependents that are queued with the upstream's old result wait for the new one.
    private mutating func holdBack(dependentsOf upstream: NodeID) {
        for id in nodes[upstream].dependents {
            guard case .queued = nodes[id].state else { continue }
            withdraw(id)
            nodes[id].state = .waitingForUpstream
            nodes[id].cost = 0
        }
    }

    /// The engine has stored what a `store` action named.
    mutating func storeFinished(_ id: NodeID) {
        guard nodes.contains(id) else { return }
        nodes[id].isStoring = false
        collect(id)
    }
}
