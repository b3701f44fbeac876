import Foundation
import ImageCore
import Testing

import CalotypeSystem

/// A listening socket with a full queue: further connections are neither accepted nor refused.
final class SilentListener {
    let url: URL
    private let listener: BoundSocket
    private var clients: [BoundSocket.Descriptor] = []

    init() throws {
        listener = try BoundSocket()
        url = try listener.url
        try #require(listen(listener.descriptor.number, 0) == 0)
        for _ in 0..<4 {
            let client = BoundSocket.Descriptor()
            _ = fcntl(client.number, F_SETFL, Int32(O_NONBLOCK))
            unsafe listener.withAddress { unsafe _ = connect(client.number, $0, $1) }
            clients.append(client)
        }
    }
}

#if os(Linux)
    extension SilentListener {
        /// The number of local sockets that are connecting to it: those that proc(5) lists with its address in the
        /// state SYN_SENT.
        func connectingClients() throws -> Int {
            let port = String(try #require(url.port), radix: 16, uppercase: true)
            // Files in /proc report no length, which `String(contentsOf:)` relies on.
            let file = try #require(FileHandle(forReadingAtPath: "/proc/net/tcp"))
            let table = String(decoding: try file.readToEnd() ?? Data(), as: UTF8.self)
            return table.split(separator: "\n").count { line in
                let columns = line.split(separator: " ")
                return columns.count > 3 && columns[2].hasSuffix(":" + String(repeating: "0", count: 4 - port.count) + port)
                    && columns[3] == "02"
            }
        }
    }
#endif

/// A bound port without a listener: connections to it are refused, and no other process gets it.
final class RefusingPort {
    let url: URL
    private let socket: BoundSocket

    init() throws {
        socket = try BoundSocket()
        url = try socket.url
    }
}

/// A socket on the IPv4 loopback address with a free port.
private final class BoundSocket {
    /// Closed with the last reference.
    final class Descriptor {
        let number: Int32

        init() {
            #if os(Linux)
                number = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            #else
                number = socket(AF_INET, SOCK_STREAM, 0)
            #endif
        }

        deinit { _ = close(number) }
    }

    let descriptor = Descriptor()
    private var address = sockaddr_in()

    init() throws {
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let number = descriptor.number
        let isBound = unsafe withAddress { pointer, size in
            var size = size
            return unsafe bind(number, pointer, size) == 0 && getsockname(number, pointer, &size) == 0
        }
        try #require(isBound)
    }

    var url: URL { get throws { try #require(URL(string: "http://127.0.0.1:\(UInt16(bigEndian: address.sin_port))/")) } }

    func withAddress<R>(_ body: (UnsafeMutablePointer<sockaddr>, socklen_t) -> R) -> R {
        unsafe withUnsafeMutablePointer(to: &address) { typed in
            unsafe typed.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }
}
