internal import ImageCore

/// The maximum number of bytes that the two sockets of a local connection hold between sender and reader.
package func mostInSockets() -> Int {
    #if os(Linux)
        // tcp(7): the minimum, the default and the maximum size of the buffers of a connection.
        func most(_ file: String) -> Int? {
            let text = try? String(contentsOf: URL(filePath: "/proc/sys/net/ipv4/\(file)"), encoding: .utf8)
            return text?.split(whereSeparator: \.isWhitespace).last.flatMap { Int($0) }
        }
        if let receiving = most("tcp_rmem"), let sending = most("tcp_wmem") { return receiving + sending }
    #endif
    return 16 << 20
}
