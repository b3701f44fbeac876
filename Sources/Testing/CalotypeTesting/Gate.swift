internal import ImageCore

/// Holds tasks until a test lets them through: time moves by events, never by waiting.
public final class Gate: Sendable {
    private struct State {
        var isOpen: Bool
        var arrivals = 0
        var held: [UInt64: CheckedContinuation<Void, any Error>] = [:]
        var arrivalWaiters: [(count: Int, CheckedContinuation<Void, Never>)] = []
        var nextID: UInt64 = 0
        var cancelledEarly: Set<UInt64> = []

        /// Counts a task that passes, or is held from now on. Returns who waited for that.
        mutating func arrive() -> [CheckedContinuation<Void, Never>] {
            arrivals += 1
            defer { arrivalWaiters.removeAll { $0.count <= arrivals } }
            return arrivalWaiters.filter { $0.count <= arrivals }.map(\.1)
        }
    }

    private let state: Lock<State>

    /// - Parameter isOpen: whether tasks pass at once.
    public init(isOpen: Bool = false) { state = Lock(State(isOpen: isOpen)) }

    /// How many tasks have come, passed or not.
    public var arrivals: Int { state.withLock { $0.arrivals } }

    /// How many tasks are held now.
    public var held: Int { state.withLock { $0.held.count } }

    /// Passes when the gate is open; throws `CancellationError` when the task is cancelled while it is held.
    public func pass() async throws {
        let (id, isOpen, waiters) = state.withLock { state in
            state.nextID += 1
            return (state.nextID, state.isOpen, state.isOpen ? state.arrive() : [])
        }
        guard !isOpen else {
            for waiter in waiters { waiter.resume() }
            return try Task.checkCancellation()
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                // Who waits for an arrival may go on once the task is held, or has passed.
                let (answer, waiters) = state.withLock {
                    state -> (Result<Void, any Error>?, [CheckedContinuation<Void, Never>]) in
                    let waiters = state.arrive()
                    if state.cancelledEarly.remove(id) != nil { return (.failure(CancellationError()), waiters) }
                    if state.isOpen { return (.success(()), waiters) }
                    state.held[id] = continuation
                    return (nil, waiters)
                }
                for waiter in waiters { waiter.resume() }
                if let answer { continuation.resume(with: answer) }
            }
        } onCancel: {
            let continuation = state.withLock { state in
                let continuation = state.held.removeValue(forKey: id)
                if continuation == nil { state.cancelledEarly.insert(id) }
                return continuation
            }
            continuation?.resume(throwing: CancellationError())
        }
    }

    /// Lets everyone through, now and later.
    public func open() {
        let held = state.withLock { state in
            state.isOpen = true
            defer { state.held = [:] }
            return state.held.sorted { $0.key < $1.key }.map(\.value)
        }
        for continuation in held { continuation.resume() }
    }

    /// Lets one held task through, the one that came first.
    public func letOneThrough() {
        let continuation = state.withLock { state in
            state.held.keys.min().flatMap { state.held.removeValue(forKey: $0) }
        }
        continuation?.resume()
    }

    /// Returns when at least `count` tasks have come.
    public func waitForArrivals(_ count: Int) async {
        await withCheckedContinuation { continuation in
            let isDue = state.withLock { state in
                if state.arrivals >= count { return true }
                state.arrivalWaiters.append((count, continuation))
                return false
            }
            if isDue { continuation.resume() }
        }
    }
}
