internal import ImageCore

/// How subscribers leave, and what that stops.
extension Sharing {
    /// Ends all revalidations in the background.
    mutating func endRevalidations() {
        for (id, subscription) in subscriptions where subscription.options?.isRevalidation == true { unsubscribe(id) }
    }

    /// Removes a subscription, if it exists, and stops its work where that was the last one.
    mutating func unsubscribe(_ id: SubscriptionID) {
        guard let subscription = detach(id) else { return }
        collect(subscription.work)
    }

    /// Removes a subscription from its work.
    mutating func detach(_ id: SubscriptionID) -> Subscription? {
        guard let subscription = subscriptions.removeValue(forKey: id) else { return nil }
        if let options = subscription.options { count(options, -1) }
        // Finished work waits for nothing, and reports nothing.
        guard subscriberLeft(subscription) == false else { return subscription }
        let listeners = subscription.options.map(Listeners.init) ?? subscription.dependent.flatMap { works[$0]?.listeners }
        if let listeners, !listeners.isEmpty { forEachUpstream(from: subscription.work) { $0.listeners -= listeners } }
        rankChanged(subscription.work)
        return subscription
    }

    /// A subscriber of work has left. Its entry stays in the list until half of the entries are of that kind, so that
    /// subscribers leave in constant time in any order.
    ///
    /// - Returns: whether the work has finished; `nil` where it is gone.
    @discardableResult
    mutating func subscriberLeft(_ subscription: Subscription) -> Bool? {
        let subscriptions = subscriptions
        return update(subscription.work) { work in
            work.counts.remove(subscription.rankClass)
            work.subscriberCount -= 1
            if work.subscribers.count > 2 * work.subscriberCount + 8 {
                work.subscribers.removeAll { subscriptions[$0] == nil }
            }
            return work.isFinished
        }
    }

    /// A subscriber came, or left.
    mutating func count(_ options: SubscriberOptions, _ change: Int) {
        guard !options.isRevalidation else { return revalidations += change }
        loads += change
        if options.purpose != .prefetch { awaitedLoads += change }
    }

    /// Stops work without subscribers, or removes it where it has finished and is stored; then the work that only it needed.
    mutating func collect(_ id: WorkID) {
        let state = update(id) {
            (isNeeded: $0.isNeeded, isFinished: $0.isFinished, targets: $0.targets, upstream: $0.upstream)
        }
        guard let state, !state.isNeeded else { return }
        guard !state.isFinished else {
            remove(work: id)
            effects.removed.append(id)
            return
        }
        if let upstream = state.upstream { unsubscribe(upstream) }
        remove(work: id)
        stopping.insert(id)
        effects.stops.append(Stop(work: id, keepsPreview: state.targets.contains(.memory)))
    }

    mutating func remove(work id: WorkID) {
        guard let work = works.removeValue(forKey: id) else { return }
        // Newer work may have the key.
        if let index = worksByKey.index(forKey: work.key), worksByKey.values[index] == id { worksByKey.remove(at: index) }
        guard works.isEmpty, capacity > 256 else { return }
        // Give the memory of a burst back. Work has subscribers, so there are no subscriptions either.
        (works, worksByKey, subscriptions) = ([:], [:], [:])
    }
}
