internal import ImageCore

/// How subscribers leave, and what that stops.
extension Sharing {
    /// A load leaves. Returns whether it still waited; it then gets no result.
    @discardableResult
    mutating func unsubscribe(_ id: SubscriptionID) -> Bool {
        guard subscriptions[id] != nil else { return false }
        remove(id)
        return true
    }

    /// Removes a subscription, and stops its work where that was the last one.
    mutating func remove(_ id: SubscriptionID) {
        guard let subscription = detach(id) else { return }
        collect(subscription.work)
    }

    /// Removes a subscription from its work.
    mutating func detach(_ id: SubscriptionID) -> Subscription? {
        guard let subscription = subscriptions.removeValue(forKey: id) else { return nil }
        if let options = subscription.options { countLeaving(options) }
        var isFinished = true
        update(subscription.work) { work in
            work.subscribers.remove(id)
            work.counts.remove(subscription.rankClass)
            isFinished = work.isFinished
        }
        // Finished work waits for nothing, and reports nothing.
        guard !isFinished else { return subscription }
        let listeners = subscription.options.map(Listeners.init) ?? subscription.dependent.flatMap { works[$0]?.listeners }
        if let listeners, !listeners.isEmpty { forEachUpstream(from: subscription.work) { $0.listeners -= listeners } }
        rankChanged(subscription.work)
        return subscription
    }

    mutating func countLeaving(_ options: SubscriberOptions) {
        loads -= 1
        if options.purpose != .prefetch { awaitedLoads -= 1 }
    }

    /// Stops work without subscribers, or removes it where it has finished and is stored; then the work that only it needed.
    mutating func collect(_ id: WorkID) {
        guard let work = works[id], work.subscribers.isEmpty else { return }
        if work.isFinished {
            guard !work.isStoring else { return }
            remove(work: id)
            effects.removed.append(id)
            return
        }
        dropUpstream(of: id)
        remove(work: id)
        stopping.insert(id)
        effects.stops.append(Stop(work: id, keepsPreview: work.targets.contains(.memory)))
    }

    mutating func remove(work id: WorkID) {
        guard let work = works.removeValue(forKey: id) else { return }
        // Newer work may have the key.
        guard let index = worksByKey.index(forKey: work.key), worksByKey.values[index] == id else { return }
        worksByKey.remove(at: index)
    }

    /// Ends the subscription of work to its upstream.
    mutating func dropUpstream(of id: WorkID) {
        guard let upstream = works[id]?.upstream, let subscription = detach(upstream) else { return }
        update(id) { $0.upstream = nil }
        collect(subscription.work)
    }
}
