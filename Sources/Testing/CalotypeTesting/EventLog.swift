internal import ImageCore

/// A list of events in order, for which a test can wait. Safe to use from any thread.
public final class EventLog<Event: Sendable>: Sendable {
    private struct State {
        var events: [Event] = []
        var waiters: [(condition: @Sendable ([Event]) -> Bool, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let state = Lock(State())

    /// Creates an empty list.
    public init() {}

    /// All events so far.
    public var events: [Event] { state.withLock { $0.events } }
    /// The number of events so far.
    public var count: Int { state.withLock { $0.events.count } }

    /// Adds an event and resumes the tasks whose condition it fulfils.
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

    /// Removes all events. Waiting tasks keep waiting.
    public func removeAll() { state.withLock { $0.events = [] } }

    /// Returns as soon as the events fulfil a condition, which may be at once. Ignores cancellation.
    ///
    /// - Parameter condition: Called with all events after each new one, with a lock held: it must not use the list
    ///   itself.
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

    /// Returns as soon as the list has at least `count` events. Ignores cancellation.
    public func wait(forCount count: Int) async { await wait { $0.count >= count } }
}
