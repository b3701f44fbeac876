internal import ImageCore

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
