extension CurlLoader {
    /// How many transfers of a ``CurlLoader`` run at a time. Counts below 1 count as 1. Further transfers wait in the order in which
    /// they came, whatever their priority; ``ImageCore/DataRequest/timeout`` includes the wait.
    ///
    /// A standard loader takes them from its own limits, so that its fetches wait only in the engine's queue.
    public struct Limits: Hashable, Sendable {
        /// Connections to one host (scheme, name and port); 6.
        public var connectionsPerHost = 6
        /// Connections to all hosts; 64.
        public var connections = 64
        /// Transfers to one host that speaks HTTP/2, where a connection carries many; 100.
        public var streamsPerHost = 100

        /// The limits above.
        public init() {}

        var atLeastOne: Limits {
            var limits = self
            limits.connectionsPerHost = max(1, connectionsPerHost)
            limits.connections = max(1, connections)
            limits.streamsPerHost = max(1, streamsPerHost)
            return limits
        }
    }
}
