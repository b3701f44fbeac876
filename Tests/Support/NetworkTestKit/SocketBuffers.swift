internal import ImageCore

/// The most bytes that the two sockets of a connection on this machine hold that were sent and not read.
package func mostInSockets() -> Int {
    #if os(Linux)
        // tcp(7): the least, the default, and the most that the kernel lets the buffers of a connection grow to.
        func most(_ file: String) -> Int? {
            let text = try? String(contentsOf: URL(filePath: "/proc/sys/net/ipv4/\(file)"), encoding: .utf8)
            return text?.split(whereSeparator: \.isWhitespace).last.flatMap { Int($0) }
        }
        if let receiving = most("tcp_rmem"), let sending = most("tcp_wmem") { return receiving + sending }
    #endif
    return 16 << 20
}
