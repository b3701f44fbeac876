#if os(Linux)
    internal import CalotypeSystem

    extension Sockets {
        static let noSignal = Int32(MSG_NOSIGNAL)
        static let peekWithoutWaiting = Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)

        static func makeStreamSocket() -> Int32 {
            socket(AF_INET, CLibrary.streamSocket | CLibrary.closeOnExec, 0)
        }

        static func prepare(_ socket: Int32) {
            var on: Int32 = 1
            _ = unsafe setsockopt(socket, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
        }
    }
#endif
