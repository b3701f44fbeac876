package import ImageCore
package import LoopbackHTTP

extension LoopbackServer {
    package func request(
        _ path: String = "/", timeout: Duration = .seconds(300), maximumResponseBytes: Int? = nil, retries: Int? = 0
    ) throws -> DataRequest {
        guard let url = URL(string: url(path)) else { throw Unexpected.path(path) }
        return DataRequest(url: url, timeout: timeout, maximumResponseBytes: maximumResponseBytes, retries: retries)
    }

    /// A server that answers every request with `body`.
    package static func answering(
        _ status: Int = 200, headers: [(name: String, value: String)] = [], body: String
    ) throws -> LoopbackServer {
        try LoopbackServer(serving: { _ in Response(status, headers: headers, body: Array(body.utf8)) })
    }

    /// A response as it is sent over a connection that is kept alive.
    package static func text(of body: String) -> String {
        "HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
    }

    /// A server that writes `text` and closes the connection.
    package static func writing(_ text: String) throws -> LoopbackServer {
        try LoopbackServer { _, connection in
            try connection.write(text)
            connection.close()
        }
    }
}
