#if Redis
    internal import ImageCaching
    public import ImageCore

    extension RedisDataCache {
        /// Where a server is, and how it is used.
        public struct Configuration: Sendable {
            public enum Address: Hashable, Sendable, CustomStringConvertible {
                /// A name or an address, and a port. Names are looked up by the system, which has time limits of its own.
                case host(String, port: Int)
                /// A Unix domain socket.
                case socket(String)

                public var description: String {
                    switch self {
                    case .host(let name, let port): "\(name):\(port)"
                    case .socket(let path): path
                    }
                }
            }

            public var address: Address
            /// `nil`, the default, for servers without accounts or with a password only.
            public var user: String?
            public var password: String?
            /// The number of the database; 0.
            public var database = 0
            /// What all names begin with; `calotype:`. What ``removeAll()`` removes.
            public var prefix = "calotype:"
            /// Seconds after which the server forgets an entry; 30 days.
            public var timeToLive = 30 * 86_400.0
            /// Bytes of one value, its head included; 16 MB. Larger entries are not stored, and not read.
            public var largestEntry = 16_000_000
            /// Seconds that connecting, sending or waiting for more of an answer may take each; 0.25. All of an answer may take
            /// eight times as long.
            public var timeout = 0.25
            /// Connections, and so commands at a time; 4, at least 1.
            public var connections = 4 { didSet { connections = max(1, connections) } }
            /// Failures in a row after which the server is left alone; 3.
            public var tolerance = 3
            /// Seconds for which it is then left alone at first, doubled with every failed trial; 1 to 60.
            public var pause = 1.0...60.0
            /// Seconds that only grow; by default the system's clock.
            public var now: @Sendable () -> Double = SystemClock.uptime
            /// Told once, with a sentence, when the server is left alone for the first time. Called on a queue of the cache.
            public var onWarning: @Sendable (String) -> Void = { _ in }

            public init(address: Address, user: String? = nil, password: String? = nil) {
                (self.address, self.user, self.password) = (address, user, password)
            }

            var breaker: CircuitBreaker {
                var policy = CircuitBreaker.Policy()
                policy.failureThreshold = max(1, tolerance)
                (policy.openDuration, policy.maximumOpenDuration) = (.seconds(pause.lowerBound), .seconds(pause.upperBound))
                return CircuitBreaker(policy)
            }
        }

        /// What a shared cache did.
        public struct Statistics: Hashable, Sendable {
            public var hits = 0
            public var misses = 0
            public var stores = 0
            /// Entries that did not reach the server, or were too large.
            public var lostStores = 0
            /// Commands that failed; those that were not even tried do not count.
            public var failures = 0

            public init() {}
        }

        public var cacheStatistics: [CacheStatistics] {
            let own = statistics
            var result = CacheStatistics(name: "shared")
            (result.hits, result.misses) = (own.hits, own.misses)
            (result.stores, result.refusals) = (own.stores, own.lostStores)
            return [result]
        }
    }
#endif
