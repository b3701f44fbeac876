#if canImport(Darwin)
    internal import CalotypeSystem

    extension Sockets {
        static let noSignal: Int32 = 0
        static let peekWithoutWaiting = MSG_PEEK | MSG_DONTWAIT

        static func makeStreamSocket() -> Int32 { socket(AF_INET, SOCK_STREAM, 0) }

        static func prepare(_ socket: Int32) {
            var on: Int32 = 1
            let size = socklen_t(MemoryLayout<Int32>.size)
            _ = unsafe setsockopt(socket, SOL_SOCKET, SO_NOSIGPIPE, &on, size)
            _ = unsafe setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, size)
        }
    }
#endif
