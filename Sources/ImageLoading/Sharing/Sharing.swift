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

/// What the state machine of shared work answers.
extension Sharing {
    /// How a subscriber found its work.
    enum Joining: Equatable, Sendable {
        /// The work is new: the caller makes it run.
        case began(JobID, SubscriptionID)
        case joined(JobID, SubscriptionID)
        /// The result is at hand. A load has no subscription then.
        case finished(JobID)
    }

    /// A subscriber that gets the result of finished work.
    struct Delivery: Equatable, Sendable {
        let subscription: SubscriptionID
        let dependent: JobID?
        let isCoalesced: Bool
    }

    /// A job that must stop because its last subscriber left.
    struct Stop: Equatable, Sendable {
        let job: JobID
        /// Whether its last preview may be kept in memory.
        let keepsPreview: Bool
    }

    /// What the coordinator must do after an event.
    struct Effects: Equatable, Sendable {
        /// Jobs whose rank changed.
        var reranked: [JobID] = []
        var stops: [Stop] = []
        /// Jobs that finished earlier and are no longer of use.
        var removed: [JobID] = []

        var isEmpty: Bool { reranked.isEmpty && stops.isEmpty && removed.isEmpty }
    }
}

/// How urgent shared work is: as urgent as its most urgent subscriber.
extension Sharing {
    /// The rank with which work waits; `nil` once it has lost its last subscriber.
    func rank(of id: JobID) -> QueueRank? { nodes[id]?.rank }

    /// Changes the priority of a load.
    mutating func setPriority(_ id: SubscriptionID, _ priority: LoadPriority) {
        guard let subscription = subscriptions[id], let purpose = subscription.options?.purpose else { return }
        let new = RankClass(purpose, priority)
        guard count(id, as: new) else { return }
        // A view that was off screen is on screen again.
        if new.purpose == .view { forEachUpstream(from: subscription.job) { $0.newest = max($0.newest, id.rawValue) } }
        rankChanged(subscription.job)
    }

    /// Counts a subscriber under another class. Returns whether that changed anything.
    private mutating func count(_ id: SubscriptionID, as new: RankClass) -> Bool {
        guard let subscription = subscriptions[id], subscription.rankClass != new else { return false }
        subscriptions[id]?.rankClass = new
        update(subscription.job) { node in
            node.counts.remove(subscription.rankClass)
            node.counts.add(new)
        }
        return true
    }

    /// Passes the rank of work on to its upstream.
    mutating func rankChanged(_ id: JobID) {
        var next: JobID? = id
        while let id = next,
            let node = update(id, { (isFinished: $0.isFinished, upstream: $0.upstream, highest: $0.counts.highest) })
        {
            if !node.isFinished { effects.reranked.append(id) }
            guard let upstream = node.upstream, let highest = node.highest else { return }
            // A newer view changes the order among views, too.
            guard count(upstream, as: highest) || highest.purpose == .view else { return }
            next = subscriptions[upstream]?.job
        }
    }
}

/// Who gets results, progress and previews of shared work.
extension Sharing {
    /// A job ended. Returns who gets the result, in the order in which they came. The work may be gone then
    /// (``contains(_:)``).
    ///
    /// Loads lose their subscriptions. A job that waited keeps its subscription: it uses the result, and late
    /// subscribers find it.
    mutating func finish(_ id: JobID, succeeded: Bool) -> [Delivery] {
        let node = update(id) { node in
            node.isFinished = true
            return (upstream: node.upstream.take(), isShared: node.subscriberCount > 1 && node.scale == nil)
        }
        guard let node else {
            stopping.remove(id)
            return []
        }
        if let upstream = node.upstream { unsubscribe(upstream) }
        if succeeded, node.isShared { shareDecodes(of: id) }
        let deliveries = update(id, \.subscribers)?.compactMap { subscription in
            subscriptions[subscription].map {
                Delivery(subscription: subscription, dependent: $0.dependent, isCoalesced: $0.isCoalesced)
            }
        }
        guard let deliveries else { return [] }
        for delivery in deliveries where !succeeded || delivery.dependent == nil { end(delivery) }
        if !succeeded || update(id, \.isNeeded) == false { remove(job: id) }
        return deliveries
    }

    /// Removes a subscription to finished work.
    private mutating func end(_ delivery: Delivery) {
        guard let subscription = subscriptions.removeValue(forKey: delivery.subscription) else { return }
        if let dependent = delivery.dependent { update(dependent) { $0.upstream = nil } }
        if let options = subscription.options { count(options, -1) }
        subscriberLeft(subscription)
    }

    /// The subscribers of work, the oldest first.
    func subscribers(of id: JobID) -> [(SubscriptionID, Subscription)] {
        nodes[id]?.subscribers.compactMap { id in subscriptions[id].map { (id, $0) } } ?? []
    }

    /// The result of work is being stored; the work can be joined until that has ended.
    mutating func beginStoring(_ id: JobID) { update(id) { $0.isStoring = true } }

    mutating func endStoring(_ id: JobID) {
        update(id) { $0.isStoring = false }
        if nodes[id]?.isFinished == true { collect(id) }
    }

