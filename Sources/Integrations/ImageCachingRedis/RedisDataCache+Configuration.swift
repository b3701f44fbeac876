#if Redis
    internal import ImageCaching
    internal import ImageCore

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
            /// The time until the server removes an entry; 30 days by default.
            public var timeToLive = Duration.seconds(30 * 86_400)
            /// The maximum size of an entry with its response headers, in bytes; 16 MB by default. Larger entries are
            /// neither stored nor read.
            public var maximumEntryBytes = 16_000_000
            /// The time that each step may take: connecting, sending, and every wait for more of a reply; 0.25 s by
            /// default. A whole reply may take eight times as long.
            public var timeout = Duration.milliseconds(250)
            /// The number of connections, and so of concurrent commands; 4 by default, at least 1.
            public var connections = 4 { didSet { connections = max(1, connections) } }
            /// Consecutive failures after which requests to the server are paused; 3 by default.
            public var tolerance = 3
            /// The first and the longest pause; 1 to 60 s by default. Each failed attempt after a pause doubles it.
            public var pause = Duration.seconds(1)...Duration.seconds(60)
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

            var backoff: HostBackoff {
                var policy = HostBackoff.Policy()
                policy.failureThreshold = max(1, tolerance)
                (policy.baseDelay, policy.maximumDelay) = (pause.lowerBound, pause.upperBound)
                return HostBackoff(policy)
            }
        }
    }
#endif
