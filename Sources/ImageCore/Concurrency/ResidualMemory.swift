/// Memory that cancelled work still uses, because its codec cannot be stopped.
///
/// A decoder creates one, passes it to ``CancellationToken/reportResidualMemory(_:)``, throws `CancellationError`, and calls
/// ``end()`` when the memory is freed. Until then the engine counts it towards `limits.decodingBytes`. Safe to use from any
/// thread.
public final class ResidualMemory: Sendable {
    private struct State {
        var hasEnded = false
        var onEnd: (@Sendable () -> Void)?
    }

    /// The size of the memory in bytes.
    public let bytes: Int
    private let state = Lock(State())

    /// Creates residual memory.
    ///
    /// - Parameter bytes: its size in bytes; a negative value counts as 0.
    public init(bytes: Int) { self.bytes = max(0, bytes) }

    /// Reports that the memory is freed. Later calls do nothing.
    public func end() {
        let handler = state.withLock { state -> (@Sendable () -> Void)? in
            state.hasEnded = true
            defer { state.onEnd = nil }
            return state.onEnd
        }
        handler?()
    }

    /// Sets the handler that ``end()`` calls, on the thread of that call. If the memory is already freed, calls it at once.
    public func onEnd(_ handler: @escaping @Sendable () -> Void) {
        let hasEnded = state.withLock { state in
            if !state.hasEnded { state.onEnd = handler }
            return state.hasEnded
        }
        if hasEnded { handler() }
    }
}
