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
        case run(NodeID, Work, Lane, input: Value?, LoadPriority, CancellationToken)
        /// Nobody wants the step any more.
        case stop(CancellationToken)
        /// Store a result, then report with ``settle(_:)``. Comes before the deliveries of the same event.
        case store(NodeID, WorkKey, Work, Value, CachePriority)
        case progress(Subscriber, LoadProgress)
        /// The load's one terminal event.
        case deliver(Subscriber, Result<Value, LoadFailure>, isCoalesced: Bool)
    }

    typealias Node = WorkNode<Work, Value>

    private var actions: [Action] = []

    private var nodes = Slab<Node>()
    private var loads = Slab<LoadRecord<Subscriber>>()
    private var index: [WorkKey: NodeID] = [:]
    private var lanes: [LaneQueue<NodeID>]
    private var sequence: UInt64 = 0

    /// - Parameters: limits of concurrent steps, at least 1 each.
    init(fetches: Int, fetchesPerHost: Int, localReads: Int, workers: Int) {
        lanes = [
            LaneQueue(limit: .max), LaneQueue(limit: fetches, limitPerGroup: fetchesPerHost), LaneQueue(limit: localReads),
            LaneQueue(limit: workers),
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
    mutating func takeActions() -> [Action] {
        var taken: [Action] = []
        swap(&taken, &actions)
        return taken
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
            let existing = index[link.key]
            let id = existing ?? insert(link)
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

    /// Holds the network lane, or lets it go on. What runs is not touched.
    mutating func setPaused(_ isPaused: Bool) {
        lanes[Lane.network.rawValue].isPaused = isPaused
        drain(.network)
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

    /// A step is over without a result; the node goes on in another lane.
    mutating func advance(_ id: NodeID, to lane: Lane) {
        guard nodes.contains(id), let from = releaseSlot(id) else { return }
        if case .stopping = nodes[id].state {
            nodes.remove(id)
        } else {
            enqueue(id, in: lane)
        }
        drain(from)
    }

    /// Bytes arrived for a running node.
    mutating func report(_ progress: LoadProgress, from id: NodeID) {
        guard nodes.contains(id), case .running = nodes[id].state else { return }
        nodes[id].progress = progress
        if nodes[id].progressListeners > 0 { tell(progress, below: id) }
    }

    /// A step ended with the node's result, or failed.
    mutating func finish(_ id: NodeID, _ result: Result<Value, LoadFailure>, retention: Retention = .never) {
        guard nodes.contains(id), let lane = releaseSlot(id) else { return }
        if case .stopping = nodes[id].state {
            nodes.remove(id)
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
            nodes.remove(id)
        } else if let upstream = nodes[id].upstream {
            nodes[id].state = .waitingForUpstream
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
        }
    }

    /// The engine has stored what a `store` action asked for.
    mutating func settle(_ id: NodeID) {
        guard nodes.contains(id) else { return }
        nodes[id].isHeld = false
        collect(id)
    }

    // MARK: Joining

    private mutating func insert(_ link: WorkLink<Work>) -> NodeID {
        let id = nodes.insert(Node(key: link.key, work: link.work, lane: link.lane, group: link.group, oldest: sequence))
        index[link.key] = id
        return id
    }

    private mutating func add(
        _ subscriber: Subscriber, to node: NodeID, terms: LoadTerms, isCoalesced: Bool
    ) -> LoadTicket {
        let ticket = loads.insert(
            LoadRecord(
                subscriber: subscriber, terms: terms, node: node, sequence: sequence, isCoalesced: isCoalesced,
                previous: nodes[node].lastLoad))
        if let last = nodes[node].lastLoad { loads[last].next = ticket } else { nodes[node].firstLoad = ticket }
        nodes[node].lastLoad = ticket
        if terms.writesMemory { nodes[node].wantsStore = true }
        nodes[node].counts.add(terms.rankClass)
        climb(from: node) { [sequence] node in
            if terms.rankClass.purpose == .view { node.newest = sequence }
            if terms.wantsProgress { node.progressListeners += 1 }
            if terms.writesDisk, node.key.kind != .image { node.wantsStore = true }
        }
        rankChanged(node)
        return ticket
    }

    private mutating func climb(from node: NodeID, _ change: (inout Node) -> Void) {
        var next: NodeID? = node
        while let id = next {
            change(&nodes[id])
            next = nodes[id].upstream
        }
    }

    /// The end of a chain that had to be made whole: its first step begins.
    private mutating func begin(_ id: NodeID, input: Value?) {
        if let input {
            // A finished node of its own holds what was at hand, as if it had been made here.
            sequence += 1
            let source = nodes.insert(
                Node(
                    key: nodes[id].key, work: nodes[id].work, lane: .worker, group: "", oldest: sequence,
                    state: .done(input)))
            attach(id, to: source)
            rankChanged(id)
        }
        enqueue(id, in: nodes[id].lane)
    }

    /// A load has joined existing work.
    private mutating func resume(_ joined: NodeID, wanted: NodeID, ticket: LoadTicket) {
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
        }
    }

    private func rootProgress(of id: NodeID) -> LoadProgress? {
        var next: NodeID? = id
        while let id = next {
            if let progress = nodes[id].progress { return progress }
            next = nodes[id].upstream
        }
        return nil
    }

    // MARK: Results

    private mutating func succeed(_ id: NodeID, _ value: Value, _ retention: Retention) {
        nodes[id].state = .done(value)
        nodes[id].version += 1
        nodes[id].retention = retention
        // Stores come before deliveries: who has been delivered to finds the result in the caches.
        if storesNow(id) { store(id, value, priority: highestCachePriority(of: id)) }
        if let upstream = nodes[id].upstream { prove(upstream) }
        var next = nodes[id].firstLoad
        while let ticket = next {
            next = loads[ticket].next
            deliver(.success(value), to: ticket)
            remove(ticket)
        }
        var dependent = nodes[id].firstDependent
        while let waiting = dependent {
            dependent = nodes[waiting].next
            if case .waitingForUpstream = nodes[waiting].state { enqueue(waiting, in: nodes[waiting].lane) }
        }
        if let upstream = nodes[id].upstream {
            detach(id)
            collect(upstream)
        }
        collect(id)
    }

    private mutating func fail(_ id: NodeID, _ failure: LoadFailure) {
        // Out of the index first: a load that starts now begins afresh.
        forget(id)
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
        nodes.remove(id)
    }

    private mutating func deliver(_ result: Result<Value, LoadFailure>, to ticket: LoadTicket) {
        actions.append(.deliver(loads[ticket].subscriber, result, isCoalesced: loads[ticket].isCoalesced))
    }

    private mutating func tell(_ progress: LoadProgress, below id: NodeID) {
        var load = nodes[id].firstLoad
        while let ticket = load {
            if loads[ticket].terms.wantsProgress { actions.append(.progress(loads[ticket].subscriber, progress)) }
            load = loads[ticket].next
        }
        var dependent = nodes[id].firstDependent
        while let node = dependent {
            if nodes[node].progressListeners > 0 { tell(progress, below: node) }
            dependent = nodes[node].next
        }
    }

    // MARK: Storing

    private func storesNow(_ id: NodeID) -> Bool {
        nodes[id].retention == .now && nodes[id].wantsStore && !nodes[id].isHeld
    }

    /// Work that used the node's result succeeded.
    private mutating func prove(_ id: NodeID) {
        guard nodes[id].retention == .whenProven, nodes[id].wantsStore, !nodes[id].isHeld,
            case .done(let value) = nodes[id].state
        else { return }
        store(id, value, priority: .normal)
    }

    private mutating func store(_ id: NodeID, _ value: Value, priority: CachePriority) {
        nodes[id].isHeld = true
        nodes[id].retention = .never
        actions.append(.store(id, nodes[id].key, nodes[id].work, value, priority))
    }

    private func highestCachePriority(of id: NodeID) -> CachePriority {
        var highest = CachePriority.normal
        var next = nodes[id].firstLoad
        while let ticket = next {
            highest = max(highest, loads[ticket].terms.cachePriority)
            next = loads[ticket].next
        }
        return highest
    }

    // MARK: Leaving

    private mutating func remove(_ ticket: LoadTicket) {
        guard let load = loads.remove(ticket) else { return }
        if let previous = load.previous { loads[previous].next = load.next } else { nodes[load.node].firstLoad = load.next }
        if let next = load.next { loads[next].previous = load.previous } else { nodes[load.node].lastLoad = load.previous }
        nodes[load.node].counts.remove(load.terms.rankClass)
        if load.terms.wantsProgress { climb(from: load.node) { $0.progressListeners -= 1 } }
        rankChanged(load.node)
    }

    /// Ends a node that nobody wants, and then what only it wanted.
    private mutating func collect(_ id: NodeID) {
        guard nodes.contains(id), !nodes[id].isWanted else { return }
        forget(id)
        let upstream = nodes[id].upstream
        if upstream != nil { detach(id) }
        switch nodes[id].state {
        case .running(let lane, let token):
            nodes[id].state = .stopping(lane)
            actions.append(.stop(token))
        case .stopping: break
        case .queued, .waitingForUpstream, .done:
            withdraw(id)
            nodes.remove(id)
        }
        if let upstream { collect(upstream) }
    }

    private mutating func forget(_ id: NodeID) {
        if index[nodes[id].key] == id { index[nodes[id].key] = nil }
    }

    // MARK: Links between nodes

    private mutating func attach(_ id: NodeID, to upstream: NodeID) {
        nodes[id].upstream = upstream
        nodes[id].previous = nodes[upstream].lastDependent
        nodes[id].next = nil
        if let last = nodes[upstream].lastDependent { nodes[last].next = id } else { nodes[upstream].firstDependent = id }
        nodes[upstream].lastDependent = id
    }

    private mutating func detach(_ id: NodeID) {
        guard let upstream = nodes[id].upstream else { return }
        let (previous, next) = (nodes[id].previous, nodes[id].next)
        if let previous { nodes[previous].next = next } else { nodes[upstream].firstDependent = next }
        if let next { nodes[next].previous = previous } else { nodes[upstream].lastDependent = previous }
        let listeners = nodes[id].progressListeners
        if listeners > 0 { climb(from: upstream) { $0.progressListeners -= listeners } }
        nodes[id].upstream = nil
        nodes[id].previous = nil
        nodes[id].next = nil
        if let counted = nodes[id].countedAs {
            nodes[id].countedAs = nil
            nodes[upstream].counts.remove(counted)
            rankChanged(upstream)
        }
    }

    // MARK: Queues

    /// Passes a node's highest class on to its upstream, and to the queue in which either waits.
    private mutating func rankChanged(_ id: NodeID) {
        var next: NodeID? = id
        while let id = next {
            if case .queued(let lane) = nodes[id].state {
                lanes[lane.rawValue].enqueue(id, group: nodes[id].group, rank: nodes[id].rank)
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

    private mutating func enqueue(_ id: NodeID, in lane: Lane) {
        if lanes[lane.rawValue].startAtOnce(group: nodes[id].group) {
            run(id, in: lane)
        } else {
            nodes[id].state = .queued(lane)
            lanes[lane.rawValue].enqueue(id, group: nodes[id].group, rank: nodes[id].rank)
            // Others may be waiting only for their own host.
            drain(lane)
        }
    }

    private mutating func withdraw(_ id: NodeID) {
        if case .queued(let lane) = nodes[id].state { lanes[lane.rawValue].withdraw(id, group: nodes[id].group) }
    }

    private mutating func drain(_ lane: Lane) {
        while let id = lanes[lane.rawValue].take() { run(id, in: lane) }
    }

    private mutating func run(_ id: NodeID, in lane: Lane) {
        let token = CancellationToken()
        nodes[id].state = .running(lane, token)
        var input: Value?
        if let upstream = nodes[id].upstream, case .done(let value) = nodes[upstream].state {
            input = value
            nodes[id].inputVersion = nodes[upstream].version
        }
        let priority = nodes[id].counts.highest?.priority ?? .normal
        actions.append(.run(id, nodes[id].work, lane, input: input, priority, token))
    }

    /// Gives a running step's slot back; `nil` when the node is not running.
    private mutating func releaseSlot(_ id: NodeID) -> Lane? {
        switch nodes[id].state {
        case .running(let lane, _), .stopping(let lane):
            lanes[lane.rawValue].release(group: nodes[id].group)
            return lane
        default: return nil
        }
    }
}
