#if Redis
    internal import ImageCaching
    public import ImageCore

    extension RedisDataCache {
        /// The address of a server, and how the cache uses it.
        public struct Configuration: Sendable {
            /// The address of a server.
            public enum Address: Hashable, Sendable, CustomStringConvertible {
                /// A host name or an IP address, and a port. The system looks up names, with its own time limits.
                case host(String, port: Int)
                /// The path of a Unix domain socket.
                case socket(String)

                /// The host and port, or the path.
                public var description: String {
                    switch self {
                    case .host(let name, let port): "\(name):\(port)"
                    case .socket(let path): path
                    }
                }
            }

            /// The address of the server.
            public var address: Address
            /// The name of the account; `nil`, the default, for servers without accounts.
            public var user: String?
            /// The password; `nil`, the default, for none.
            public var password: String?
            /// The number of the database; 0 by default.
            public var database = 0
            /// The prefix of all keys; `calotype:` by default. ``removeAll()`` removes all keys with this prefix.
            public var prefix = "calotype:"
            /// Seconds until the server removes an entry; 30 days by default.
            public var timeToLive = 30 * 86_400.0
            /// The maximum size of an entry with its response headers, in bytes; 16 MB by default. Larger entries are neither stored
            /// nor read.
            public var largestEntry = 16_000_000
            /// Seconds that each step may take: connecting, sending, and every wait for more of a reply; 0.25 by default. A whole
            /// reply may take eight times as long.
            public var timeout = 0.25
            /// The number of connections, and so of concurrent commands; 4 by default, at least 1.
            public var connections = 4 { didSet { connections = max(1, connections) } }
            /// Consecutive failures after which requests to the server are paused; 3 by default.
            public var tolerance = 3
            /// The first and the longest pause, in seconds; 1 to 60 by default. Each failed attempt after a pause doubles it.
            public var pause = 1.0...60.0
            /// A monotonic clock in seconds; by default the system's clock.
            public var now: @Sendable () -> Double = SystemClock.uptime
            /// Called once with a message, on a queue of the cache, when requests are paused for the first time.
            public var onWarning: @Sendable (String) -> Void = { _ in }

            /// Creates a configuration with default values for everything else.
            ///
            /// - Parameters:
            ///   - address: the address of the server.
            ///   - user: the name of the account; `nil` for servers without accounts.
            ///   - password: the password; `nil` for none.
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

        /// Counters of the operations of this cache since it was created.
        public struct Statistics: Hashable, Sendable {
            /// Lookups that found an entry.
            public var hits = 0
            /// Lookups that found no entry.
            public var misses = 0
            /// Entries that the server has stored.
            public var stores = 0
            /// Entries that were too large or could not be stored.
            public var lostStores = 0
            /// Commands that failed, without those that were not sent during a pause.
            public var failures = 0

            /// Creates statistics of zeros.
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
