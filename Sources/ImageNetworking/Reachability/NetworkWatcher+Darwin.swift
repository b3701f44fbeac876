#if canImport(Network)
    internal import Dispatch
    internal import ImageCore
    internal import Network

    /// Reports the network's status whenever the system does.
    final class NetworkWatcher: Sendable {
        private let monitor = NWPathMonitor()

        init?(_ report: @escaping @Sendable (NetworkStatus) -> Void) {
            monitor.pathUpdateHandler = { path in
                report(
                    NetworkStatus(
                        isReachable: path.status != .unsatisfied, isExpensive: path.isExpensive,
                        isConstrained: path.isConstrained))
            }
            monitor.start(queue: DispatchQueue(label: "calotype.network-monitor"))
        }

        deinit { monitor.cancel() }

        /// Until the system's first report.
        static var current: NetworkStatus { NetworkStatus() }
    }
#endif
