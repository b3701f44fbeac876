internal import ImageCore

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
