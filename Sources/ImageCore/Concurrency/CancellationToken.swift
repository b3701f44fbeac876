/// Tells long synchronous work that nobody wants its result any more.
///
/// The engine makes one per decode or processing job and cancels it when the job's last subscriber leaves. Plug-ins
/// look at it between rows, blocks or chunks. Safe to use from any thread.
public final class CancellationToken: Sendable {
    private struct State {
        var isCancelled = false
        /// In the order in which they were set. Nearly always there is one, which takes no array.
        var first: (number: Int, run: @Sendable () -> Void)?
        var others: [(number: Int, run: @Sendable () -> Void)] = []
        var last = 0
        var residualMemory: ResidualMemory?
        /// How often it was looked at, and at which look it is found cancelled; `nil` where nobody counts.
        var looks: (made: Int, limit: Int)?
        /// Looks, and counts that.
        mutating func look() -> Bool {
            if let made = looks?.made {
                looks?.made = made + 1
                if made + 1 == looks?.limit { isCancelled = true }
            }
            return isCancelled
        }
    }

    /// Names a handler that ``CancellationToken/onCancel(_:)`` has set.
    public struct Handler: Sendable {
        fileprivate let token: CancellationToken
        fileprivate let number: Int

        /// Takes the handler back, when what it is for is over: a cancel that comes later does not run it. One that is coming
        /// at this moment may.
        public func remove() { token.remove(number) }
    }

    private let state: Lock<State>

    public init() { state = Lock(State()) }

    /// For tests of work that looks at it, which have no other way to cancel at a certain moment: counts the looks, and is
    /// cancelled at that one, without handlers.
    package init(cancelledAtCheck limit: Int) { state = Lock(State(looks: (0, limit))) }

    /// How often it was looked at, where that is counted.
    package var checkCount: Int { state.withLock { $0.looks?.made ?? 0 } }

    /// Whether ``cancel()`` was called.
    public var isCancelled: Bool { state.withLock { $0.look() } }

    /// Throws `CancellationError` once ``cancel()`` was called.
    public func check() throws(CancellationError) {
        if isCancelled { throw CancellationError() }
    }

    /// Marks the work as unwanted and runs the handlers that are set, in the order in which they were. Later calls do nothing.
    public func cancel() {
        let (first, others) = state.withLock { state in
            state.isCancelled = true
            defer { (state.first, state.others) = (nil, []) }
            return (state.first?.run, state.others.map(\.run))
        }
        first?()
        for handler in others { handler() }
    }

    /// Has ``cancel()`` run a handler, once, on its thread. It runs here and now when the token is cancelled already, so a
    /// cancel that arrives before its start is not lost. Any number may be set.
    ///
    /// - Returns: what takes the handler back. To be used where the token outlives what the handler is for.
    @discardableResult
    public func onCancel(_ handler: @escaping @Sendable () -> Void) -> Handler {
        let (number, isLate) = state.withLock { state in
            state.last += 1
            if !state.isCancelled {
                if state.last == 1 { state.first = (1, handler) } else { state.others.append((state.last, handler)) }
            }
            return (state.last, state.isCancelled)
        }
        if isLate { handler() }
        return Handler(token: self, number: number)
    }

    private func remove(_ number: Int) {
        state.withLock { state in
            if state.first?.number == number { state.first = nil }
            state.others.removeAll { $0.number == number }
        }
    }

    /// Says, before the work throws its `CancellationError`, that a codec which cannot be stopped still holds memory for it.
    public func reportResidualMemory(_ memory: ResidualMemory) { state.withLock { $0.residualMemory = memory } }

    /// What the work has left behind since the last call, for whoever bounds the memory of all work together.
    public func takeResidualMemory() -> ResidualMemory? {
        state.withLock { state in
            defer { state.residualMemory = nil }
            return state.residualMemory
        }
    }
}
