internal import DequeModule
internal import ImageNetworking

/// Holds transfers back while their host, or the loader, has no free connection: first come, first served, and hosts in
/// turn. It starts nothing itself, and knows no priorities: the engine decides the order of its fetches, and sends no
/// more than may run.
///
/// libcurl could wait by itself (`CURLMOPT_MAX_HOST_CONNECTIONS`, `CURLMOPT_MAX_TOTAL_CONNECTIONS`). But when a
/// connection is free, it tries only the transfer that has waited longest. If the host of that one is still full,
/// transfers to other hosts stay where they are until another connection is free, and without another one for good
/// (libcurl 7.88.1: with two connections in all and one for each host, one server that does not respond stops all
/// others). Newer versions also count `CURLOPT_CONNECTTIMEOUT` meanwhile.
///
/// A host that speaks HTTP/2 carries many transfers over one connection, so more of them may run.
struct TransferQueue<Transfer> {
    typealias Host = WebAddress.Origin

    /// The transfers of one host.
    final class HostQueue {
        let host: Host
        var waiting: Deque<Transfer> = []
        var active = 0
        var isMultiplexed = false

        init(_ host: Host) { self.host = host }
    }

    private let limits: CurlLoader.Limits
    private(set) var hosts: [Host: HostQueue] = [:]
    /// The hosts for which something waits, in the order of their turns.
    private var turns: [HostQueue] = []
    private var connections = 0

    init(_ limits: CurlLoader.Limits) { self.limits = limits }

    /// Whether no transfer waits.
    var isEmpty: Bool { turns.isEmpty }
    /// The waiting transfers, host by host.
    var waiting: [Transfer] { turns.flatMap(\.waiting) }

    /// Adds a transfer behind those of the same host.
    mutating func add(_ transfer: Transfer, host: Host) {
        let queue = hosts[host] ?? HostQueue(host)
        hosts[host] = queue
        if queue.waiting.isEmpty { turns.append(queue) }
        queue.waiting.append(transfer)
    }

    /// Removes and returns the waiting transfers that fulfil the condition.
    mutating func removeAll(where condition: (Transfer) -> Bool) -> [Transfer] {
        var removed: [Transfer] = []
        for queue in turns {
            queue.waiting.removeAll { transfer in
                let isRemoved = condition(transfer)
                if isRemoved { removed.append(transfer) }
                return isRemoved
            }
            forgetIfIdle(queue)
        }
        turns.removeAll { $0.waiting.isEmpty }
        return removed
    }

    /// The next transfer to start, counted as running; `nil` when none may start.
    mutating func next() -> Transfer? {
        guard let turn = turns.firstIndex(where: mayStart) else { return nil }
        let queue = turns.remove(at: turn)
        let transfer = queue.waiting.popFirst()
        if !queue.waiting.isEmpty { turns.append(queue) }
        changeActive(queue, by: 1)
        return transfer
    }

    /// A transfer that ``next()`` returned has ended, or moves to another host.
    mutating func finished(_ host: Host) {
        guard let queue = hosts[host] else { return }
        changeActive(queue, by: -1)
        forgetIfIdle(queue)
    }

    /// The host turned out to multiplex.
    func multiplexes(_ host: Host) { hosts[host]?.isMultiplexed = true }

    private func mayStart(_ queue: HostQueue) -> Bool {
        guard queue.active < (queue.isMultiplexed ? limits.streamsPerHost : limits.connectionsPerHost) else { return false }
        return queue.active >= limits.connectionsPerHost || connections < limits.connections
    }

    /// Transfers beyond the limit of connections share the existing ones.
    private mutating func changeActive(_ queue: HostQueue, by change: Int) {
        let active = queue.active
        let most = limits.connectionsPerHost
        connections += min(active + change, most) - min(active, most)
        queue.active = active + change
    }

    /// Forgets a host without transfers, except for some that multiplex.
    private mutating func forgetIfIdle(_ queue: HostQueue) {
        guard queue.active == 0, queue.waiting.isEmpty, !queue.isMultiplexed || hosts.count > 256 else { return }
        hosts[queue.host] = nil
    }
}
