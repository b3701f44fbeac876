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
/// result is being stored. Stopping work has lost its last subscriber: nobody can join it, and its stage has not returned yet.
///
/// Work subscribes to other work, its upstream, as loads do: a decode to the bytes, a processor to the image before it. Ranks,
/// listeners and departures travel up that chain. Each event takes constant time for each link of the chain.
struct Sharing: Equatable, Sendable {
    /// Shared work.
    struct Work: Equatable, Sendable {
        let key: WorkKey
        /// The load that began the work.
        let load: LoadID
        /// The size of a decode whose result other sizes may be made from.
        let scale: DecodeScale?
        /// When the oldest load behind the work began; decides the order among equals.
        let oldest: UInt64
        /// When the newest view behind the work came, directly or through other work.
        var newest: UInt64 = 0
        var isFinished = false
        var isStoring = false
        var subscribers: Set<SubscriptionID> = []
        /// The subscribers by class.
        var counts = RankCounts()
        var listeners = Listeners()
        /// Where loads want the result stored. A load that leaves does not take that back.
        var targets: StoreTargets = []
        var cachePriority = CachePriority.normal
        /// The subscription to the work whose result this one needs.
        var upstream: SubscriptionID?
        /// Whether the upstream runs in the task of this work.
        var runsUpstream = false

        /// Loads want results stored.
        ///
        /// - Parameter image: the image that they want. Other work on the way to it stores the original bytes alone. What a
        ///   lookup in the data cache did not find is made by other work for the same image.
        fileprivate mutating func store(in targets: StoreTargets, _ priority: CachePriority, image: ImageKey) {
            self.targets.formUnion(key.image == image ? targets : targets.intersection(.original))
            if key.image == image, priority == .high { cachePriority = .high }
        }

        var rank: QueueRank {
            QueueRank(rankClass: counts.highest ?? RankClass(rawValue: 0), oldest: oldest, newest: newest)
        }
    }

    /// One subscriber of work: a load, or other work.
    struct Subscription: Equatable, Sendable {
        let work: WorkID
        /// The work that needs the result; `nil` for a load.
        let dependent: WorkID?
        /// What a load wants.
        var options: SubscriberOptions?
        /// The class under which the subscriber is counted.
        var rankClass: RankClass
        /// Whether the work had begun before the subscriber came.
        let isCoalesced: Bool
    }

    /// How a subscriber found its work.
    enum Joining: Equatable, Sendable {
        /// The work is new: the caller makes it run.
        case began(WorkID, SubscriptionID)
        case joined(WorkID, SubscriptionID)
        /// The result is at hand. A load has no subscription then.
        case finished(WorkID)
    }

    /// A subscriber that gets the result of finished work.
    struct Delivery: Equatable, Sendable {
        let subscription: SubscriptionID
        let dependent: WorkID?
        let isCoalesced: Bool
    }

    /// Work that must stop because its last subscriber left.
    struct Stop: Equatable, Sendable {
        let work: WorkID
        /// Whether to cancel the task in which it runs; not, where upstream work that others want runs in the same task.
        let cancelsTask: Bool
        /// Whether its last preview may be kept in memory.
        let keepsPreview: Bool
    }

    /// What the coordinator must do after an event.
    struct Effects: Equatable, Sendable {
        /// Work whose rank changed.
        var reranked: [WorkID] = []
        var stops: [Stop] = []
        /// Finished work that is no longer of use.
        var removed: [WorkID] = []
    }

    private(set) var works: [WorkID: Work] = [:]
    private(set) var subscriptions: [SubscriptionID: Subscription] = [:]
    private(set) var stopping: Set<WorkID> = []
    /// The number of loads that are not prefetches.
    private(set) var awaitedLoads = 0
    /// The number of loads.
    private(set) var loads = 0
    private var worksByKey: [WorkKey: WorkID] = [:]
    private var sequence: UInt64 = 0
    private var effects = Effects()

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

    // MARK: Subscribing

    /// A load wants the result of work.
    ///
    /// - Parameters:
    ///   - load: the load that begins the work, where it is new.
    ///   - scale: set for a decode to a size.
    mutating func subscribe(to key: WorkKey, load: LoadID, scale: DecodeScale?, options: SubscriberOptions) -> Joining {
        sequence += 1
        let existing = worksByKey[key]
        if let existing, works[existing]?.isFinished == true { return .finished(existing) }
        let id = existing ?? insert(Work(key: key, load: load, scale: scale, oldest: sequence))
        let subscription = add(
            Subscription(
                work: id, dependent: nil, options: options, rankClass: options.rankClass, isCoalesced: existing != nil))
        loads += 1
        if options.purpose != .prefetch { awaitedLoads += 1 }
        let (listeners, newest) = (Listeners(options), options.rankClass.purpose == .view ? sequence : 0)
        forEachUpstream(from: id) { work in
            work.listeners += listeners
            work.newest = max(work.newest, newest)
            work.store(in: options.targets, options.cachePriority, image: key.image)
        }
        rankChanged(id)
        return existing == nil ? .began(id, subscription) : .joined(id, subscription)
    }

