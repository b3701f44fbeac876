internal import CCalotypeCurl

/// The sockets of HTTP/1 connections. When a connection is used again, the loop first looks for input on it: a server
/// that sends more than its response must not answer the next request. libcurl 7.87 to 8.1 do not check that, and read
/// it as the next response; later versions do not see what OpenSSL has decrypted already.
struct KeptConnections {
    /// The two ends of a connection, which libcurl names before each request. It names no socket there.
    struct Ends: Hashable {
        var remoteAddress: String
        var remotePort: Int32
        var localPort: Int32
    }

    private var sockets: [Ends: curl_socket_t] = [:]

    /// Forgets the connection that had the number of a new socket before, which libcurl has closed.
    mutating func opened(_ socket: curl_socket_t) {
        for (ends, other) in sockets where other == socket { sockets[ends] = nil }
    }

    /// Remembers the HTTP/1 connection with these ends, which has one of the sockets that were opened for it.
    mutating func add(_ ends: Ends, of openedSockets: [curl_socket_t]) {
        sockets[ends] = openedSockets.first { clt_curl_local_port($0) == ends.localPort }
    }

    /// The socket of the connection with these ends; `nil` for a new one and for HTTP/2.
    func socket(of ends: Ends) -> curl_socket_t? { sockets[ends] }
}
