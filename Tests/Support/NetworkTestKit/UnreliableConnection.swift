internal import CalotypeSystem
internal import Dispatch
internal import ImageCore
package import LoopbackHTTP

/// A proxy between a client and a server on this machine, which forwards bytes in both directions. A test can break the
/// connection in the middle of a body and restore it.
package final class UnreliableConnection: Sendable {
    private struct State {
        var isUp = true
        /// How many more bytes the server may send before the connection breaks; `nil` for no limit.
        var bytesLeft: Int?
    }

    private let state: Lock<State>

    package init(breaksAfter bytes: Int? = nil) { state = Lock(State(bytesLeft: bytes)) }

    package var isUp: Bool { state.withLock { $0.isUp } }

    /// Restores the connection permanently.
    package func restore() { state.withLock { $0 = State() } }

    /// Connects a client to the server at `port`, until one of them closes or the connection breaks. Blocks the
    /// client's thread.
    package func carry(_ connection: LoopbackServer.Connection, to port: Int) throws {
        guard isUp, let server = Self.connect(to: port) else { return connection.reset() }
        let isDone = DispatchSemaphore(value: 0)
        let isStarted = DetachedThread.start { [self] in
            while let bytes = Self.read(server) {
                let allowed = pass(bytes.count)
                guard (try? connection.write(Array(bytes.prefix(allowed)))) != nil, allowed == bytes.count else { break }
            }
            // The client reads the forwarded bytes, and closes.
            connection.close()
            _ = shutdown(server, Int32(SHUT_RDWR))
            isDone.signal()
        }
        guard isStarted else {
            _ = close(server)
            return connection.reset()
        }
        while isUp, let bytes = connection.read(), Self.write(bytes, to: server) {}
        _ = shutdown(server, Int32(SHUT_RDWR))
        isDone.wait()
        _ = close(server)
    }

    /// The number of bytes, at most `count`, that are still forwarded.
    private func pass(_ count: Int) -> Int {
        state.withLock { state in
            guard state.isUp else { return 0 }
            guard let left = state.bytesLeft else { return count }
            state.bytesLeft = max(0, left - count)
            state.isUp = count <= left
            return min(count, left)
        }
    }

    private static func connect(to port: Int) -> Int32? {
        let socket = socket(AF_INET, CLibrary.streamSocket, 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isConnected = unsafe withUnsafePointer(to: &address) { typed in
            unsafe typed.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe connectSocket(socket, $0, size) == 0 }
        }
        guard isConnected else {
            _ = close(socket)
            return nil
        }
        return socket
    }

    private static func read(_ socket: Int32) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: 16 << 10)
        let count = unsafe recv(socket, &bytes, bytes.count, 0)
        return count > 0 ? Array(bytes[..<count]) : nil
    }

    private static func write(_ bytes: [UInt8], to socket: Int32) -> Bool {
        var sent = 0
        while sent < bytes.count {
            let count = unsafe bytes[sent...].withUnsafeBytes { unsafe send(socket, $0.baseAddress, $0.count, noSignal) }
            guard count > 0 else { return false }
            sent += count
        }
        return true
    }

    #if os(Linux)
        private static let noSignal = Int32(MSG_NOSIGNAL)
    #else
        private static let noSignal: Int32 = 0
    #endif
}

/// connect(2), which a method of that name would hide.
private func connectSocket(_ socket: Int32, _ address: UnsafePointer<sockaddr>, _ size: socklen_t) -> Int32 {
    unsafe connect(socket, address, size)
}
