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

    /// The transfers of one host.
    private struct HostQueue {
        var waiting = RemovableQueue<ID>()
        var active = 0
        var isMultiplexed = false

        /// Adds a transfer. Returns whether it is the only one that waits.
        mutating func add(_ id: ID) -> Bool {
            defer { waiting.append(id) }
            return waiting.isEmpty
        }
    }

    /// The place of a host, until one is added or removed. With it, a host is looked up once for each change.
    private typealias Index = Dictionary<Host, HostQueue>.Index

    private let limits: Limits
    private var hosts: [Host: HostQueue] = [:]
    /// The hosts for which something waits, in the order of their turns.
    private var turns = RemovableQueue<Host>()
    private var connections = 0

    init(_ limits: Limits) { self.limits = limits }

    /// How many hosts are remembered.
    var hostCount: Int { hosts.count }
    /// Whether no transfer waits.
    var isEmpty: Bool { turns.isEmpty }
    /// The waiting transfers, host by host.
    var waiting: [ID] { turns.elements.flatMap { hosts[$0]?.waiting.elements ?? [] } }

    /// Adds a transfer behind those of the same host.
    mutating func add(_ id: ID, host: Host) {
        if hosts[host, default: HostQueue()].add(id) { turns.append(host) }
    }

    /// Removes a transfer if it waits.
    mutating func remove(_ id: ID, host: Host) {
        guard let index = hosts.index(forKey: host), hosts.values[index].waiting.remove(id),
            hosts.values[index].waiting.isEmpty
        else { return }
        turns.remove(host)
        forgetIfIdle(index)
    }

    /// The next transfer to start, counted as running; `nil` when none may start.
    mutating func next() -> ID? {
        guard let host = turns.first(where: mayStart), let index = hosts.index(forKey: host),
            let id = hosts.values[index].waiting.removeFirst()
        else { return nil }
        turns.remove(host)
        if !hosts.values[index].waiting.isEmpty { turns.append(host) }
        changeActive(index, by: 1)
        return id
    }

    /// A transfer that ``next()`` returned has ended, or moves to another host.
    mutating func finished(_ host: Host) {
        guard let index = hosts.index(forKey: host) else { return }
        changeActive(index, by: -1)
        forgetIfIdle(index)
    }

    /// The host turned out to multiplex.
    mutating func multiplexes(_ host: Host) { hosts[host]?.isMultiplexed = true }

    private func mayStart(_ host: Host) -> Bool {
        guard let queue = hosts[host], queue.active < (queue.isMultiplexed ? limits.streamsPerHost : limits.perHost) else {
            return false
        }
        return queue.active >= limits.perHost || connections < limits.total
    }

    /// Transfers beyond the limit of connections share the existing ones.
    private mutating func changeActive(_ index: Index, by change: Int) {
        let active = hosts.values[index].active
        connections += min(active + change, limits.perHost) - min(active, limits.perHost)
        hosts.values[index].active = active + change
    }

    /// Forgets a host without transfers, except for some that multiplex.
    private mutating func forgetIfIdle(_ index: Index) {
        let queue = hosts.values[index]
        guard queue.active == 0, queue.waiting.isEmpty, !queue.isMultiplexed || hosts.count > 256 else { return }
        hosts.remove(at: index)
    }
}
