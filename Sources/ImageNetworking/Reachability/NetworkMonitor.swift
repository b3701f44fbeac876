public import ImageCore

/// Watches the network of this machine.
///
/// On Linux it listens to the kernel (rtnetlink) on a thread of its own: the network is reachable while a running link other
/// than the loopback one has a route. Whether it is expensive or constrained the kernel does not know; set that by hand. On
/// Apple platforms the system tells all of it.
///
/// ```swift
/// let monitor = NetworkMonitor()
/// for await status in monitor.updates {
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

    /// What the watcher's thread holds, so that a dropped monitor ends.
    fileprivate final class Core: Sendable {
        let state: Lock<State>

        init(_ status: NetworkStatus) { state = Lock(State(status: status)) }

        func change(_ body: @Sendable (inout State) -> Void) {
            // Told under the lock, which puts the news in order; a stream's buffer takes it at once and calls nobody.
            state.withLock { state in
                let before = state.seen
                body(&state)
                guard state.seen != before else { return }
                for listener in state.listeners.values { listener.yield(state.seen) }
            }
        }
    }

    private let core: Core
    private let watcher: NetworkWatcher?

    /// Watches the system.
    public convenience init() {
        self.init(NetworkWatcher.current) { report in NetworkWatcher(report) }
    }

    /// Watches nothing: the status is what ``report(_:)`` says. For tests, and for systems that know better.
    public convenience init(status: NetworkStatus) { self.init(status) { _ in nil } }

    private init(
        _ status: NetworkStatus, watch: (@escaping @Sendable (NetworkStatus) -> Void) -> NetworkWatcher?
    ) {
        let core = Core(status)
        self.core = core
        watcher = watch { [weak core] status in core?.change { $0.status = status } }
    }

    deinit {
        for listener in core.state.withLock({ Array($0.listeners.values) }) { listener.finish() }
    }

    /// The network as it is now.
    public var status: NetworkStatus { core.state.withLock { $0.seen } }

    /// The network as it is now, and then every change. A reader that is slow gets the latest; the sequence ends with the
    /// monitor. There may be any number of readers, each with a sequence of its own.
    public var updates: AsyncStream<NetworkStatus> {
        AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let id = core.state.withLock { state in
                state.nextID += 1
                state.listeners[state.nextID] = continuation
                continuation.yield(state.seen)
                return state.nextID
            }
            continuation.onTermination = { [weak core] _ in core?.state.withLock { _ = $0.listeners.removeValue(forKey: id) } }
        }
    }

    /// Sets by hand whether the network is expensive; `nil` leaves it to the system.
    public func setExpensive(_ isExpensive: Bool?) { core.change { $0.isExpensive = isExpensive } }

    /// Sets by hand whether the network is to be spared; `nil` leaves it to the system.
    public func setConstrained(_ isConstrained: Bool?) { core.change { $0.isConstrained = isConstrained } }

    /// Says what the network is like, in place of the system.
    public func report(_ status: NetworkStatus) { core.change { $0.status = status } }

    /// Returns when the network is as asked for.
    ///
    /// - Throws: `CancellationError`.
    func wait(until condition: @Sendable (NetworkStatus) -> Bool) async throws {
        for await status in updates where condition(status) { return }
        try Task.checkCancellation()
    }
}

extension NetworkMonitor.State {
    /// The status with what was set by hand.
    fileprivate var seen: NetworkStatus {
        NetworkStatus(
            isReachable: status.isReachable, isExpensive: isExpensive ?? status.isExpensive,
            isConstrained: isConstrained ?? status.isConstrained)
    }
}
