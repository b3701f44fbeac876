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
