/// Tells long synchronous work that nobody wants its result any more.
///
/// The engine makes one per decode or processing job and cancels it when the job's last subscriber leaves. Plug-ins
/// look at it between rows, blocks or chunks. Safe to use from any thread.
public final class CancellationToken: Sendable {
    private struct State {
        var isCancelled = false
        var onCancel: (@Sendable () -> Void)?
        /// Of the calls that wait inside ``withHandler(_:operation:)``, by their number.
        var waiting: [Int: @Sendable () -> Void] = [:]
        var next = 0
        var remainder: CancelledRemainder?
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

    private let state: Lock<State>

    public init() { state = Lock(State()) }

    /// For tests of work that looks at it, which have no other way to cancel at a certain moment: counts the looks, and is
    /// cancelled at that one, without handlers.
    package init(cancelledAtLook limit: Int) { state = Lock(State(looks: (0, limit))) }

    /// How often it was looked at, where that is counted.
    package var looks: Int { state.withLock { $0.looks?.made ?? 0 } }

    /// Whether ``cancel()`` was called.
    public var isCancelled: Bool { state.withLock { $0.look() } }

    /// Throws `CancellationError` once ``cancel()`` was called.
    public func check() throws(CancellationError) {
        if isCancelled { throw CancellationError() }
    }

    /// Marks the work as unwanted and runs the handlers that are set. Later calls do nothing.
    public func cancel() {
        let handlers = state.withLock { state -> [@Sendable () -> Void] in
            guard !state.isCancelled else { return [] }
            state.isCancelled = true
            defer { (state.onCancel, state.waiting) = (nil, [:]) }
            return (state.onCancel.map { [$0] } ?? []) + state.waiting.values
        }
        for handler in handlers { handler() }
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

    /// Runs `operation`, and `handler` besides if the token is cancelled meanwhile or was before: for work that waits. Several
    /// calls may be under way at once, and ``onCancel(_:)`` is another matter.
    public func withHandler<R>(_ handler: @escaping @Sendable () -> Void, operation: () throws -> R) rethrows -> R {
        let number = state.withLock { state -> Int? in
            guard !state.isCancelled else { return nil }
            state.next += 1
            state.waiting[state.next] = handler
            return state.next
        }
        guard let number else {
            handler()
            return try operation()
        }
        defer { state.withLock { state in _ = state.waiting.removeValue(forKey: number) } }
        return try operation()
    }

    /// Says, before the work throws its `CancellationError`, that a codec which cannot be stopped still holds memory for it.
    public func leaveBehind(_ remainder: CancelledRemainder) { state.withLock { $0.remainder = remainder } }

    /// What the work has left behind since the last call, for whoever bounds the memory of all work together.
    public func takeRemainder() -> CancelledRemainder? {
        state.withLock { state in
            defer { state.remainder = nil }
            return state.remainder
        }
    }
}
