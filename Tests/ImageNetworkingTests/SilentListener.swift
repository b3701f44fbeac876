import ImageCore
import Testing

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A socket whose queue of connections is full: further ones are neither accepted nor refused.
final class SilentListener {
    let url: URL
    private var sockets: [Int32] = []

    init() throws {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        #if os(Linux)
            let (stream, nonBlocking) = (Int32(SOCK_STREAM.rawValue), Int32(O_NONBLOCK))
        #else
            let (stream, nonBlocking) = (SOCK_STREAM, O_NONBLOCK)
        #endif
        let listener = socket(AF_INET, stream, 0)
        sockets.append(listener)
        var clients: [Int32] = []
        let isReady = unsafe withUnsafeMutablePointer(to: &address) { typed in
            unsafe typed.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                guard unsafe bind(listener, pointer, size) == 0, listen(listener, 0) == 0,
                    unsafe getsockname(listener, pointer, &size) == 0
                else { return false }
                for _ in 0..<4 {
                    let client = socket(AF_INET, stream, 0)
                    _ = fcntl(client, F_SETFL, nonBlocking)
                    _ = unsafe connect(client, pointer, size)
                    clients.append(client)
                }
                return true
            }
        }
        sockets += clients
        try #require(isReady)
        url = try #require(URL(string: "http://127.0.0.1:\(UInt16(bigEndian: address.sin_port))/"))
    }

    deinit { for socket in sockets { _ = close(socket) } }
}
