internal import ImageCore

/// Who waits for which work: the state machine of a loader.
///
/// A pure value. Each call is one event and leaves behind the actions that the engine has to carry out, outside
/// the lock that guards the graph. Loads subscribe to nodes, nodes to the node whose result they need; a node lives as long as
/// anyone subscribes to it, and a finished one answers late comers at once. Joining, leaving and changing a priority
/// take constant time, apart from the logarithm of a queue.
struct LoadGraph<Subscriber: Sendable, Work: Sendable, Value: Sendable>: Sendable {
    enum Action: Sendable {
        /// Carry out a step and report back with ``finish(_:_:retention:)`` or ``advance(_:to:)``.
        ///
        /// `isAdmitted` says that what the step costs has been claimed before.
        case run(NodeID, Work, Lane, input: Value?, RankClass, CancellationToken, isAdmitted: Bool)
        /// Nobody wants the step any more.
        case stop(CancellationToken)
        /// Store a result, then report with ``settle(_:)``. Comes before the deliveries of the same event.
        case store(NodeID, WorkKey, Work, Value, CachePriority, StoreTargets)
        case progress(Subscriber, LoadProgress)
        /// Bytes have come that a preview of the node may be made of; report it with ``preview(_:_:_:)``.
        case feed(NodeID, Work, PreviewPolicy)
        /// No more previews of the work are wanted.
        case endFeed(Work)
        /// Carry a step out on a preview of its input, and report with ``preview(_:_:_:)``.
        case processPreview(NodeID, Work, Value, CancellationToken)
        case preview(Subscriber, Value)
        /// Keep what was shown of work that nobody waits for any more.
        case keepPreview(WorkKey, Value)
        /// The load's one terminal event.
        case deliver(Subscriber, Result<Value, LoadFailure>, isCoalesced: Bool)
    }

    typealias Node = WorkNode<Work, Value>

    var actions = ActionList<Action>()

    var nodes = Slab<Node>()
    var loads = Slab<LoadRecord<Subscriber>>()
    var index = WorkIndex()
    var lanes: [LaneQueue]
    var sequence: UInt64 = 0
    /// Nodes whose previews take memory, and whether some was given back since decodes were last looked for.
    var previewing: [NodeID] = []
    var hasRoomAgain = false
    /// Whether the network is to be spared, and how many loads there are that are no prefetches.
    var isConstrained = false
    var awaited = 0
    /// Whether fetches that were held back are to be looked for.
    var mayFetchAgain = false

    /// - Parameters: limits of concurrent steps, at least 1 each.
    init(fetches: Int, fetchesPerHost: Int, localReads: Int, workers: Int, decodingBytes: Int = .max) {
        lanes = [
            LaneQueue(limit: .max), LaneQueue(limit: fetches, limitPerGroup: fetchesPerHost), LaneQueue(limit: localReads),
            LaneQueue(limit: workers, budget: decodingBytes),
        ]
    }

    /// Loads that have not ended, work that has not, and queued steps: all zero when nothing is left.
    var counts: (loads: Int, nodes: Int, queued: Int, running: Int) {
        (
            loads.count, nodes.count, Lane.allCases.reduce(0) { $0 + lanes[$1.rawValue].queued },
            Lane.allCases.reduce(0) { $0 + lanes[$1.rawValue].running }
        )
    }

    /// The queues of work, as statistics tell of them.
    var queues: [ImageLoader.Queue] {
        Lane.allCases.map { lane in
            let queue = lanes[lane.rawValue]
            return ImageLoader.Queue(
                name: "\(lane)", waiting: queue.queued, running: queue.running,
                limit: queue.limit == .max ? nil : queue.limit)
        }
    }

    /// What the engine has to do about the events since the last call, in order.
    mutating func takeActions() -> ActionList<Action> {
        if hasRoomAgain {
            hasRoomAgain = false
            drain(.worker)
        }
        if mayFetchAgain {
            mayFetchAgain = false
            drain(.network)
        }
        if nodes.count == 0 { for lane in lanes.indices { lanes[lane].forgetBurst() } }
        return actions.take()
    }

