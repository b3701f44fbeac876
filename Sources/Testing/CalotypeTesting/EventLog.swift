internal import ImageCore

/// A list of what happened, in order, that a test can wait on.
public final class EventLog<Event: Sendable>: Sendable {
    private struct State {
        var events: [Event] = []
        var waiters: [(condition: @Sendable ([Event]) -> Bool, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let state = Lock(State())

    public init() {}

    public var events: [Event] { state.withLock { $0.events } }
    public var count: Int { state.withLock { $0.events.count } }

    public func append(_ event: Event) {
        let due = state.withLock { state -> [CheckedContinuation<Void, Never>] in
            state.events.append(event)
            let events = state.events
            let due = state.waiters.filter { $0.condition(events) }.map(\.continuation)
            state.waiters.removeAll { $0.condition(events) }
            return due
        }
        for continuation in due { continuation.resume() }
    }

    public func removeAll() { state.withLock { $0.events = [] } }

    /// Returns as soon as the list so far satisfies a condition, which may be at once.
    public func wait(until condition: @escaping @Sendable ([Event]) -> Bool) async {
        await withCheckedContinuation { continuation in
            let isDue = state.withLock { state in
                if condition(state.events) { return true }
                state.waiters.append((condition, continuation))
                return false
            }
            if isDue { continuation.resume() }
        }
    }

    /// Returns when at least `count` events are in the list.
    public func wait(forCount count: Int) async { await wait { $0.count >= count } }
}
