internal import ImageCore

/// Suspends tasks until a test resumes them, so that a test needs no sleep. Safe to use from any thread.
public final class Gate: Sendable {
    private struct State {
        var isOpen: Bool
        var nextID: UInt64 = 0
        var held: [UInt64: AsyncStream<Void>.Continuation] = [:]
    }

    private let state: Lock<State>
    private let arrivalLog = EventLog<Void>()

    /// Creates a gate.
    ///
    /// - Parameter isOpen: Whether tasks pass at once. By default `false`.
    public init(isOpen: Bool = false) { state = Lock(State(isOpen: isOpen)) }

    /// The number of tasks that have called ``pass()`` so far.
    public var arrivals: Int { arrivalLog.count }

    /// The number of tasks that the gate holds now.
    public var held: Int { state.withLock { $0.held.count } }

    /// Returns when the gate is open, or when ``letOneThrough()`` resumes this task.
    ///
    /// - Throws: `CancellationError` when the task is cancelled.
    public func pass() async throws {
        let (passed, continuation) = AsyncStream<Void>.makeStream()
        let id = state.withLock { state -> UInt64? in
            guard !state.isOpen else { return nil }
            state.nextID += 1
            state.held[state.nextID] = continuation
            return state.nextID
        }
        if let id { continuation.onTermination = { [weak self] _ in self?.state.withLock { $0.held[id] = nil } } }
        // A test that waits for an arrival must resume only after this task is held or has passed.
        arrivalLog.append(())
        // The stream has no element. It ends when the gate lets this task pass, or with the task.
        if id != nil { for await _ in passed {} }
        try Task.checkCancellation()
    }

    /// Resumes all held tasks, in order of arrival, and lets later ones pass at once.
    public func open() {
        let held = state.withLock { state in
            state.isOpen = true
            defer { state.held = [:] }
            return state.held.sorted { $0.key < $1.key }.map(\.value)
        }
        for continuation in held { continuation.finish() }
    }

    /// Resumes the task that has been held longest. Does nothing when no task is held.
    public func letOneThrough() {
        let continuation = state.withLock { state in
            state.held.keys.min().flatMap { state.held.removeValue(forKey: $0) }
        }
        continuation?.finish()
    }

    /// Returns as soon as at least `count` tasks have called ``pass()``. Ignores cancellation.
    public func waitForArrivals(_ count: Int) async { await arrivalLog.wait(forCount: count) }
}
