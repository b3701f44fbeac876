/// Cancels long synchronous work, such as a decode.
///
/// The engine creates a token for each decode and each processing step, and cancels it when the last load that shares
/// the work ends. Plug-ins check it between rows, blocks or chunks. Safe to use from any thread.
public final class CancellationToken: Sendable {
    private struct State {
        var isCancelled = false
        /// The first handler. Most tokens have only one, which needs no array.
        var first: (number: Int, run: @Sendable () -> Void)?
        /// The other handlers, in the order in which they were set.
        var others: [(number: Int, run: @Sendable () -> Void)] = []
        var lastNumber = 0
        /// The number of checks so far, and the number of the check that cancels; `nil` if checks are not counted.
        var checks: (made: Int, limit: Int)?

        mutating func check() -> Bool {
            if let made = checks?.made {
                checks?.made = made + 1
                if made + 1 == checks?.limit { isCancelled = true }
            }
            return isCancelled
        }
    }

    /// A handler that ``CancellationToken/onCancel(_:)`` set.
    public struct Handler: Sendable {
        fileprivate let token: CancellationToken
        fileprivate let number: Int

        /// Removes the handler, so that a later cancel does not run it. A cancel at the same time may still run it.
        public func remove() { token.remove(number) }
    }

    private let state: Lock<State>

    /// Creates a token that is not cancelled.
    public init() { state = Lock(State()) }

    /// Creates a token that counts its checks and is cancelled at one of them, without running handlers. For tests that
    /// must cancel at a certain moment.
    package init(cancelledAtCheck limit: Int) { state = Lock(State(checks: (0, limit))) }

    /// The number of checks, if they are counted.
    package var checkCount: Int { state.withLock { $0.checks?.made ?? 0 } }

    /// Whether ``cancel()`` was called.
    public var isCancelled: Bool { state.withLock { $0.check() } }

    /// Throws `CancellationError` if ``cancel()`` was called.
    public func check() throws(CancellationError) {
        if isCancelled { throw CancellationError() }
    }

    /// Cancels the work and runs the handlers in the order in which they were set. Later calls do nothing.
    public func cancel() {
        let (first, others) = state.withLock { state in
            state.isCancelled = true
            defer { (state.first, state.others) = (nil, []) }
            return (state.first?.run, state.others.map(\.run))
        }
        first?()
        for handler in others { handler() }
    }

    /// Sets a handler that ``cancel()`` runs once, on its thread. If the token is already cancelled, the handler runs
    /// at once.
    ///
    /// - Returns: the handler, to be removed if the token outlives the work that the handler stops.
    @discardableResult
    public func onCancel(_ handler: @escaping @Sendable () -> Void) -> Handler {
        let (number, isCancelled) = state.withLock { state in
            state.lastNumber += 1
            if !state.isCancelled {
                if state.lastNumber == 1 {
                    state.first = (1, handler)
                } else {
                    state.others.append((state.lastNumber, handler))
                }
            }
            return (state.lastNumber, state.isCancelled)
        }
        if isCancelled { handler() }
        return Handler(token: self, number: number)
    }

    private func remove(_ number: Int) {
        state.withLock { state in
            if state.first?.number == number { state.first = nil }
            state.others.removeAll { $0.number == number }
        }
    }
}
