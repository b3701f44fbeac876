/// Which entry goes when room is short, by one of two policies. A pure value over node numbers.
struct EvictionOrder: Sendable {
    enum Policy: Sendable {
        /// Exact LRU.
        case recency
        /// S3-FIFO.
        case frequency
    }

    struct Entry: Sendable {
        var node: Int32
        var hash: Int
        var cost: Int
        /// When it was last used.
        var stamp: UInt64
    }

    private(set) var policy: Policy
    private var byRecency = LazyLRU()
    private var byFrequency = S3FIFO()

    init(_ policy: Policy = .recency) { self.policy = policy }

    var cost: Int { policy == .recency ? byRecency.cost : byFrequency.cost }
    var count: Int { policy == .recency ? byRecency.count : byFrequency.count }

    func hash(of node: Int32) -> Int { policy == .recency ? byRecency.hash(of: node) : byFrequency.hash(of: node) }

    /// Adds an entry as the newest.
    mutating func insert(_ entry: Entry) {
        switch policy {
        case .recency: byRecency.insert(entry)
        case .frequency: byFrequency.insert(entry)
        }
    }

    mutating func remove(_ node: Int32) {
        switch policy {
        case .recency: byRecency.remove(node)
        case .frequency: byFrequency.remove(node)
        }
    }

    /// Takes the entry out that is worth the least, and returns its node; `nil` when there is none.
    ///
    /// - Parameters:
    ///   - excluded: an entry that stays in any case: the newest.
    ///   - entries: knows the uses of the entries, and removes the victim.
    mutating func evict(except excluded: Int32, asking entries: inout some EvictionCandidates) -> Int32? {
        switch policy {
        case .recency: byRecency.evict(except: excluded, asking: &entries)
        case .frequency: byFrequency.evict(except: excluded, asking: &entries)
        }
    }

    /// Goes over to another policy, in the order in which the entries were used. Takes time for each of them.
    mutating func follow(_ new: Policy, asking entries: inout some EvictionCandidates) {
        guard new != policy else { return }
        var all = policy == .recency ? byRecency.entries : byFrequency.entries
        for i in all.indices { all[i].stamp = entries.ask(all[i].node, hash: all[i].hash, .lastUse(since: .max)) }
        all.sort { $0.stamp < $1.stamp }
        policy = new
        switch new {
        case .recency:
            byFrequency.removeAll()
            for entry in all { byRecency.insert(entry) }
        case .frequency:
            byRecency.removeAll()
            byFrequency.insert(contentsOf: all)
        }
    }
}

/// What an eviction policy asks about entries, whose uses are counted elsewhere.
enum EvictionQuestion: Sendable {
    /// The uses since they were last taken, up to 3; takes all of them. An entry without any is removed.
    case takeUses
    /// The same, but takes one.
    case takeUse
    /// The stamp of the last use. An entry that was not used since then is removed; `.max` removes none.
    case lastUse(since: UInt64)
    /// Removes the entry.
    case remove
}

/// Those who know the uses of entries.
protocol EvictionCandidates {
    mutating func ask(_ node: Int32, hash: Int, _ question: EvictionQuestion) -> UInt64
}
