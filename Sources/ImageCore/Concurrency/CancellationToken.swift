/// Cancels long synchronous work, such as a decode.
///
/// The engine creates a token for each decode and each processing step, and cancels it when the last load that shares
/// the work ends. Plug-ins check it between rows, blocks or chunks. Safe to use from any thread.
public final class CancellationToken: Sendable {
    private struct State {
        var isCancelled = false
        /// The handlers, in the order in which they were set.
        var handlers: [@Sendable () -> Void] = []
    }

    private let state = Lock(State())
    private let cancelsAtCheck: (@Sendable () -> Bool)?

    /// Creates a token that is not cancelled.
    public init() { cancelsAtCheck = nil }

    /// Creates a token that calls `cancelsAtCheck` at each check, for tests that must cancel at a certain moment.
    package init(cancelsAtCheck: @escaping @Sendable () -> Bool) { self.cancelsAtCheck = cancelsAtCheck }

    /// Whether ``cancel()`` was called.
    public var isCancelled: Bool { cancelsAtCheck?() ?? state.withLock { $0.isCancelled } }

    /// Throws `CancellationError` if ``cancel()`` was called.
    public func check() throws(CancellationError) {
        if isCancelled { throw CancellationError() }
    }

    /// Cancels the work and runs the handlers in the order in which they were set. Later calls do nothing.
    public func cancel() {
        let handlers = state.withLock { state in
            state.isCancelled = true
            defer { state.handlers = [] }
            return state.handlers
        }
        for handler in handlers { handler() }
    }

    /// Sets a handler that ``cancel()`` runs once, on its thread. If the token is already cancelled, the handler runs
    /// at once.
    public func onCancel(_ handler: @escaping @Sendable () -> Void) {
        let isCancelled = state.withLock { state in
            if !state.isCancelled { state.handlers.append(handler) }
            return state.isCancelled
        }
        if isCancelled { handler() }
    }
}
