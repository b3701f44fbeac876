/// Tells long synchronous work that nobody wants its result any more.
///
/// The engine makes one per decode or processing job and cancels it when the job's last subscriber leaves. Plug-ins
/// look at it between rows, blocks or chunks. Safe to use from any thread.
public final class CancellationToken: Sendable {
    private struct State {
        var isCancelled = false
        var onCancel: (@Sendable () -> Void)?
    }

    private let state = Lock(State())

    public init() {}

    /// Whether ``cancel()`` was called.
    public var isCancelled: Bool { state.withLock { $0.isCancelled } }

    /// Throws `CancellationError` once ``cancel()`` was called.
    public func check() throws(CancellationError) {
        if isCancelled { throw CancellationError() }
    }

    /// Marks the work as unwanted and runs the handler, if one is set. Later calls do nothing.
    public func cancel() {
        let handler = state.withLock { state -> (@Sendable () -> Void)? in
            guard !state.isCancelled else { return nil }
            state.isCancelled = true
            defer { state.onCancel = nil }
            return state.onCancel
        }
        handler?()
    }

    /// Sets the one handler that ``cancel()`` runs. It runs here and now when the token is cancelled already, so a
    /// cancel that arrives before its start is not lost.
    public func onCancel(_ handler: @escaping @Sendable () -> Void) {
        let isLate = state.withLock { state in
            if !state.isCancelled { state.onCancel = handler }
            return state.isCancelled
        }
        if isLate { handler() }
    }
}