    /// Work needs the result of other work; ends its subscription to the upstream that it had.
    mutating func subscribe(_ dependent: WorkID, to key: WorkKey, scale: DecodeScale?) -> Joining? {
        guard let work = works[dependent] else { return nil }
        sequence += 1
        let existing = worksByKey[key]
        let id = existing ?? insert(Work(key: key, load: work.load, scale: scale, oldest: work.oldest))
        let subscription = link(dependent, to: id, isCoalesced: existing != nil)
        works[dependent]?.runsUpstream = existing == nil
        guard existing != nil else { return .began(id, subscription) }
        return works[id]?.isFinished == true ? .finished(id) : .joined(id, subscription)
    }

    private mutating func insert(_ work: Work) -> WorkID {
        let id = WorkID(rawValue: sequence)
        works[id] = work
        worksByKey[work.key] = id
        return id
    }

    private mutating func add(_ subscription: Subscription) -> SubscriptionID {
        sequence += 1
        let id = SubscriptionID(rawValue: sequence)
        subscriptions[id] = subscription
        works[subscription.work]?.subscribers.insert(id)
        works[subscription.work]?.counts.add(subscription.rankClass)
        return id
    }

    private mutating func link(_ dependent: WorkID, to id: WorkID, isCoalesced: Bool) -> SubscriptionID {
        let rankClass = works[dependent]?.counts.highest ?? RankClass(rawValue: 0)
        let subscription = add(
            Subscription(work: id, dependent: dependent, options: nil, rankClass: rankClass, isCoalesced: isCoalesced))
        let old = works[dependent]?.upstream
        works[dependent]?.upstream = subscription
        if let wanting = works[dependent] {
            forEachUpstream(from: id) { work in
                work.listeners += wanting.listeners
                work.newest = max(work.newest, wanting.newest)
                work.store(in: wanting.targets, wanting.cachePriority, image: wanting.key.image)
            }
        }
        rankChanged(id)
        // After the new one, so that work which both lead to is not stopped in between.
        if let old { remove(old) }
        return subscription
    }

    // MARK: Leaving

    /// A load leaves. Returns whether it still waited; it then gets no result.
    @discardableResult
    mutating func unsubscribe(_ id: SubscriptionID) -> Bool {
        guard subscriptions[id] != nil else { return false }
        remove(id)
        return true
    }

    /// Removes a subscription, and stops its work where that was the last one.
    private mutating func remove(_ id: SubscriptionID) {
        guard let subscription = detach(id) else { return }
        collect(subscription.work)
    }

    private mutating func detach(_ id: SubscriptionID) -> Subscription? {
        guard let subscription = subscriptions.removeValue(forKey: id) else { return nil }
        works[subscription.work]?.subscribers.remove(id)
        works[subscription.work]?.counts.remove(subscription.rankClass)
        let listeners: Listeners
        if let options = subscription.options {
            loads -= 1
            if options.purpose != .prefetch { awaitedLoads -= 1 }
            listeners = Listeners(options)
        } else {
            listeners = subscription.dependent.flatMap { works[$0]?.listeners } ?? Listeners()
        }
        forEachUpstream(from: subscription.work) { $0.listeners -= listeners }
        rankChanged(subscription.work)
        return subscription
    }

    /// Stops work without subscribers, or removes it where it has finished and is stored; then the work that only it needed.
    ///
    /// - Returns: whether the task of the work has nothing else to do.
    @discardableResult
    private mutating func collect(_ id: WorkID) -> Bool {
        guard let work = works[id] else { return true }
        guard work.subscribers.isEmpty else { return work.isFinished }
        if work.isFinished {
            guard !work.isStoring else { return true }
            remove(work: id)
            effects.removed.append(id)
            return true
        }
        // The upstream first: others may want it, where it runs in the same task.
        let isUpstreamIdle = dropUpstream(of: id)
        let cancelsTask = !work.runsUpstream || isUpstreamIdle
        remove(work: id)
        stopping.insert(id)
        effects.stops.append(Stop(work: id, cancelsTask: cancelsTask, keepsPreview: work.targets.contains(.memory)))
        return cancelsTask
    }

    private mutating func remove(work id: WorkID) {
        guard let work = works.removeValue(forKey: id) else { return }
        if worksByKey[work.key] == id { worksByKey[work.key] = nil }
    }

    /// Ends the subscription of work to its upstream. Returns whether the task of the upstream has nothing else to do.
    @discardableResult
    private mutating func dropUpstream(of id: WorkID) -> Bool {
        guard let upstream = works[id]?.upstream, let subscription = detach(upstream) else { return true }
        works[id]?.upstream = nil
        return collect(subscription.work)
    }

    // MARK: Ranks

    /// Changes the priority of a load.
    mutating func setPriority(_ id: SubscriptionID, _ priority: LoadPriority) {
        guard let subscription = subscriptions[id], let purpose = subscription.options?.purpose else { return }
        let new = RankClass(purpose, priority)
        guard count(id, as: new) else { return }
        // A view that was off screen is on screen again.
        if new.purpose == .view { forEachUpstream(from: subscription.work) { $0.newest = max($0.newest, id.rawValue) } }
        rankChanged(subscription.work)
    }

