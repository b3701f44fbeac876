public import ImageCore

/// Watches the network of this machine. It begins when ``status`` or ``updates`` is read for the first time; until then
/// it costs nothing.
///
/// On Linux it listens to the kernel (rtnetlink) on its own thread: the network is reachable while a running link other
/// than the loopback one has a route. The kernel does not know whether it is expensive or constrained; set that by
/// hand. On Apple platforms the system reports all of it.
///
/// ```swift
/// NetworkMonitor.shared.setExpensive(true)  // on a metered network
/// for await status in NetworkMonitor.shared.updates {
///     print(status.isReachable ? "online" : "offline")
/// }
/// ```
public final class NetworkMonitor: Sendable {
    fileprivate struct State {
        var status: NetworkStatus
        var isExpensive: Bool?
        var isConstrained: Bool?
        var nextID = 0
        var listeners: [Int: AsyncStream<NetworkStatus>.Continuation] = [:]
    }

    /// Whether the system is watched.
    private enum Watching: Sendable {
        case never
        case notYet
        case since(NetworkWatcher?)
    }

    /// The monitor that standard loaders share.
    public static let shared = NetworkMonitor()

    private let state: Lock<State>
    private let watching: Lock<Watching>

    /// Creates a monitor that watches the system from its first use on.
    public convenience init() { self.init(NetworkStatus(), .notYet) }

    /// Watches nothing: the status is what ``report(_:)`` sets. For tests, and for programs that know the network
    /// better.
    public convenience init(status: NetworkStatus) { self.init(status, .never) }

    private init(_ status: NetworkStatus, _ watching: Watching) {
        state = Lock(State(status: status))
        self.watching = Lock(watching)
    }

    deinit {
        for listener in state.withLock({ Array($0.listeners.values) }) { listener.finish() }
    }

    private func change(_ body: @Sendable (inout State) -> Void) {
        // Yielded under the lock, which keeps the changes in order; a stream's buffer takes them without calling
        // foreign code.
        state.withLock { state in
            let before = state.effectiveStatus
            body(&state)
            guard state.effectiveStatus != before else { return }
            for listener in state.listeners.values { listener.yield(state.effectiveStatus) }
        }
    }

    /// Begins to watch the system, unless that has begun. A status that was reported before is replaced.
    private func start() {
        watching.withLock { watching in
            guard case .notYet = watching else { return }
            report(NetworkWatcher.current)
            watching = .since(NetworkWatcher { [weak self] in self?.report($0) })
        }
    }

    /// Whether the system is watched, which takes a thread on Linux.
    package var isWatching: Bool { watching.withLock { if case .since = $0 { true } else { false } } }

    /// The network as it is now.
    public var status: NetworkStatus {
        start()
        return state.withLock { $0.effectiveStatus }
    }

    /// The network as it is now, and then every change. A reader that is slow gets the latest; the sequence ends with
    /// the monitor. Each access returns a new sequence.
    public var updates: AsyncStream<NetworkStatus> {
        start()
        return passiveUpdates
    }

    /// ``updates``, without watching the system until another use begins that: for a loader that has not used the
    /// network yet.
    package var passiveUpdates: AsyncStream<NetworkStatus> {
        AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let id = state.withLock { state in
                state.nextID += 1
                state.listeners[state.nextID] = continuation
                continuation.yield(state.effectiveStatus)
                return state.nextID
            }
            continuation.onTermination = { [weak self] _ in self?.state.withLock { _ = $0.listeners.removeValue(forKey: id) } }
        }
    }

    /// Sets by hand whether the network is expensive; `nil` leaves it to the system.
    public func setExpensive(_ isExpensive: Bool?) { change { $0.isExpensive = isExpensive } }

    /// Sets by hand whether the network is constrained, as in low-data mode; `nil` leaves it to the system.
    public func setConstrained(_ isConstrained: Bool?) { change { $0.isConstrained = isConstrained } }

    /// Sets the status, in place of the system.
    public func report(_ status: NetworkStatus) { change { $0.status = status } }

    /// Returns when the status fulfils the condition.
    ///
    /// - Throws: `CancellationError`.
    func wait(until condition: @Sendable (NetworkStatus) -> Bool) async throws {
        for await status in updates where condition(status) { return }
        try Task.checkCancellation()
    }
}

extension NetworkMonitor.State {
    /// The status with what was set by hand.
    fileprivate var effectiveStatus: NetworkStatus {
        NetworkStatus(
            isReachable: status.isReachable, isExpensive: isExpensive ?? status.isExpensive,
            isConstrained: isConstrained ?? status.isConstrained)
    }
}
