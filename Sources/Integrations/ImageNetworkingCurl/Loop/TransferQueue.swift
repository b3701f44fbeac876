internal import ImageNetworking

/// Holds transfers back while their host, or the loader, has no free connection: first come, first served, and hosts in turn. It
/// starts nothing itself, and knows no priorities: the engine decides the order of its fetches, and sends no more than may run.
///
/// libcurl could wait by itself (`CURLMOPT_MAX_HOST_CONNECTIONS`). But when a connection is free, it tries only the transfer that
/// has waited longest. If the host of that one is still full, transfers to other hosts stay where they are until another
/// connection is free, and without another one for good. Newer versions also count `CURLOPT_CONNECTTIMEOUT` meanwhile.
///
/// A host that speaks HTTP/2 carries many transfers over one connection, so more of them may run.
struct TransferQueue<ID: Hashable> {
    struct Limits: Equatable {
        /// Connections to one host.
        var perHost: Int
        /// Connections to all hosts.
        var total: Int
        /// Transfers to one host that multiplexes.
        var streamsPerHost: Int
    }

    typealias Host = WebAddress.Origin

    /// The transfers of one host. An object, so that the order of turns refers to it without a lookup by the host's name.
    private final class HostQueue: Hashable {
        let host: Host
        var waiting = RemovableQueue<ID>()
        var active = 0
        var isMultiplexed = false

        init(_ host: Host) { self.host = host }

        static func == (a: HostQueue, b: HostQueue) -> Bool { a === b }
        func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
    }

    private let limits: Limits
    private var hosts: [Host: HostQueue] = [:]
    /// The hosts for which something waits, in the order of their turns.
    private var turns = RemovableQueue<HostQueue>()
    private var connections = 0

    init(_ limits: Limits) { self.limits = limits }

    /// How many hosts are remembered.
    var hostCount: Int { hosts.count }
    /// The waiting transfers, host by host.
    var waiting: [ID] { turns.elements.flatMap(\.waiting.elements) }

    /// Adds a transfer behind those of the same host.
    mutating func add(_ id: ID, host: Host) {
        let queue = queue(of: host)
        queue.waiting.append(id)
        turns.append(queue)
    }

    /// Removes a transfer if it waits.
    mutating func remove(_ id: ID, host: Host) {
        guard let queue = hosts[host], queue.waiting.remove(id), queue.waiting.isEmpty else { return }
        turns.remove(queue)
        forgetIfIdle(queue)
    }

    /// The next transfer to start, counted as running; `nil` when none may start.
    mutating func next() -> ID? {
        guard let queue = turns.first(where: mayStart), let id = queue.waiting.first(where: { _ in true }) else { return nil }
        queue.waiting.remove(id)
        turns.remove(queue)
        if !queue.waiting.isEmpty { turns.append(queue) }
        changeActive(queue, by: 1)
        return id
    }

    /// A transfer that ``next()`` returned has ended, or moves to another host.
    mutating func finished(_ host: Host) {
        guard let queue = hosts[host] else { return }
        changeActive(queue, by: -1)
        forgetIfIdle(queue)
    }

    /// The host turned out to multiplex.
    mutating func multiplexes(_ host: Host) { hosts[host]?.isMultiplexed = true }

    private mutating func queue(of host: Host) -> HostQueue {
        if let queue = hosts[host] { return queue }
        let queue = HostQueue(host)
        hosts[host] = queue
        return queue
    }

    private func mayStart(_ queue: HostQueue) -> Bool {
        guard queue.active < (queue.isMultiplexed ? limits.streamsPerHost : limits.perHost) else { return false }
        return queue.active >= limits.perHost || connections < limits.total
    }

    /// Transfers beyond the limit of connections share the existing ones.
    private mutating func changeActive(_ queue: HostQueue, by change: Int) {
        connections += min(queue.active + change, limits.perHost) - min(queue.active, limits.perHost)
        queue.active += change
    }

    /// Forgets a host without transfers, except for some that multiplex.
    private mutating func forgetIfIdle(_ queue: HostQueue) {
        guard queue.active == 0, queue.waiting.isEmpty, !queue.isMultiplexed || hosts.count > 256 else { return }
        hosts[queue.host] = nil
    }
}
