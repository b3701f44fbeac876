public import ImageCore

/// Decoded images in memory, bounded by cost and count. See ``Limits`` for the bounds and ``Statistics`` for what it counts.
///
/// Every call is synchronous, takes no I/O and may come from any thread. The limits hold after every insert, and an image
/// that fits within them can be read right after it was stored. When room is short, entries of normal priority go before
/// any of high priority.
public final class MemoryCache: Caching {
    fileprivate struct State {
        var limits: Limits
        var index: [ImageKey: Int] = [:]
        var nodes: [Node] = []
        var free: [Int] = []
        /// One list per priority, least recently used first.
        var queues = [Queue](repeating: Queue(), count: CachePriority.allCases.count)
        var statistics = Statistics()
    }

    fileprivate struct Node {
        var key: ImageKey
        var image: DecodedImage?
        var priority: CachePriority
        var older: Int
        var newer: Int
    }

    fileprivate struct Queue {
        var oldest = -1
        var newest = -1
    }

    private let state: Lock<State>

    /// An empty cache.
    public init(limits: Limits = Limits()) {
        state = Lock(State(limits: limits))
    }

    /// The bounds. Lowering them evicts at once.
    public var limits: Limits {
        get { state.withLock { $0.limits } }
        set {
            state.withLock {
                $0.limits = newValue
                $0.evict(toCost: newValue.cost, count: newValue.count, because: .room)
            }
        }
    }

    public var statistics: Statistics { state.withLock { $0.statistics } }

    public func image(for key: ImageKey) -> DecodedImage? {
        state.withLock { $0.image(for: key) }
    }

    public func store(_ image: DecodedImage, for key: ImageKey, priority: CachePriority = .normal) {
        state.withLock { $0.store(image, for: key, priority: priority) }
    }

    public func removeImage(for key: ImageKey) {
        state.withLock {
            if let node = $0.index[key] { $0.remove(node) }
        }
    }

    public func removeAll() {
        state.withLock { $0.removeAll() }
    }

    /// Evicts until the entries cost at most `cost` bytes together.
    public func trim(toCost cost: Int) {
        state.withLock { $0.evict(toCost: cost, count: nil, because: .trim) }
    }
}

extension MemoryCache.State {
    mutating func image(for key: ImageKey) -> DecodedImage? {
        guard let node = index[key] else {
            statistics.misses += 1
            return nil
        }
        statistics.hits += 1
        unlink(node)
        link(node)
        return nodes[node].image
    }

    mutating func store(_ image: DecodedImage, for key: ImageKey, priority: CachePriority) {
        if let node = index[key] { remove(node) }
        let cost = image.cost
        guard cost <= min(limits.cost, limits.entryCost ?? .max) else {
            statistics.refusals += 1
            return
        }
        let new = MemoryCache.Node(key: key, image: image, priority: priority, older: -1, newer: -1)
        let node = free.popLast() ?? nodes.count
        if node < nodes.count { nodes[node] = new } else { nodes.append(new) }
        index[key] = node
        link(node)
        statistics.insertions += 1
        statistics.cost += cost
        statistics.count += 1
        evict(toCost: limits.cost, count: limits.count, because: .room)
    }

    mutating func removeAll() {
        statistics.evictions.removed += index.count
        index.removeAll()
        nodes.removeAll()
        free.removeAll()
        for i in queues.indices { queues[i] = MemoryCache.Queue() }
        (statistics.cost, statistics.count) = (0, 0)
    }

    mutating func evict(toCost cost: Int, count: Int?, because cause: MemoryCache.EvictionCause) {
        while statistics.cost > cost || statistics.count > count ?? .max {
            guard let queue = queues.first(where: { $0.oldest >= 0 }) else { return }
            discard(queue.oldest, because: cause)
        }
    }

    mutating func remove(_ node: Int) { discard(node, because: .removed) }

    private mutating func discard(_ node: Int, because cause: MemoryCache.EvictionCause) {
        unlink(node)
        index[nodes[node].key] = nil
        statistics.cost -= nodes[node].image?.cost ?? 0
        statistics.count -= 1
        statistics.evictions[cause] += 1
        nodes[node].image = nil
        free.append(node)
    }

    /// Makes the node the newest of its queue.
    private mutating func link(_ node: Int) {
        let queue = nodes[node].priority.rawValue
        nodes[node].older = queues[queue].newest
        nodes[node].newer = -1
        if queues[queue].newest >= 0 { nodes[queues[queue].newest].newer = node } else { queues[queue].oldest = node }
        queues[queue].newest = node
    }

    private mutating func unlink(_ node: Int) {
        let queue = nodes[node].priority.rawValue
        let (older, newer) = (nodes[node].older, nodes[node].newer)
        if older >= 0 { nodes[older].newer = newer } else { queues[queue].oldest = newer }
        if newer >= 0 { nodes[newer].older = older } else { queues[queue].newest = older }
    }
}