    /// Counts a subscriber under another class. Returns whether that changed anything.
    private mutating func count(_ id: SubscriptionID, as new: RankClass) -> Bool {
        guard let subscription = subscriptions[id], subscription.rankClass != new else { return false }
        subscriptions[id]?.rankClass = new
        works[subscription.work]?.counts.remove(subscription.rankClass)
        works[subscription.work]?.counts.add(new)
        return true
    }

    /// Passes the rank of work on to its upstream.
    private mutating func rankChanged(_ id: WorkID) {
        var next: WorkID? = id
        while let id = next, let work = works[id] {
            if !work.isFinished { effects.reranked.append(id) }
            guard let upstream = work.upstream, let highest = work.counts.highest else { return }
            // A newer view changes the order among views, too.
            guard count(upstream, as: highest) || highest.purpose == .view else { return }
            next = subscriptions[upstream]?.work
        }
    }

    /// Changes work and everything that it depends on.
    private mutating func forEachUpstream(from id: WorkID, _ change: (inout Work) -> Void) {
        var next: WorkID? = id
        while let id = next, works[id] != nil {
            change(&works[id]!)
            next = works[id]?.upstream.flatMap { subscriptions[$0]?.work }
        }
    }

    // MARK: Results

    /// Work ended. Returns who gets the result, in the order in which they came.
    ///
    /// Loads lose their subscriptions. Work that waited keeps its own: it uses the result, and late subscribers find it.
    mutating func finish(_ id: WorkID, succeeded: Bool) -> [Delivery] {
        stopping.remove(id)
        guard let work = works[id] else { return [] }
        if succeeded { works[id]?.isFinished = true }
        dropUpstream(of: id)
        if succeeded { shareDecodes(of: id) } else { remove(work: id) }
        let deliveries = (works[id]?.subscribers ?? work.subscribers).sorted().compactMap { subscription in
            subscriptions[subscription].map {
                Delivery(subscription: subscription, dependent: $0.dependent, isCoalesced: $0.isCoalesced)
            }
        }
        for delivery in deliveries where !succeeded || delivery.dependent == nil {
            if let dependent = delivery.dependent { works[dependent]?.upstream = nil }
            _ = detach(delivery.subscription)
        }
        if succeeded { collect(id) }
        return deliveries
    }

    /// The result of work is being stored; the work can be joined until that has ended.
    mutating func beginStoring(_ id: WorkID) { works[id]?.isStoring = true }

    mutating func endStoring(_ id: WorkID) {
        works[id]?.isStoring = false
        if works[id]?.isFinished == true { collect(id) }
    }

    /// Several sizes of one image wait for the same bytes: sizes that can be made from a larger one wait for that one.
    private mutating func shareDecodes(of id: WorkID) {
        guard let original = works[id], original.scale == nil, original.subscribers.count > 1 else { return }
        let decodes = original.subscribers.sorted().compactMap { subscriptions[$0]?.dependent }
            .compactMap { id in works[id]?.scale.map { (id: id, scale: $0) } }
        var largest: [String: (id: WorkID, scale: DecodeScale)] = [:]
        for decode in decodes where largest[decode.scale.family].map({ $0.scale.isSmaller(than: decode.scale) }) ?? true {
            largest[decode.scale.family] = decode
        }
        for decode in decodes {
            guard let larger = largest[decode.scale.family], larger.id != decode.id, decode.scale.canBeMade(from: larger.scale)
            else { continue }
            _ = link(decode.id, to: larger.id, isCoalesced: true)
            works[decode.id]?.runsUpstream = false
        }
    }

    /// Whether work waits for this upstream, and not for another one in its place.
    func isWaiting(_ dependent: WorkID, for upstream: WorkID) -> Bool {
        works[dependent]?.upstream.flatMap { subscriptions[$0]?.work } == upstream
    }

    // MARK: Listeners

    /// The loads that want progress of work, directly or through other work, the oldest first.
    func progressListeners(of id: WorkID) -> [SubscriptionID] {
        guard let work = works[id], work.listeners.progress > 0 else { return [] }
        return work.subscribers.sorted().flatMap { subscription -> [SubscriptionID] in
            if let dependent = subscriptions[subscription]?.dependent { return progressListeners(of: dependent) }
            return subscriptions[subscription]?.options?.wantsProgress == true ? [subscription] : []
        }
    }

    /// The loads that want previews of work, the oldest first.
    func previewListeners(of id: WorkID) -> [SubscriptionID] {
        works[id]?.subscribers.sorted().filter { subscriptions[$0]?.options.map { $0.previews != .none } ?? false } ?? []
    }

    /// Work that waits for this work, and that loads want previews of, the oldest first.
    func previewingDependents(of id: WorkID) -> [(id: WorkID, policy: PreviewPolicy)] {
        works[id]?.subscribers.sorted().compactMap { subscription in
            guard let dependent = subscriptions[subscription]?.dependent, let policy = works[dependent]?.listeners.previewPolicy
            else { return nil }
            return (dependent, policy)
        } ?? []
    }
}
