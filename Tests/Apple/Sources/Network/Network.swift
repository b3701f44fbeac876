// A path monitor that reports the paths that tests pass to it.
public import Dispatch
import Synchronization

public struct NWPath: Sendable {
    public enum Status: Sendable { case satisfied, unsatisfied, requiresConnection }
    public var status = Status.satisfied
    public var isExpensive = false
    public var isConstrained = false
    public init() {}
}

public final class NWPathMonitor: Sendable {
    private struct State {
        var handler: (@Sendable (NWPath) -> Void)?
        var isRunning = false
    }
    private let state = Mutex(State())
    private static let monitors = Mutex<[Weak]>([])
    private struct Weak { weak var monitor: NWPathMonitor? }

    public init() { NWPathMonitor.monitors.withLock { $0.append(Weak(monitor: self)) } }

    public var pathUpdateHandler: (@Sendable (NWPath) -> Void)? {
        get { state.withLock { $0.handler } }
        set { state.withLock { $0.handler = newValue } }
    }

    public func start(queue: DispatchQueue) { state.withLock { $0.isRunning = true } }
    public func cancel() { state.withLock { $0.isRunning = false } }

    /// Calls the handlers of all running monitors, for tests.
    public static func report(_ path: NWPath) {
        for monitor in monitors.withLock({ $0.compactMap(\.monitor) }) {
            monitor.state.withLock { $0.isRunning ? $0.handler : nil }?(path)
        }
    }
}
