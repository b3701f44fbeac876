public import ImageCore

/// Cancels a load that was started with a completion closure. Releasing the token does not cancel the load.
///
/// Safe to use from any isolation.
public final class LoadToken: Sendable {
    private enum State {
        case pending
        case cancelled
        case called
    }

    private let state = Lock(State.pending)
    private let task: ImageTask
    private let reportsCancellation: Bool

    init(_ task: ImageTask, reportsCancellation: Bool) {
        self.task = task
        self.reportsCancellation = reportsCancellation
    }

    /// The id of the load.
    public var id: LoadID { task.id }

    /// The priority of the load, which may change while it runs.
    public var priority: LoadPriority {
        get { task.priority }
        set { task.priority = newValue }
    }

    /// Cancels the load. The completion is not called any more, unless the load reports its cancellation; on the completion's queue
    /// or actor, that holds even for a call that is already scheduled. Has no effect once the completion was called.
    public func cancel() {
        if !reportsCancellation {
            state.withLock { state in if case .pending = state { state = .cancelled } }
        }
        task.cancel()
    }

    /// Whether the completion is to be called; `true` at most once.
    func claim(_ result: Result<ImageResponse, LoadFailure>) -> Bool {
        state.withLock { state in
            guard case .pending = state else { return false }
            state = .called
            if case .failure(.cancelled) = result { return reportsCancellation }
            return true
        }
    }

    /// Calls `deliver` with the result when the load has ended.
    func follow(_ deliver: @escaping @Sendable (Result<ImageResponse, LoadFailure>) -> Void) {
        task.whenFinished(deliver)
    }
}
