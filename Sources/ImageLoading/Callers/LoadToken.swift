public import ImageCore

/// Gives up a load that was started with a completion closure. Dropping it gives nothing up.
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

    public var id: LoadID { task.id }

    /// May be changed in flight.
    public var priority: LoadPriority {
        get { task.priority }
        set { task.priority = newValue }
    }

    /// Gives the load up. The completion is not called any more, unless it was asked to report cancelling; called where
    /// the completion lives, that holds even for one that is on its way there. Does nothing once the completion was called.
    public func cancel() {
        if !reportsCancellation {
            state.withLock { state in if case .pending = state { state = .cancelled } }
        }
        task.cancel()
    }

    /// Whether the completion is to be called, which may be answered with yes but once.
    func claim(_ result: Result<ImageResponse, LoadFailure>) -> Bool {
        state.withLock { state in
            guard case .pending = state else { return false }
            state = .called
            if case .failure(.cancelled) = result { return reportsCancellation }
            return true
        }
    }

    /// Follows the load to its end and hands the result over.
    func follow(_ deliver: @escaping @Sendable (Result<ImageResponse, LoadFailure>) -> Void) {
        task.whenFinished(deliver)
    }
}
