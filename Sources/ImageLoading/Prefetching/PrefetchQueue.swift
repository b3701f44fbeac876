internal import DequeModule
internal import ImageCore

/// The requests of a prefetcher that have not finished: a value, each call one event.
///
/// An entry waits in the order of arrival, runs, and is removed when it ends or is stopped. Every call takes constant
/// time; what was stopped while it waited is skipped when it is taken.
struct PrefetchQueue<Key: Hashable & Sendable, Request: Sendable, Handle: Sendable>: Sendable {
    private struct Entry: Sendable {
        let number: Int
        var isRunning = false
        /// The handle of the load, as soon as it has one.
        var handle: Handle?
    }

    /// Names one run of one entry: a key that is stopped and started again gets another.
    struct Ticket: Hashable, Sendable {
        let key: Key
        fileprivate let number: Int
    }

    private var entries: [Key: Entry] = [:]
    /// The waiting requests in the order of arrival; some are stopped already.
    private(set) var order: Deque<(ticket: Ticket, request: Request)> = []
    private var lastNumber = 0

    /// How many may run at a time, at least 1.
    let limit: Int
    private(set) var running = 0
    var isPaused = false

    init(limit: Int) { self.limit = max(1, limit) }

    var waiting: Int { entries.count - running }
    var isEmpty: Bool { entries.isEmpty }

    /// Queues a request unless its key is waiting or running already. Returns whether it was queued.
    @discardableResult
    mutating func add(_ request: Request, for key: Key) -> Bool {
        guard entries[key] == nil else { return false }
        lastNumber += 1
        entries[key] = Entry(number: lastNumber)
        order.append((Ticket(key: key, number: lastNumber), request))
        return true
    }

    /// The next request to start, which then counts as running; `nil` when none may start.
    mutating func take() -> (ticket: Ticket, request: Request)? {
        guard !isPaused, running < limit else { return nil }
        while let next = order.popFirst() {
            guard let index = index(of: next.ticket) else { continue }
            entries.values[index].isRunning = true
            running += 1
            return next
        }
        return nil
    }

    /// The load of a taken request has begun. Returns `false` when it has ended or was stopped before that: the load is
    /// then not wanted.
    mutating func began(_ ticket: Ticket, _ handle: Handle) -> Bool {
        guard let index = index(of: ticket) else { return false }
        entries.values[index].handle = handle
        return true
    }

    /// The load of a taken request has ended.
    mutating func ended(_ ticket: Ticket) {
        guard let index = index(of: ticket) else { return }
        entries.remove(at: index)
        running -= 1
    }

    /// Removes a key; returns the handle of its load, if it has one, to be cancelled.
    mutating func stop(_ key: Key) -> Handle? {
        guard let entry = entries.removeValue(forKey: key) else { return nil }
        if entry.isRunning { running -= 1 } else { dropStopped() }
        return entry.handle
    }

    /// Removes everything; returns the handles of the loads, to be cancelled. A load that ends later finds its ticket gone.
    mutating func stopAll() -> [Handle] {
        let stopped = handles
        (entries, order, running) = ([:], [], 0)
        return stopped
    }

    /// Removes the waiting requests for which the closure returns `true`.
    mutating func stopWaiting(where isStopped: (Request) -> Bool) {
        for (ticket, request) in order where index(of: ticket) != nil && isStopped(request) { entries[ticket.key] = nil }
        dropStopped()
    }

    /// The loads that run, the oldest first.
    var handles: [Handle] { entries.values.sorted { $0.number < $1.number }.compactMap(\.handle) }

    /// The entry of a ticket that is not over.
    private func index(of ticket: Ticket) -> Dictionary<Key, Entry>.Index? {
        entries.index(forKey: ticket.key).flatMap { entries.values[$0].number == ticket.number ? $0 : nil }
    }

    /// Drops stopped requests once they are the greater part.
    private mutating func dropStopped() {
        if order.count > 2 * waiting + 32 { order = order.filter { index(of: $0.ticket) != nil } }
    }
}
