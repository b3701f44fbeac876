internal import ImageCore

/// Who gets results, progress and previews of shared work.
extension Sharing {
    /// Work ended. Returns who gets the result, in the order in which they came. The work may be gone then (``contains(_:)``).
    ///
    /// Loads lose their subscriptions. Work that waited keeps its subscription: it uses the result, and late subscribers find it.
    mutating func finish(_ id: WorkID, succeeded: Bool) -> [Delivery] {
        let work = update(id) { work in
            work.isFinished = true
            return (upstream: work.upstream.take(), isShared: work.subscriberCount > 1 && work.scale == nil)
        }
        guard let work else {
            stopping.remove(id)
            return []
        }
        if let upstream = work.upstream { unsubscribe(upstream) }
        if succeeded, work.isShared { shareDecodes(of: id) }
        let deliveries = update(id, \.subscribers)?.compactMap { subscription in
            subscriptions[subscription].map {
                Delivery(subscription: subscription, dependent: $0.dependent, isCoalesced: $0.isCoalesced)
            }
        }
        guard let deliveries else { return [] }
        for delivery in deliveries where !succeeded || delivery.dependent == nil { end(delivery) }
        if !succeeded || update(id, \.isNeeded) == false { remove(work: id) }
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
    func subscribers(of id: WorkID) -> [(SubscriptionID, Subscription)] {
        works[id]?.subscribers.compactMap { id in subscriptions[id].map { (id, $0) } } ?? []
    }

    /// The result of work is being stored; the work can be joined until that has ended.
    mutating func beginStoring(_ id: WorkID) { update(id) { $0.isStoring = true } }

    mutating func endStoring(_ id: WorkID) {
        update(id) { $0.isStoring = false }
        if works[id]?.isFinished == true { collect(id) }
    }

    /// Several sizes of one image wait for the same bytes: sizes that can be made from a larger one wait for that one.
    private mutating func shareDecodes(of id: WorkID) {
        let decodes = subscribers(of: id).compactMap(\.1.dependent)
            .compactMap { id in works[id]?.scale.map { (id: id, scale: $0) } }
        var largest: [String: (id: WorkID, scale: DecodeScale)] = [:]
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
    func loads(behind id: WorkID) -> [SubscriptionID] {
        subscribers(of: id).flatMap { subscription, value in value.dependent.map(loads(behind:)) ?? [subscription] }
    }

    /// The loads that want progress of work, directly or through other work, the oldest first.
    func progressListeners(of id: WorkID) -> [SubscriptionID] {
        guard works[id]?.listeners.progress ?? 0 > 0 else { return [] }
        return subscribers(of: id).flatMap { subscription, value in
            value.dependent.map(progressListeners(of:)) ?? (value.options?.wantsProgress == true ? [subscription] : [])
        }
    }

    /// The loads that want previews of work, the oldest first.
    func previewListeners(of id: WorkID) -> [SubscriptionID] {
        subscribers(of: id).compactMap { subscription, value in
            value.options.map { $0.previews != .none } == true ? subscription : nil
        }
    }

    /// Work that waits for this work, and that loads want previews of, the oldest first.
    func previewingDependents(of id: WorkID) -> [(id: WorkID, policy: PreviewPolicy)] {
        subscribers(of: id).compactMap { _, value in
            guard let dependent = value.dependent, let policy = works[dependent]?.listeners.previewPolicy else { return nil }
            return (dependent, policy)
        }
    }
}
