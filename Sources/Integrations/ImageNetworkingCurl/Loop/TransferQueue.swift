internal import ImageCore
internal import ImageNetworking

/// Decides which waiting transfer may start: the highest priority first, hosts in turn, and the oldest of a host, within
/// the limits on connections. It starts nothing itself.
///
/// A host that speaks HTTP/2 carries many transfers over one connection, so more of them may run.
struct TransferQueue<ID: Hashable>: ~Copyable {
    struct Limits: Equatable {
        /// Connections to one host.
        var perHost: Int
        /// Connections to all hosts.
        var total: Int
        /// Transfers to one host that multiplexes.
        var streamsPerHost: Int
    }

    typealias Host = WebAddress.Origin

    /// The transfers of one host.
    private final class HostQueue {
        let host: Host
        /// What waits, per rank.
        var waiting = [FIFOQueue<ID>](repeating: FIFOQueue(), count: LoadPriority.allCases.count)
        /// Whether the host is among those that take turns, per rank.
        var hasTurn = [Bool](repeating: false, count: LoadPriority.allCases.count)
        var active = 0
        var isMultiplexed = false

        init(_ host: Host) { self.host = host }
    }

    private let limits: Limits
    private var hosts: [Host: HostQueue] = [:]
    /// Per rank, the hosts for which something waits, in the order of their turns.
    private var turns = [FIFOQueue<HostQueue>](repeating: FIFOQueue(), count: LoadPriority.allCases.count)
    private var connections = 0
    /// Removed transfers that are still in a queue. They leave it when they come up, or when they are too many.
    private var removed: Set<ID> = []
    private(set) var waitingCount = 0

    init(_ limits: Limits) { self.limits = limits }

    /// Adds a transfer behind those of the same host and priority.
    mutating func add(_ id: ID, host: Host, priority: LoadPriority) {
        // Rank 0 is the highest priority.
        let rank = LoadPriority.allCases.count - 1 - priority.rawValue
        let queue = hosts[host] ?? HostQueue(host)
        hosts[host] = queue
        queue.waiting[rank].append(id)
        waitingCount += 1
        takeTurns(queue)
    }

    /// Removes a waiting transfer.
    mutating func remove(_ id: ID) {
        guard waitingCount > 0, removed.insert(id).inserted, removed.count > 32, removed.count > waitingCount / 2 else { return }
        for queue in hosts.values {
            for rank in queue.waiting.indices { queue.waiting[rank].removeAll { removed.contains($0) } }
        }
        removed = []
        waitingCount = hosts.values.reduce(0) { sum, queue in sum + queue.waiting.reduce(0) { $0 + $1.count } }
    }

    /// The next transfer to start, counted as running; `nil` when none may start.
    mutating func next() -> ID? {
        for rank in turns.indices {
            while let queue = turns[rank].first {
                let isFull = queue.active >= (queue.isMultiplexed ? limits.streamsPerHost : limits.perHost)
                if !isFull, queue.active < limits.perHost, connections >= limits.total { return nil }
                turns[rank].removeFirst()
                queue.hasTurn[rank] = false
                // A full host gets its next turn when one of its transfers ends.
                if isFull { continue }
                let id = removeFirst(of: queue, rank)
                takeTurns(queue)
                if let id {
                    setActive(queue, queue.active + 1)
                    return id
                }
                forgetIfIdle(queue)
            }
        }
        return nil
    }

    /// A transfer that ``next()`` returned has ended, or moves to another host.
    mutating func finished(_ host: Host) {
        guard let queue = hosts[host] else { return }
        setActive(queue, queue.active - 1)
        takeTurns(queue)
        forgetIfIdle(queue)
    }

    /// The host turned out to multiplex.
    mutating func multiplexes(_ host: Host) {
        guard let queue = hosts[host], !queue.isMultiplexed else { return }
        queue.isMultiplexed = true
        takeTurns(queue)
    }

    /// Removes and returns everything that waits, in no particular order.
    mutating func removeAll() -> [ID] {
        let all = hosts.values.flatMap { queue in queue.waiting.flatMap { $0.elements.filter { !removed.contains($0) } } }
        for queue in hosts.values { queue.waiting = queue.waiting.map { _ in FIFOQueue() } }
        removed = []
        waitingCount = 0
        return all
    }

    /// How many hosts are remembered.
    var hostCount: Int { hosts.count }

    /// Transfers beyond the limit of connections share the existing ones.
    private mutating func setActive(_ queue: HostQueue, _ active: Int) {
        connections += min(active, limits.perHost) - min(queue.active, limits.perHost)
        queue.active = active
    }

    private mutating func removeFirst(of queue: HostQueue, _ rank: Int) -> ID? {
        while let id = queue.waiting[rank].removeFirst() {
            waitingCount -= 1
            let isWanted = removed.isEmpty || removed.remove(id) == nil
            // With nothing waiting, the rest was removed before it was added, or after it had started.
            if waitingCount == 0, !removed.isEmpty { removed = [] }
            if isWanted { return id }
        }
        return nil
    }

    private mutating func takeTurns(_ queue: HostQueue) {
        for rank in turns.indices where !queue.hasTurn[rank] && queue.waiting[rank].first != nil {
            turns[rank].append(queue)
            queue.hasTurn[rank] = true
        }
    }

    /// Forgets a host without transfers, except for some that multiplex.
    private mutating func forgetIfIdle(_ queue: HostQueue) {
        guard queue.active == 0, !queue.hasTurn.contains(true), !queue.isMultiplexed || hosts.count > 256 else { return }
        hosts[queue.host] = nil
    }
}
