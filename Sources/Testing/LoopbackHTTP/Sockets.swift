internal import CalotypeSystem

/// The socket calls of the server.
enum Sockets {
    /// Opens a listening socket on 127.0.0.1, and returns it with its port.
    static func listenOnLoopback() throws(SocketError) -> (socket: Int32, port: Int) {
        let listener = socket(AF_INET, CLibrary.streamSocket, 0)
        guard listener >= 0 else { throw SocketError.last("socket") }
        keepFromChildren(listener)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let call = unsafe withUnsafeMutablePointer(to: &address) { typed in
            unsafe typed.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer -> String? in
                if unsafe bind(listener, pointer, size) != 0 { return "bind" }
                if listen(listener, 1024) != 0 { return "listen" }
                return unsafe getsockname(listener, pointer, &size) != 0 ? "getsockname" : nil
            }
        }
        if let call {
            let error = SocketError.last(call)
            _ = close(listener)
            throw error
        }
        return (listener, Int(UInt16(bigEndian: address.sin_port)))
    }

    /// Blocks until a client connects, and returns its socket, or `nil` when `gate` opens.
    static func accept(from listener: Int32, until gate: LoopbackServer.Gate) -> Int32? {
        while true {
            var polled = [
                pollfd(fd: gate.readEnd, events: Int16(POLLIN), revents: 0),
                pollfd(fd: listener, events: Int16(POLLIN), revents: 0),
            ]
            guard unsafe poll(&polled, nfds_t(polled.count), -1) >= 0 || errno == EINTR, !gate.isOpen else { return nil }
            guard polled[1].revents != 0 else { continue }
            let socket = CLibrary.acceptConnection(listener)
            if socket >= 0 {
                keepFromChildren(socket)
                setOption(IPPROTO_TCP, TCP_NODELAY, of: socket, to: Int32(1))
                #if canImport(Darwin)
                    setOption(SOL_SOCKET, SO_NOSIGPIPE, of: socket, to: Int32(1))
                #endif
                return socket
            }
        }
    }

    /// Blocks until the client closes the connection, and returns `true`, or until a gate opens, and returns `false`.
    static func waitForClose(of socket: Int32, _ secured: (any SecureStream)?, until gates: [LoopbackServer.Gate]) -> Bool {
        var polled = gates.map { pollfd(fd: $0.readEnd, events: Int16(POLLIN), revents: 0) }
        polled.append(pollfd(fd: socket, events: Int16(POLLIN), revents: 0))
        while true {
            guard unsafe poll(&polled, nfds_t(polled.count), -1) >= 0 || errno == EINTR else { return false }
            if gates.contains(where: { $0.isOpen }) { return false }
            guard polled[gates.count].revents != 0 else { continue }
            // With TLS a client sends a close_notify alert before it closes the connection.
            var byte: UInt8 = 0
            let hasEnded = unsafe secured?.hasEnded ?? (recv(socket, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)) <= 0)
            if hasEnded { return true }
            // The client has sent more data, which nothing reads now, so a close could not be seen: wait for the gates
            // alone.
            polled[gates.count].fd = -1
        }
    }

    static func resetOnClose(_ socket: Int32) {
        setOption(SOL_SOCKET, SO_LINGER, of: socket, to: linger(l_onoff: 1, l_linger: 0))
    }

    private static func setOption<Value: BitwiseCopyable>(
        _ level: some BinaryInteger, _ name: Int32, of socket: Int32, to value: Value
    ) {
        var value = value
        _ = unsafe setsockopt(socket, Int32(level), name, &value, socklen_t(MemoryLayout<Value>.size))
    }

    /// Keeps child processes from inheriting a descriptor, which they would hold open.
    static func keepFromChildren(_ descriptor: Int32) { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
}
