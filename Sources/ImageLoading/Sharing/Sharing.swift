internal import ImageCore

/// Which loads and which work wait for which work: the state machine that makes each piece of work run once for all
/// that want its result.
///
/// A value; each call is one event. It decides who gets a result, what stops, and with which rank work waits. It starts
/// and stops nothing itself: the coordinator takes the ``Effects`` after each event.
///
/// ```
///                 subscribe            finish(succeeded)              last subscriber leaves,
///    (no work) ─────────────▶ running ───────────────────▶ finished ─ stored ───────────────▶ (removed)
///                               │  │ finish(failed)
///       last subscriber leaves  │  └─────────────────────▶ (removed)
///                               ▼          finish
///                            stopping ───────────────────▶ (removed)
/// ```
///
/// Running and finished work can be joined by its key. Finished work stays as long as other work uses its result, or
/// the result is being stored. Stopping work has lost its last subscriber: no load can join it, and its stage has not
/// returned yet.
///
/// A job subscribes to another one, its upstream, as loads do: a decode to the bytes, a processor to the image before
/// it.
/// Ranks, listeners and departures travel up that chain. Each event takes constant time for each link of the chain.
struct Sharing: Equatable, Sendable {
    var nodes: [JobID: Node] = [:]
    var subscriptions: [SubscriptionID: Subscription] = [:]
    var stopping: Set<JobID> = []
    /// The number of loads that are not prefetches.
    var awaitedLoads = 0
    /// The number of loads.
    var loads = 0
    /// The number of revalidations in the background.
    var revalidations = 0
    var nodesByKey: [JobKey: JobID] = [:]
    var effects = Effects()
    private var sequence: UInt64 = 0

    /// Removes and returns what the coordinator must do about the events since the last call.
    mutating func takeEffects() -> Effects {
        defer { effects = Effects() }
        return effects
    }

    var capacity: Int { max(nodes.capacity, subscriptions.capacity, nodesByKey.capacity) }

    func contains(_ key: JobKey) -> Bool { nodesByKey[key] != nil }

    func contains(_ id: JobID) -> Bool { nodes.index(forKey: id) != nil }

    /// The work whose result this one needs.
    func upstream(of id: JobID) -> JobID? { nodes[id]?.upstream.flatMap { subscriptions[$0]?.job } }

    // MARK: Subscribing

    /// A load wants the result of work.
    ///
    /// - Parameters:
    ///   - load: the load that begins the work, where it is new.
    ///   - scale: set for a decode to a size.
    mutating func subscribe(to key: JobKey, load: LoadID, scale: DecodeScale?, options: SubscriberOptions) -> Joining {
        let existing = nodesByKey[key]
        if let existing, isFinished(existing) { return .finished(existing) }
        let id = existing ?? JobID(rawValue: nextNumber())
        let subscription = SubscriptionID(rawValue: nextNumber())
        if existing == nil { begin(id, key, load, scale, oldest: id.rawValue) }
        let demand = Demand(options, subscription)
        subscriptions[subscription] = Subscription(
            job: id, dependent: nil, options: options, rankClass: demand.rankClass, isCoalesced: existing != nil)
        count(options, 1)
        add(subscription, demand, to: id, isCoalesced: existing != nil)
        return existing == nil ? .began(id, subscription) : .joined(id, subscription)
    }

    /// A job needs the result of another one; ends its subscription to the upstream that it had.
    mutating func subscribe(_ dependent: JobID, to key: JobKey, scale: DecodeScale?) -> Joining? {
        guard let wanting = update(dependent, { (load: $0.load, oldest: $0.oldest) }) else { return nil }
        if let existing = nodesByKey[key] {
            let subscription = link(dependent, to: existing, isCoalesced: true)
            return isFinished(existing) ? .finished(existing) : .joined(existing, subscription)
        }
        let id = JobID(rawValue: nextNumber())
        begin(id, key, wanting.load, scale, oldest: wanting.oldest)
        return .began(id, link(dependent, to: id, isCoalesced: false))
    }

    /// Subscribes work to other work, instead of to the upstream that it had.
    ///
    /// - Parameter isCoalesced: whether the other work had begun before.
    @discardableResult
    mutating func link(_ dependent: JobID, to id: JobID, isCoalesced: Bool) -> SubscriptionID {
        let subscription = SubscriptionID(rawValue: nextNumber())
        let wanting = update(dependent) { node in
            defer { node.upstream = subscription }
            return (demand: Demand(node), upstream: node.upstream)
        }
        guard let wanting else { return subscription }
        subscriptions[subscription] = Subscription(
            job: id, dependent: dependent, options: nil, rankClass: wanting.demand.rankClass, isCoalesced: isCoalesced)
        add(subscription, wanting.demand, to: id, isCoalesced: isCoalesced)
        // After the new one, so that work which both lead to is not stopped in between.
        if let old = wanting.upstream { unsubscribe(old) }
        return subscription
    }

    private mutating func begin(_ id: JobID, _ key: JobKey, _ load: LoadID, _ scale: DecodeScale?, oldest: UInt64) {
        nodesByKey[key] = id
        nodes[id] = Node(key: key, load: load, scale: scale, oldest: oldest)
    }

    private mutating func add(_ subscription: SubscriptionID, _ demand: Demand, to id: JobID, isCoalesced: Bool) {
        update(id) { $0.add(subscription, demand.rankClass) }
        var demand = demand
        forEachUpstream(from: id) { node in
            node.add(demand)
            demand.passUpstream(of: node)
        }
        if isCoalesced { rankChanged(id) }
    }

    private mutating func isFinished(_ id: JobID) -> Bool { update(id, \.isFinished) ?? false }

    private mutating func nextNumber() -> UInt64 {
        sequence += 1
        return sequence
    }

    /// Reads or changes work in place, which is cheaper than a copy of it; `nil` where it does not exist.
    @discardableResult
    mutating func update<R>(_ id: JobID, _ change: (inout Node) -> R) -> R? {
        nodes.index(forKey: id).map { change(&nodes.values[$0]) }
    }

    /// Changes work and everything that it depends on.
    mutating func forEachUpstream(from id: JobID, _ change: (inout Node) -> Void) {
        var next: JobID? = id
        while let id = next, let index = nodes.index(forKey: id) {
            change(&nodes.values[index])
            next = nodes.values[index].upstream.flatMap { subscriptions[$0]?.job }
        }
    }
}
