/// Memory that cancelled work goes on to hold for a while: that of a codec which cannot be stopped, and ends by itself.
///
/// A decoder makes one, hands it to ``CancellationToken/reportResidualMemory(_:)``, throws, and calls ``end()`` once the memory is
/// freed. The engine counts it towards `limits.decodingBytes` until then. Safe to use from any thread.
public final class ResidualMemory: Sendable {
    private struct State {
        var hasEnded = false
        var onEnd: (@Sendable () -> Void)?
    }

    /// What is held, in bytes.
    public let bytes: Int
    private let state = Lock(State())

    /// - Parameter bytes: at least 0.
    public init(bytes: Int) { self.bytes = max(0, bytes) }

    /// The memory is free. Later calls do nothing.
    public func end() {
        let handler = state.withLock { state -> (@Sendable () -> Void)? in
            state.hasEnded = true
            defer { state.onEnd = nil }
            return state.onEnd
        }
        handler?()
    }

    /// Sets the one handler that ``end()`` runs; it runs here and now where that was called already.
    public func onEnd(_ handler: @escaping @Sendable () -> Void) {
        let isLate = state.withLock { state in
            if !state.hasEnded { state.onEnd = handler }
            return state.hasEnded
        }
        if isLate { handler() }
    }
}
