internal import ImageCore

/// Ends a load at its deadline.
final class DeadlineTimer: Sendable {
    private let task: Task<Void, Never>

    init(_ deadline: Deadline, clock: ErasedClock, _ expire: @escaping @Sendable () -> Void) {
        task = Task { if await clock.sleep(max(.zero, deadline.remaining.clampedToClockRange)) { expire() } }
    }

    func cancel() { task.cancel() }
}
