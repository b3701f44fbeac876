import ImageCore

/// A clock whose time a test moves to the next end of a sleep, when all of its tasks sleep.
final class StepClock: Clock, Sendable {
    struct Instant: InstantProtocol {
        var offset: Duration
        func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        func duration(to other: Instant) -> Duration { other.offset - offset }
        static func < (a: Instant, b: Instant) -> Bool { a.offset < b.offset }
    }

    private struct State {
        var now = Instant(offset: .zero)
        var nextID = 0
        var sleepers: [Int: (end: Instant, continuation: AsyncStream<Void>.Continuation)] = [:]
    }

    private let state = Lock(State())

    var now: Instant { state.withLock { $0.now } }
    var minimumResolution: Duration { .zero }

    func sleep(until end: Instant, tolerance: Duration?) async throws {
        let (elapsed, continuation) = AsyncStream<Void>.makeStream()
        let id = state.withLock { state in
            state.nextID += 1
            if end > state.now { state.sleepers[state.nextID] = (end, continuation) } else { continuation.finish() }
            return state.nextID
        }
        for await _ in elapsed {}
        state.withLock { state in state.sleepers[id] = nil }
        try Task.checkCancellation()
    }

    /// Moves the time to the end of the next sleep if there are `count` sleeps and one ends within the limit.
    func advance(whenAsleep count: Int, within limit: Duration) {
        let due = state.withLock { state -> [AsyncStream<Void>.Continuation] in
            guard state.sleepers.count >= count, let next = state.sleepers.values.map(\.end).min(),
                state.now.duration(to: next) <= limit
            else { return [] }
            state.now = max(state.now, next)
            return state.sleepers.values.filter { $0.end <= next }.map(\.continuation)
        }
        for continuation in due { continuation.finish() }
    }
}
