internal import ImageCore

/// Which loads and which work wait for which work: the state machine that makes each piece of work run once for all that
/// want its result.
///
/// A value; each call is one event. It decides who gets a result, what stops, and with which rank work waits. It starts and
/// stops nothing itself: the coordinator takes the ``Effects`` after each event.
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
/// Running and finished work can be joined by its key. Finished work stays as long as other work uses its result, or the
/// result is being stored. Stopping work has lost its last subscriber: no load can join it, and its stage has not returned yet.
///
/// Work subscribes to other work, its upstream, as loads do: a decode to the bytes, a processor to the image before it. Ranks,
/// listeners and departures travel up that chain. Each event takes constant time for each link of the chain.
struct Sharing: Equatable, Sendable {
    var works: [WorkID: Work] = [:]
    var subscriptions: [SubscriptionID: Subscription] = [:]
    var stopping: Set<WorkID> = []
    /// The number of loads that are not prefetches.
    var awaitedLoads = 0
    /// The number of loads.
    var loads = 0
    var worksByKey: [WorkKey: WorkID] = [:]
    var effects = Effects()
    private var sequence: UInt64 = 0

    /// Removes and returns what the coordinator must do about the events since the last call.
    mutating func takeEffects() -> Effects {
        // Give the memory of a burst back.
        if works.isEmpty, works.capacity > 256 { (works, worksByKey, stopping) = ([:], [:], []) }
        if subscriptions.isEmpty, subscriptions.capacity > 256 { subscriptions = [:] }
        defer { effects = Effects() }
        return effects
    }

    var capacity: Int { max(works.capacity, subscriptions.capacity, worksByKey.capacity) }

    func contains(_ key: WorkKey) -> Bool { worksByKey[key] != nil }

    func contains(_ id: WorkID) -> Bool { works.index(forKey: id) != nil }

    /// The work whose result this one needs.
    func upstream(of id: WorkID) -> WorkID? { works[id]?.upstream.flatMap { subscriptions[$0]?.work } }

    // MARK: Subscribing

    /// A load wants the result of work.
    ///
    /// - Parameters:
    ///   - load: the load that begins the work, where it is new.
    ///   - scale: set for a decode to a size.
    mutating func subscribe(to key: WorkKey, load: LoadID, scale: DecodeScale?, options: SubscriberOptions) -> Joining {
        let existing = worksByKey[key]
        if let existing, isFinished(existing) { return .finished(existing) }
        let id = existing ?? WorkID(rawValue: nextNumber())
        let subscription = SubscriptionID(rawValue: nextNumber())
        let rankClass = options.rankClass
        subscriptions[subscription] = Subscription(
            work: id, dependent: nil, options: options, rankClass: rankClass, isCoalesced: existing != nil)
        loads += 1
        if options.purpose != .prefetch { awaitedLoads += 1 }
        let wishes = Wishes(options, image: key.image, newest: rankClass.purpose == .view ? subscription.rawValue : 0)
        guard existing != nil else {
            insert(Work(key: key, load: load, scale: scale, oldest: id.rawValue), id, subscription, rankClass, wishes)
            return .began(id, subscription)
        }
        update(id) { $0.add(subscription, rankClass) }
        forEachUpstream(from: id) { $0.add(wishes) }
        rankChanged(id)
        return .joined(id, subscription)
    }

    /// Work needs the result of other work; ends its subscription to the upstream that it had.
    mutating func subscribe(_ dependent: WorkID, to key: WorkKey, scale: DecodeScale?) -> Joining? {
        guard let wanting = works[dependent] else { return nil }
        if let existing = worksByKey[key] {
            let subscription = link(dependent, wanting, to: existing)
            return isFinished(existing) ? .finished(existing) : .joined(existing, subscription)
        }
        let id = WorkID(rawValue: nextNumber())
        let subscription = subscribe(dependent, wanting, to: id, isCoalesced: false)
        insert(
            Work(key: key, load: wanting.load, scale: scale, oldest: wanting.oldest), id, subscription,
            wanting.rankClass, Wishes(wanting))
        if let old = wanting.upstream { remove(old) }
        return .began(id, subscription)
    }

    /// Subscribes work to other work that has begun, instead of to the upstream that it had.
    @discardableResult
    mutating func link(_ dependent: WorkID, _ wanting: Work, to id: WorkID) -> SubscriptionID {
        let subscription = subscribe(dependent, wanting, to: id, isCoalesced: true)
        update(id) { $0.add(subscription, wanting.rankClass) }
        forEachUpstream(from: id) { $0.add(Wishes(wanting)) }
        rankChanged(id)
        // After the new one, so that work which both lead to is not stopped in between.
        if let old = wanting.upstream { remove(old) }
        return subscription
    }

    /// - Parameter isCoalesced: whether the upstream had begun.
    private mutating func subscribe(
        _ dependent: WorkID, _ wanting: Work, to id: WorkID, isCoalesced: Bool
    ) -> SubscriptionID {
        let subscription = SubscriptionID(rawValue: nextNumber())
        subscriptions[subscription] = Subscription(
            work: id, dependent: dependent, options: nil, rankClass: wanting.rankClass, isCoalesced: isCoalesced)
        update(dependent) { $0.upstream = subscription }
        return subscription
    }

    /// Adds new work with its first subscriber.
    private mutating func insert(
        _ work: consuming Work, _ id: WorkID, _ subscription: SubscriptionID, _ rankClass: RankClass, _ wishes: Wishes
    ) {
        worksByKey[work.key] = id
        work.add(subscription, rankClass)
        work.add(wishes)
        works[id] = work
    }

    private func isFinished(_ id: WorkID) -> Bool { works[id]?.isFinished ?? false }

    private mutating func nextNumber() -> UInt64 {
        sequence += 1
        return sequence
    }

    /// Changes work in place, if it exists.
    mutating func update(_ id: WorkID, _ change: (inout Work) -> Void) {
        guard let index = works.index(forKey: id) else { return }
        change(&works.values[index])
    }

    /// Changes work and everything that it depends on.
    mutating func forEachUpstream(from id: WorkID, _ change: (inout Work) -> Void) {
        var next: WorkID? = id
        while let id = next, let index = works.index(forKey: id) {
            change(&works.values[index])
            next = works.values[index].upstream.flatMap { subscriptions[$0]?.work }
        }
    }
}