    /// Several sizes of one image wait for the same bytes: sizes that can be made from a larger one wait for that one.
    private mutating func shareDecodes(of id: JobID) {
        let decodes = subscribers(of: id).compactMap(\.1.dependent)
            .compactMap { id in nodes[id]?.scale.map { (id: id, scale: $0) } }
        var largest: [String: (id: JobID, scale: DecodeScale)] = [:]
        for decode in decodes where largest[decode.scale.family].map({ $0.scale.isSmaller(than: decode.scale) }) ?? true {
            largest[decode.scale.family] = decode
        }
        for decode in decodes {
            guard let larger = largest[decode.scale.family], larger.id != decode.id, decode.scale.canBeMade(from: larger.scale)
            else { continue }
            link(decode.id, to: larger.id, isCoalesced: true)
        }
    }

    // MARK: Listeners

    /// The loads that wait for work, directly or through other work.
    func forEachLoad(behind id: JobID, _ body: (SubscriptionID) -> Void) {
        guard let index = nodes.index(forKey: id) else { return }
        for id in nodes.values[index].subscribers {
            guard let subscription = subscriptions[id] else { continue }
            if let dependent = subscription.dependent { forEachLoad(behind: dependent, body) } else { body(id) }
        }
    }

    /// The loads that want progress of work, directly or through other work, the oldest first.
    func progressListeners(of id: JobID) -> [SubscriptionID] {
        guard nodes[id]?.listeners.progress ?? 0 > 0 else { return [] }
        return subscribers(of: id).flatMap { subscription, value in
            value.dependent.map(progressListeners(of:)) ?? (value.options?.wantsProgress == true ? [subscription] : [])
        }
    }

    /// The loads that want previews of work, the oldest first.
    func previewListeners(of id: JobID) -> [SubscriptionID] {
        subscribers(of: id).compactMap { subscription, value in
            value.options.map { $0.previews != .none } == true ? subscription : nil
        }
    }

    /// The jobs that wait for this one, and that loads want previews of, the oldest first.
    func previewingDependents(of id: JobID) -> [(id: JobID, policy: PreviewPolicy)] {
        subscribers(of: id).compactMap { _, value in
            guard let dependent = value.dependent, let policy = nodes[dependent]?.listeners.previewPolicy else { return nil }
            return (dependent, policy)
        }
    }
}

/// How subscribers leave, and what that stops.
extension Sharing {
    /// Ends all revalidations in the background.
    mutating func endRevalidations() {
        for (id, subscription) in subscriptions where subscription.options?.isRevalidation == true { unsubscribe(id) }
    }

    /// Removes a subscription, if it exists, and stops its work where that was the last one.
    mutating func unsubscribe(_ id: SubscriptionID) {
        guard let subscription = detach(id) else { return }
        collect(subscription.job)
    }

    /// Removes a subscription from its work.
    mutating func detach(_ id: SubscriptionID) -> Subscription? {
        guard let subscription = subscriptions.removeValue(forKey: id) else { return nil }
        if let options = subscription.options { count(options, -1) }
        // Finished work waits for nothing, and reports nothing.
        guard subscriberLeft(subscription) == false else { return subscription }
        let listeners = subscription.options.map(Listeners.init) ?? subscription.dependent.flatMap { nodes[$0]?.listeners }
        if let listeners, !listeners.isEmpty { forEachUpstream(from: subscription.job) { $0.listeners -= listeners } }
        rankChanged(subscription.job)
        return subscription
    }

    /// A subscriber of work has left. Its entry stays in the list until half of the entries are of that kind, so that
    /// subscribers leave in constant time in any order.
    ///
    /// - Returns: whether the work has finished; `nil` where it is gone.
    @discardableResult
    mutating func subscriberLeft(_ subscription: Subscription) -> Bool? {
        let subscriptions = subscriptions
        return update(subscription.job) { node in
            node.counts.remove(subscription.rankClass)
            node.subscriberCount -= 1
            if node.subscribers.count > 2 * node.subscriberCount + 8 {
                node.subscribers.removeAll { subscriptions[$0] == nil }
            }
            return node.isFinished
        }
    }

    /// A subscriber came, or left.
    mutating func count(_ options: SubscriberOptions, _ change: Int) {
        guard !options.isRevalidation else { return revalidations += change }
        loads += change
        if options.purpose != .prefetch { awaitedLoads += change }
    }

    /// Stops work without subscribers, or removes it where it has finished and is stored; then the work that only it
    /// needed.
    mutating func collect(_ id: JobID) {
        let state = update(id) {
            (isNeeded: $0.isNeeded, isFinished: $0.isFinished, targets: $0.targets, upstream: $0.upstream)
        }
        guard let state, !state.isNeeded else { return }
        guard !state.isFinished else {
            remove(job: id)
            effects.removed.append(id)
            return
        }
        if let upstream = state.upstream { unsubscribe(upstream) }
        remove(job: id)
        stopping.insert(id)
        effects.stops.append(Stop(job: id, keepsPreview: state.targets.contains(.memory)))
    }

    mutating func remove(job id: JobID) {
        guard let node = nodes.removeValue(forKey: id) else { return }
        // Newer work may have the key.
        if let index = nodesByKey.index(forKey: node.key), nodesByKey.values[index] == id { nodesByKey.remove(at: index) }
        guard nodes.isEmpty, capacity > 256 else { return }
        // Give the memory of a burst back. Each job has subscribers, so there are no subscriptions either.
        (nodes, nodesByKey, subscriptions) = ([:], [:], [:])
    }
}
