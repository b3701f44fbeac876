internal import ImageCore

/// What a prefetcher has been asked for and has not finished: a value, each call one event.
///
/// An entry waits in the order it came, runs, and is forgotten when it ends or is stopped. Every call takes constant
/// time; what was stopped while it waited is skipped when its turn comes.
struct PrefetchQueue<Key: Hashable & Sendable, Request: Sendable, Handle: Sendable>: Sendable {
    private enum Entry: Sendable {
        case waiting(Request, ticket: UInt64)
        /// Taken; the handle follows as soon as the load has one.
        case running(Handle?, ticket: UInt64)

        var ticket: UInt64 {
            switch self {
            case .waiting(_, let ticket), .running(_, let ticket): ticket
            }
        }
    }

    /// Names one run of one entry: a key that is stopped and started anew gets another.
    struct Turn: Hashable, Sendable {
        let key: Key
        fileprivate let ticket: UInt64
    }

    private var entries: [Key: Entry] = [:]
    /// In the order they came; those before `head` have been taken, and some behind it are stopped already.
    private var line: [Turn] = []
    private var head = 0
    private var nextTicket: UInt64 = 0

    /// How many may run at a time, at least 1.
    let limit: Int
    private(set) var running = 0
    var isHeld = false

    init(limit: Int) { self.limit = max(1, limit) }

    var waiting: Int { entries.count - running }
    var isEmpty: Bool { entries.isEmpty }
    /// Of the line, with what is behind: for tests.
    var lineLength: Int { line.count }

    /// Queues a request unless its key is waiting or running already. Returns whether it was queued.
    @discardableResult
    mutating func add(_ request: @autoclosure () -> Request, for key: Key) -> Bool {
        guard entries[key] == nil else { return false }
        nextTicket += 1
        entries[key] = .waiting(request(), ticket: nextTicket)
        line.append(Turn(key: key, ticket: nextTicket))
        return true
    }

    /// The next request to start, counted as running from now on; `nil` when none may start.
    mutating func take() -> (Turn, Request)? {
        guard !isHeld, running < limit else { return nil }
        while head < line.count {
            let turn = line[head]
            head += 1
            compact()
            guard case .waiting(let request, turn.ticket) = entries[turn.key] else { continue }
            entries[turn.key] = .running(nil, ticket: turn.ticket)
            running += 1
            return (turn, request)
        }
        return nil
    }

    /// The load of a taken request has begun. Returns `false` when it has ended or was stopped before that: the load is
    /// then not wanted.
    mutating func began(_ turn: Turn, _ handle: Handle) -> Bool {
        guard case .running(_, turn.ticket) = entries[turn.key] else { return false }
        entries[turn.key] = .running(handle, ticket: turn.ticket)
        return true
    }

    /// The load of a taken request has ended.
    mutating func ended(_ turn: Turn) {
        guard entries[turn.key]?.ticket == turn.ticket else { return }
        entries[turn.key] = nil
        running -= 1
    }

    /// Forgets a key; returns the handle of its load, if it has one, to be cancelled.
    mutating func stop(_ key: Key) -> Handle? {
        guard case .running(let handle, _) = entries.removeValue(forKey: key) else { return nil }
        running -= 1
        return handle
    }

    /// Forgets everything; returns the handles of the loads, to be cancelled.
    mutating func stopAll() -> [Handle] {
        defer {
            entries = [:]
            line = []
            (head, running) = (0, 0)
        }
        return handles
    }

    /// The loads that run.
    var handles: [Handle] {
        entries.values.compactMap { if case .running(let handle, _) = $0 { handle } else { nil } }
    }

    /// Drops the part of the line that is behind, once it is the greater part.
    private mutating func compact() {
        guard head >= 32, 2 * head >= line.count else { return }
        line.removeSubrange(..<head)
        head = 0
    }
}
