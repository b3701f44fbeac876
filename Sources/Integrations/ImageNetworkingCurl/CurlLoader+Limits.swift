extension CurlLoader {
    /// How many transfers of a ``CurlLoader`` run at a time. Counts below 1 count as 1. Further transfers wait in the
    /// order in which they came, whatever their priority, each for at most its
    /// ``ImageCore/DataRequest/timeout``.
    ///
    /// A standard loader takes them from its own limits, so that its fetches wait only in the engine's queue.
    public struct Limits: Hashable, Sendable {
        /// Connections to one host (scheme, name and port); 6.
        public var connectionsPerHost = 6 { didSet { connectionsPerHost = max(1, connectionsPerHost) } }
        /// Connections to all hosts; 64.
        public var connections = 64 { didSet { connections = max(1, connections) } }
        /// Transfers to one host that speaks HTTP/2, where a connection carries many; 100.
        public var streamsPerHost = 100 { didSet { streamsPerHost = max(1, streamsPerHost) } }

        /// The limits above.
        public init() {}
    }
}
