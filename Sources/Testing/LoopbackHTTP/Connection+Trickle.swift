internal import CalotypeSystem

extension LoopbackServer.Connection {
    /// Sends response headers and an endless body, one byte every 10 ms, until the client disconnects.
    package func trickle() throws(LoopbackServer.Disconnected) {
        try writeHeaders(200, headers: [("Transfer-Encoding", "chunked")])
        while true {
            try writeChunk([1])
            usleep(10_000)
        }
    }
}
