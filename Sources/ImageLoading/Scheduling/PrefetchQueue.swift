internal import DequeModule
internal import ImageCore

/// The requests of a prefetcher that have not finished: a value, each call one event.
///
/// A request waits in the order of arrival, runs, and is removed when it ends or is stopped. Every call takes constant
/// time; what was stopped while it waited is skipped when it is taken.
struct PrefetchQueue<Key: Hashable & Sendable, Request: Sendable, Handle: Sendable>: Sendable {
    /// Names one request: a key that is stopped and started again gets another ticket.
    struct Ticket: CountedID {
        let rawValue: UInt64
    }

    /// A request that waits, or has been taken.
    struct Entry: Sendable {
        let ticket: Ticket
        fileprivate let key: Key
        let request: Request
    }

    private struct Run: Sendable {
        let key: Key
        /// The handle of the load, as soon as it has one.
        var handle: Handle?
    }

    /// The tickets of the requests that wait or run.
    private var tickets: [Key: Ticket] = [:]
    /// The waiting requests in the order of arrival; some are stopped already.
    private(set) var order: Deque<Entry> = []
    /// Stopped requests that have left ``order``.
    private var dropped: [Entry] = []
    private var runs: [Ticket: Run] = [:]
    private var lastNumber: UInt64 = 0

    /// How many may run at a time, at least 1.
    let limit: Int
    var isPaused = false

    init(limit: Int) { self.limit = max(1, limit) }

    var waiting: Int { tickets.count - runs.count }
    var running: Int { runs.count }
    var isEmpty: Bool { tickets.isEmpty }

    /// Queues a request unless its key is waiting or running already. Returns whether it was queued.
    @discardableResult
    mutating func add(_ request: consuming Request, for key: Key) -> Bool {
        guard tickets[key] == nil else { return false }
        lastNumber += 1
        let ticket = Ticket(rawValue: lastNumber)
        tickets[key] = ticket
        order.append(Entry(ticket: ticket, key: key, request: request))
        return true
    }

    /// The next request to start, which then counts as running; `nil` when none may start.
    mutating func take() -> Entry? {
        guard !isPaused, running < limit else { return nil }
        while let next = order.popFirst() {
            guard isWaiting(next) else {
                dropped.append(next)
                continue
            }
            runs[next.ticket] = Run(key: next.key)
            return next
        }
        return nil
    }

    /// The load of a taken request has begun. Returns `false` when it has ended or was stopped before that: the load is
    /// then not wanted.
    mutating func began(_ ticket: Ticket, _ handle: Handle) -> Bool {
        guard let index = runs.index(forKey: ticket) else { return false }
        runs.values[index].handle = handle
        return true
    }

    /// The load of a taken request has ended. Returns `false` when it was stopped before that.
    @discardableResult
    mutating func ended(_ ticket: Ticket) -> Bool {
        guard let run = runs.removeValue(forKey: ticket) else { return false }
        tickets[run.key] = nil
        return true
    }

    /// Removes a key; returns the handle of its load, if it has one, to be cancelled.
    mutating func stop(_ key: Key) -> Handle? {
        guard let ticket = tickets.removeValue(forKey: key) else { return nil }
        guard let run = runs.removeValue(forKey: ticket) else {
            dropStopped()
            return nil
        }
        return run.handle
    }

    /// Removes everything; returns the handles of the loads, to be cancelled. A load that ends later finds its ticket
    /// gone.
    mutating func stopAll() -> [Handle] {
        let stopped = handles
        dropped += order
        (tickets, order, runs) = ([:], [], [:])
        return stopped
    }

    /// Removes the waiting requests for which the closure returns `true`.
    mutating func stopWaiting(where isStopped: (Request) -> Bool) {
        for next in order where isWaiting(next) && isStopped(next.request) { tickets[next.key] = nil }
        dropStopped()
    }

    /// The loads that run, the oldest first.
    var handles: [Handle] { runs.sorted { $0.key < $1.key }.compactMap(\.value.handle) }

    private func isWaiting(_ entry: Entry) -> Bool { tickets[entry.key] == entry.ticket }

    /// Drops stopped requests once they are the greater part.
    private mutating func dropStopped() {
        guard order.count > 2 * waiting + 32 else { return }
        dropped += order.filter { !isWaiting($0) }
        order = order.filter(isWaiting)
    }

    /// Returns the stopped requests that are no longer needed. A caller with a lock releases them outside of it, since
    /// that may run foreign code.
    mutating func takeDropped() -> [Entry] {
        defer { dropped = [] }
        return dropped
    }
}
