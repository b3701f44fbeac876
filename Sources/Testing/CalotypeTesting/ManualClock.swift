internal import ImageCore

/// A clock whose time changes only when a test advances it. Safe to use from any thread.
public final class ManualClock: Clock, Sendable {
    /// A time of the clock.
    public struct Instant: InstantProtocol, Hashable {
        /// The time since the clock was created.
        public let offset: Duration

        public func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        public func duration(to other: Instant) -> Duration { other.offset - offset }
        public static func < (a: Instant, b: Instant) -> Bool { a.offset < b.offset }
    }

    private struct State {
        var now = Instant(offset: .zero)
        var sleepers: [(deadline: Instant, continuation: AsyncStream<Void>.Continuation)] = []
    }

    private let state = Lock(State())
    private let sleeps = EventLog<Duration>()

    /// Creates a clock at offset zero.
    public init() {}

    public var now: Instant { state.withLock { $0.now } }
    public var minimumResolution: Duration { .nanoseconds(1) }

    /// The requested duration of each sleep so far, in order.
    public var requestedSleeps: [Duration] { sleeps.events }

    /// Returns as soon as at least `count` sleeps have been requested. Ignores cancellation.
    public func waitForSleeps(_ count: Int) async { await sleeps.wait(forCount: count) }

    public func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        let (elapsed, continuation) = AsyncStream<Void>.makeStream()
        let now = state.withLock { state in
            if deadline <= state.now { continuation.finish() } else { state.sleepers.append((deadline, continuation)) }
            return state.now
        }
        sleeps.append(now.duration(to: deadline))
        // The stream has no element. It ends at the deadline, or with the task.
        for await _ in elapsed {}
        guard self.now >= deadline else { throw CancellationError() }
    }

    /// Advances the time and resumes the sleeps whose deadline has passed, in order of their deadlines.
    public func advance(by duration: Duration) {
        let due = state.withLock { state in
            state.now = state.now.advanced(by: duration)
            let now = state.now
            defer { state.sleepers.removeAll { $0.deadline <= now } }
            return state.sleepers.filter { $0.deadline <= now }.sorted { $0.deadline < $1.deadline }
        }
        for sleeper in due { sleeper.continuation.finish() }
    }
}
