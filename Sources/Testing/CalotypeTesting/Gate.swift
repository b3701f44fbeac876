internal import ImageCore

/// Suspends tasks until a test resumes them, so that a test needs no sleep. Safe to use from any thread.
public final class Gate: Sendable {
    private struct State {
        var isOpen: Bool
        var arrivals = 0
        var held: [UInt64: CheckedContinuation<Void, any Error>] = [:]
        var arrivalWaiters: [(count: Int, CheckedContinuation<Void, Never>)] = []
        var nextID: UInt64 = 0
        var cancelledEarly: Set<UInt64> = []

        /// Counts a task that passes or is held. Returns the tasks that waited for this number of arrivals.
        mutating func arrive() -> [CheckedContinuation<Void, Never>] {
            arrivals += 1
            defer { arrivalWaiters.removeAll { $0.count <= arrivals } }
            return arrivalWaiters.filter { $0.count <= arrivals }.map(\.1)
        }
    }

    private let state: Lock<State>

    /// Creates a gate.
    ///
    /// - Parameter isOpen: Whether tasks pass at once. By default `false`.
    public init(isOpen: Bool = false) { state = Lock(State(isOpen: isOpen)) }

    /// The number of tasks that have called ``pass()`` so far.
    public var arrivals: Int { state.withLock { $0.arrivals } }

    /// The number of tasks that the gate holds now.
    public var held: Int { state.withLock { $0.held.count } }

    /// Returns when the gate is open, or when ``letOneThrough()`` resumes this task.
    ///
    /// - Throws: `CancellationError` when the task is cancelled.
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
                // A test that waits for an arrival must resume only after this task is held or has passed.
                let (result, waiters) = state.withLock {
                    state -> (Result<Void, any Error>?, [CheckedContinuation<Void, Never>]) in
                    let waiters = state.arrive()
                    if state.cancelledEarly.remove(id) != nil { return (.failure(CancellationError()), waiters) }
                    if state.isOpen { return (.success(()), waiters) }
                    state.held[id] = continuation
                    return (nil, waiters)
                }
                for waiter in waiters { waiter.resume() }
                if let result { continuation.resume(with: result) }
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

    /// Resumes all held tasks, in order of arrival, and lets later ones pass at once.
    public func open() {
        let held = state.withLock { state in
            state.isOpen = true
            defer { state.held = [:] }
            return state.held.sorted { $0.key < $1.key }.map(\.value)
        }
        for continuation in held { continuation.resume() }
    }

    /// Resumes the task that has been held longest. Does nothing when no task is held.
    public func letOneThrough() {
        let continuation = state.withLock { state in
            state.held.keys.min().flatMap { state.held.removeValue(forKey: $0) }
        }
        continuation?.resume()
    }

    /// Returns as soon as at least `count` tasks have called ``pass()``. Ignores cancellation.
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