    // MARK: Events of loads

    /// A load begins. It joins the first work of the chain that exists already; what lies before that is made.
    ///
    /// - Parameters:
    ///   - chain: the wanted work first, each link depending on the next; not empty.
    ///   - input: the result that the last link needs, where it is at hand.
    mutating func join(
        _ subscriber: Subscriber, chain: [WorkLink<Work>], input: Value? = nil, terms: LoadTerms
    ) -> LoadTicket {
        sequence += 1
        var wanted: NodeID?
        var dependent: NodeID?
        var joined: NodeID?
        for link in chain {
            let hash = link.key.hash
            let existing = index.find(link.key, hash: hash, in: nodes)
            let id = existing ?? insert(link, hash: hash)
            if let dependent { attach(dependent, to: id) }
            wanted = wanted ?? id
            dependent = id
            if existing != nil {
                joined = existing
                break
            }
        }
        // The chain is not empty, so that both ids are set.
        let ticket = add(subscriber, to: wanted!, terms: terms, isCoalesced: joined != nil)
        if let joined {
            resume(joined, wanted: wanted!, ticket: ticket)
        } else {
            begin(dependent!, input: input)
        }
        return ticket
    }

    /// Whether work with that key is there.
    func contains(_ key: WorkKey) -> Bool { index.find(key, hash: key.hash, in: nodes) != nil }

    /// Whether work was there already for a load that has just begun. One that found it finished is gone again.
    func hasJoined(_ ticket: LoadTicket) -> Bool { !loads.contains(ticket) || loads[ticket].isCoalesced }

    /// A load begins whose work is there already; `nil`, and nothing has happened, where it is not.
    mutating func join(_ subscriber: Subscriber, existing key: WorkKey, terms: LoadTerms) -> LoadTicket? {
        guard let wanted = index.find(key, hash: key.hash, in: nodes) else { return nil }
        sequence += 1
        let ticket = add(subscriber, to: wanted, terms: terms, isCoalesced: true)
        resume(wanted, wanted: wanted, ticket: ticket)
        return ticket
    }

    /// A load's caller gives up. Returns whether the load was still waiting; it gets no delivery any more.
    @discardableResult
    mutating func leave(_ ticket: LoadTicket) -> Bool {
        guard loads.contains(ticket) else { return false }
        let node = loads[ticket].node
        remove(ticket)
        collect(node)
        return true
    }

    /// A load's urgency changes, in flight.
    mutating func setPriority(_ ticket: LoadTicket, _ priority: LoadPriority) {
        guard loads.contains(ticket) else { return }
        let old = loads[ticket].terms.rankClass
        let new = RankClass(old.purpose, priority)
        guard old != new else { return }
        loads[ticket].terms.rankClass = new
        let node = loads[ticket].node
        nodes[node].counts.remove(old)
        nodes[node].counts.add(new)
        rankChanged(node)
    }

    /// Whether the network lane is held.
    var isPaused: Bool { lanes[Lane.network.rawValue].isPaused }

    /// Holds the network lane, or lets it go on. What runs is not touched.
    mutating func setPaused(_ isPaused: Bool) {
        lanes[Lane.network.rawValue].isPaused = isPaused
        drain(.network)
    }

    /// Spares the network, or no longer does: while it is spared, prefetches wait until nobody awaits anything else.
    mutating func setConstrained(_ isConstrained: Bool) {
        self.isConstrained = isConstrained
        holdPrefetches()
    }

    /// Every load ends as cancelled, all work stops.
    mutating func cancelAll() {
        for ticket in loads.ids where loads.contains(ticket) {
            let load = loads[ticket]
            actions.append(.deliver(load.subscriber, .failure(.cancelled), isCoalesced: load.isCoalesced))
            leave(ticket)
        }
    }

    // MARK: Events of work

