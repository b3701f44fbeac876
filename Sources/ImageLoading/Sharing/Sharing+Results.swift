internal import ImageCore

/// Who gets results, progress and previews of shared work.
extension Sharing {
    /// Work ended. Returns who gets the result, in the order in which they came.
    ///
    /// Loads lose their subscriptions. Work that waited keeps its own: it uses the result, and late subscribers find it.
    mutating func finish(_ id: WorkID, succeeded: Bool) -> [Delivery] {
        guard let work = works[id] else {
            stopping.remove(id)
            return []
        }
        if work.upstream != nil { dropUpstream(of: id) }
        update(id) { $0.isFinished = true }
        let isMoving = succeeded && work.subscribers.count > 1
        if isMoving { shareDecodes(of: id) }
        let subscribers = isMoving ? works[id]?.subscribers ?? [] : work.subscribers
        let deliveries = subscribers.sorted().compactMap { subscription in
            subscriptions[subscription].map {
                Delivery(subscription: subscription, dependent: $0.dependent, isCoalesced: $0.isCoalesced)
            }
        }
        for delivery in deliveries where !succeeded || delivery.dependent == nil { end(delivery, of: id) }
        if succeeded { collect(id) } else { remove(work: id) }
        return deliveries
    }

    /// Removes a subscription to finished work.
    private mutating func end(_ delivery: Delivery, of work: WorkID) {
        let subscription = subscriptions.removeValue(forKey: delivery.subscription)
        if let dependent = delivery.dependent { update(dependent) { $0.upstream = nil } }
        if let options = subscription?.options { countLeaving(options) }
        update(work) { $0.subscribers.remove(delivery.subscription) }
    }

    /// The result of work is being stored; the work can be joined until that has ended.
    mutating func beginStoring(_ id: WorkID) { update(id) { $0.isStoring = true } }

    mutating func endStoring(_ id: WorkID) {
        update(id) { $0.isStoring = false }
        if works[id]?.isFinished == true { collect(id) }
    }

    /// Several sizes of one image wait for the same bytes: sizes that can be made from a larger one wait for that one.
    private mutating func shareDecodes(of id: WorkID) {
        guard let subscribers = works[id]?.subscribers, subscribers.count > 1, works[id]?.scale == nil else { return }
        let decodes = subscribers.sorted().compactMap { subscriptions[$0]?.dependent }
            .compactMap { id in works[id]?.scale.map { (id: id, scale: $0) } }
        var largest: [String: (id: WorkID, scale: DecodeScale)] = [:]
        for decode in decodes where largest[decode.scale.family].map({ $0.scale.isSmaller(than: decode.scale) }) ?? true {
            largest[decode.scale.family] = decode
        }
        for decode in decodes {
            guard let larger = largest[decode.scale.family], larger.id != decode.id, decode.scale.canBeMade(from: larger.scale)
            else { continue }
            if let wanting = works[decode.id] { link(decode.id, wanting, to: larger.id) }
        }
    }

    // MARK: Listeners

    /// The loads that wait for work, directly or through other work.
    func loads(behind id: WorkID) -> [SubscriptionID] {
        works[id]?.subscribers.flatMap { subscription -> [SubscriptionID] in
            if let dependent = subscriptions[subscription]?.dependent { return loads(behind: dependent) }
            return [subscription]
        } ?? []
    }

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
