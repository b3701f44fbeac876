extension LoopbackServer {
    /// A request that the server received.
    public struct Request: Sendable {
        /// The method, such as `GET`.
        public let method: String
        /// The path and the query, such as `/a.png?w=1`.
        public let target: String
        /// The header fields, in the order in which they arrived.
        public let headers: [(name: String, value: String)]
        /// The body, whose length is the value of `Content-Length`.
        public let body: [UInt8]

        /// The value of the first header field with the name, without regard to case.
        public subscript(name: String) -> String? {
            headers.first { $0.name.lowercased() == name.lowercased() }?.value
        }

        /// The target without its query.
        public var path: String { String(target.prefix { $0 != "?" }) }
    }

    /// A complete response.
    public struct Response: Sendable {
        /// The status code.
        public var status: Int
        /// The header fields, in the order in which they are sent.
        public var headers: [(name: String, value: String)]
        /// The body.
        public var body: [UInt8]

        /// Creates a response. The server adds `Content-Length` when it sends it.
        ///
        /// - Parameters:
        ///   - status: The status code.
        ///   - headers: The header fields. None by default.
        ///   - body: The body. Empty by default.
        public init(_ status: Int, headers: [(name: String, value: String)] = [], body: [UInt8] = []) {
            (self.status, self.headers, self.body) = (status, headers, body)
        }
    }
}