    /// A running step has learnt how much memory it will take, in bytes.
    ///
    /// - Returns: whether it may go on. Otherwise it has lost its slot, and runs again when there is room.
    mutating func claim(_ id: NodeID, bytes: Int) -> Bool {
        // A step that nobody wants goes on, and sees its token.
        guard nodes.contains(id), case .running(let lane, _) = nodes[id].state else { return true }
        nodes[id].cost = max(0, bytes)
        makeRoom(for: nodes[id].cost)
        if lanes[lane.rawValue].claim(nodes[id].cost) {
            nodes[id].spent = nodes[id].cost
            return true
        }
        // Whose upstream is gone has its input only now: it goes on.
        guard let upstream = nodes[id].upstream else { return true }
        releaseSlot(id)
        if case .done = nodes[upstream].state {
            queue(id, in: lane)
        } else {
            // The input is being made anew meanwhile.
            nodes[id].state = .waitingForUpstream
        }
        drain(lane)
        return false
    }

    /// Memory is taken that belongs to no step any more, until ``giveBack(_:)``.
    mutating func hold(_ bytes: Int) { lanes[Lane.worker.rawValue].hold(bytes) }

    /// That memory is free.
    mutating func giveBack(_ bytes: Int) {
        lanes[Lane.worker.rawValue].giveBack(bytes)
        drain(.worker)
    }

    /// A step is over without a result; the node goes on in another lane.
    mutating func advance(_ id: NodeID, to lane: Lane) {
        guard nodes.contains(id), let from = releaseSlot(id) else { return }
        if case .stopping = nodes[id].state {
            nodes.end(id)
        } else {
            enqueue(id, in: lane)
        }
        drain(from)
    }

    /// Bytes arrived for a running node.
    mutating func report(_ progress: LoadProgress, from id: NodeID) {
        guard nodes.contains(id), case .running = nodes[id].state else { return }
        nodes[id].progress = progress
        if nodes[id].listeners.progress > 0 { tell(progress, below: id) }
        if nodes[id].listeners.previewPolicy != nil { feed(dependentsOf: id) }
    }

    /// A step ended with the node's result, or failed.
    mutating func finish(_ id: NodeID, _ result: Result<Value, LoadFailure>, retention: Retention = .never) {
        guard nodes.contains(id), let lane = releaseSlot(id) else { return }
        if case .stopping = nodes[id].state {
            nodes.end(id)
        } else {
            switch result {
            case .success(let value): succeed(id, value, retention)
            case .failure(let failure): fail(id, failure)
            }
        }
        drain(lane)
    }

    /// A step found its input unsound (a cached original that does not decode): the upstream makes it anew in `lane`,
    /// and the node waits for it. Where that has been tried in vain meanwhile, the node fails.
    mutating func retryUpstream(of id: NodeID, in lane: Lane, otherwise failure: LoadFailure) {
        guard nodes.contains(id), let from = releaseSlot(id) else { return }
        if case .stopping = nodes[id].state {
            nodes.end(id)
        } else if let upstream = nodes[id].upstream {
            nodes[id].state = .waitingForUpstream
            // Other bytes may announce another size.
            nodes[id].cost = 0
            if case .done = nodes[upstream].state {
                if nodes[upstream].version != nodes[id].inputVersion {
                    // Another dependent asked before, and the new result is here already.
                    enqueue(id, in: nodes[id].lane)
                } else {
                    holdBack(dependentsOf: upstream)
                    enqueue(upstream, in: lane)
                }
            }
        } else {
            fail(id, failure)
        }
        drain(from)
    }

    /// Dependents that are queued with the upstream's old result wait for the new one.
    private mutating func holdBack(dependentsOf upstream: NodeID) {
        var next = nodes[upstream].firstDependent
        while let id = next {
            next = nodes[id].next
            guard case .queued = nodes[id].state else { continue }
            withdraw(id)
            nodes[id].state = .waitingForUpstream
            nodes[id].cost = 0
        }
    }

    /// The engine has stored what a `store` action asked for.
    mutating func settle(_ id: NodeID) {
        guard nodes.contains(id) else { return }
        nodes[id].isHeld = false
        collect(id)
    }
}
