internal import DequeModule
internal import ImageCore

/// The requests of a prefetcher that have not finished: a value, each call one event.
///
/// An entry waits in the order of arrival, runs, and is removed when it ends or is stopped. Every call takes constant
/// time; what was stopped while it waited is skipped when its turn comes.
struct PrefetchQueue<Key: Hashable & Sendable, Request: Sendable, Handle: Sendable>: Sendable {
    private enum Entry: Sendable {
        case waiting(Key, Request)
        /// Taken; the handle follows as soon as the load has one.
        case running(Key, Handle?)
    }

    /// Names one run of one entry: a key that is stopped and started again gets another.
    struct Turn: Hashable, Comparable, Sendable {
        fileprivate let number: Int

        static func < (a: Self, b: Self) -> Bool { a.number < b.number }
    }

    private var entries: [Turn: Entry] = [:]
    private var turns: [Key: Turn] = [:]
    /// Waiting turns in the order of arrival; some are stopped already.
    private(set) var order: Deque<Turn> = []
    private var lastTurn = 0

    /// How many may run at a time, at least 1.
    let limit: Int
    private(set) var running = 0
    var isHeld = false

    init(limit: Int) { self.limit = max(1, limit) }

    var waiting: Int { entries.count - running }
    var isEmpty: Bool { entries.isEmpty }

    /// Queues a request unless its key is waiting or running already. Returns whether it was queued.
    @discardableResult
    mutating func add(_ request: @autoclosure () -> Request, for key: Key) -> Bool {
        guard turns[key] == nil else { return false }
        lastTurn += 1
        let turn = Turn(number: lastTurn)
        entries[turn] = .waiting(key, request())
        turns[key] = turn
        order.append(turn)
        return true
    }

    /// The next request to start, which then counts as running; `nil` when none may start.
    mutating func take() -> (Turn, Request)? {
        guard !isHeld, running < limit else { return nil }
        while let turn = order.popFirst() {
            guard case .waiting(let key, let request) = entries[turn] else { continue }
            entries[turn] = .running(key, nil)
            running += 1
            return (turn, request)
        }
        return nil
    }

    /// The load of a taken request has begun. Returns `false` when it has ended or was stopped before that: the load is
    /// then not wanted.
    mutating func began(_ turn: Turn, _ handle: Handle) -> Bool {
        guard case .running(let key, _) = entries[turn] else { return false }
        entries[turn] = .running(key, handle)
        return true
    }

    /// The load of a taken request has ended.
    mutating func ended(_ turn: Turn) {
        guard case .running(let key, _) = entries.removeValue(forKey: turn) else { return }
        turns[key] = nil
        running -= 1
    }

    /// Removes a key; returns the handle of its load, if it has one, to be cancelled.
    mutating func stop(_ key: Key) -> Handle? {
        guard let turn = turns.removeValue(forKey: key) else { return nil }
        guard case .running(_, let handle) = entries.removeValue(forKey: turn) else {
            dropStopped()
            return nil
        }
        running -= 1
        return handle
    }

    /// Removes everything; returns the handles of the loads, to be cancelled. A load that ends later finds its turn gone.
    mutating func stopAll() -> [Handle] {
        let stopped = handles
        (entries, turns, order, running) = ([:], [:], [], 0)
        return stopped
    }

    /// The loads that run, the oldest first.
    var handles: [Handle] {
        entries.keys.sorted().compactMap { if case .running(_, let handle) = entries[$0] { handle } else { nil } }
    }

    /// Drops stopped turns once they are the greater part.
    private mutating func dropStopped() {
        if order.count > 2 * waiting + 32 { order.removeAll { entries[$0] == nil } }
    }
}
