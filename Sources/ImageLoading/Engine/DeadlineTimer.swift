internal import ImageCore

/// Ends a load at its deadline.
final class DeadlineTimer: Sendable {
    private let task: Task<Void, Never>

    init(_ deadline: Deadline, clock: AnyClock, _ expire: @escaping @Sendable () -> Void) {
        task = Task { if (try? await clock.sleep(for: max(.zero, deadline.remaining))) != nil { expire() } }
    }

    func cancel() { task.cancel() }
}
