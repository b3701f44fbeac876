internal import CalotypeSystem

extension LoopbackServer.Connection {
    /// Sends a body without end, a byte every 10 ms, until the client has left.
    package func trickle() throws(LoopbackServer.Disconnected) {
        try writeHeaders(200, headers: [("Transfer-Encoding", "chunked")])
        while true {
            try writeChunk([1])
            usleep(10_000)
        }
    }
}
