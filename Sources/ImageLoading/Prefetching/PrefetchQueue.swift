internal import ImageCore

/// What a prefetcher has been asked for and has not finished: a value, each call one event.
///
/// An entry waits in the order it came, runs, and is forgotten when it ends or is stopped. Every call takes constant
/// time; what was stopped while it waited is skipped when its turn comes.
struct PrefetchQueue<Key: Hashable & Sendable, Request: Sendable, Handle: Sendable>: Sendable {
    private enum Entry: Sendable {
        case waiting(Key, Request)
        /// Taken; the handle follows as soon as the load has one.
        case running(Key, Handle?)
    }

    /// Names one run of one entry: a key that is stopped and started anew gets another.
    struct Turn: Hashable, Sendable {
        fileprivate let id: SlabID
    }

    private var entries = Slab<Entry>()
    private var index: [Key: SlabID] = [:]
    /// In the order they came; those before `head` have been taken, and some behind it are stopped already.
    private var line: [SlabID] = []
    private var head = 0

    /// How many may run at a time, at least 1.
    let limit: Int
    private(set) var running = 0
    var isHeld = false

    init(limit: Int) { self.limit = max(1, limit) }

    var waiting: Int { entries.count - running }
    var isEmpty: Bool { entries.count == 0 }
    /// Of the line, with what is behind: for tests.
    var lineLength: Int { line.count }

    /// Queues a request unless its key is waiting or running already. Returns whether it was queued.
    @discardableResult
    mutating func add(_ request: @autoclosure () -> Request, for key: Key) -> Bool {
        guard index[key] == nil else { return false }
        let id = entries.insert(.waiting(key, request()))
        index[key] = id
        line.append(id)
        return true
    }

    /// The next request to start, counted as running from now on; `nil` when none may start.
    mutating func take() -> (Turn, Request)? {
        guard !isHeld, running < limit else { return nil }
        while head < line.count {
            let id = line[head]
            head += 1
            compact()
            guard entries.contains(id), case .waiting(let key, let request) = entries[id] else { continue }
            entries[id] = .running(key, nil)
            running += 1
            return (Turn(id: id), request)
        }
        return nil
    }

    /// The load of a taken request has begun. Returns `false` when it has ended or was stopped before that: the load is
    /// then not wanted.
    mutating func began(_ turn: Turn, _ handle: Handle) -> Bool {
        guard entries.contains(turn.id), case .running(let key, _) = entries[turn.id] else { return false }
        entries[turn.id] = .running(key, handle)
        return true
    }

    /// The load of a taken request has ended.
    mutating func ended(_ turn: Turn) {
        guard case .running(let key, _) = entries.remove(turn.id) else { return }
        index[key] = nil
        running -= 1
    }

    /// Forgets a key; returns the handle of its load, if it has one, to be cancelled.
    mutating func stop(_ key: Key) -> Handle? {
        guard let id = index.removeValue(forKey: key), case .running(_, let handle) = entries.remove(id) else { return nil }
        running -= 1
        return handle
    }

    /// Forgets everything; returns the handles of the loads, to be cancelled.
    mutating func stopAll() -> [Handle] {
        let stopped = handles
        // One by one, so that a load that ends later finds its turn gone.
        for id in entries.ids { entries.end(id) }
        index = [:]
        line = []
        (head, running) = (0, 0)
        return stopped
    }

    /// The loads that run.
    var handles: [Handle] {
        entries.ids.compactMap { if case .running(_, let handle) = entries[$0] { handle } else { nil } }
    }

    /// Drops the part of the line that is behind, once it is the greater part.
    private mutating func compact() {
        guard head >= 32, 2 * head >= line.count else { return }
        line.removeSubrange(..<head)
        head = 0
    }
}
