extension LoopbackServer {
    /// One request as it came in.
    public struct Request: Sendable {
        /// Such as `GET`.
        public let method: String
        /// Path and query, such as `/a.png?w=1`.
        public let target: String
        /// In the order they came.
        public let headers: [(name: String, value: String)]
        /// As many bytes as `Content-Length` announced.
        public let body: [UInt8]

        /// The first header field of that name, in any case.
        public subscript(name: String) -> String? {
            headers.first { $0.name.lowercased() == name.lowercased() }?.value
        }

        /// The target up to its query.
        public var path: String { String(target.prefix { $0 != "?" }) }
    }

    /// A whole, honest response.
    public struct Response: Sendable {
        public var status: Int
        public var headers: [(name: String, value: String)]
        public var body: [UInt8]

        /// `Content-Length` is added when it is sent.
        public init(_ status: Int, headers: [(name: String, value: String)] = [], body: [UInt8] = []) {
            self.status = status
            self.headers = headers
            self.body = body
        }
    }
}

/// Reads requests off one connection, head by head.
struct RequestReader {
    private static let largestHead = 256 << 10
    private static let largestBody = 64 << 20

    private let connection: LoopbackServer.Connection
    private var buffer: [UInt8] = []

    init(_ connection: LoopbackServer.Connection) { self.connection = connection }

    /// The next request; `nil` when the client closed, or sent what is no request.
    mutating func next() -> LoopbackServer.Request? {
        var scanned = 0
        var end = headEnd(from: &scanned)
        while end == nil {
            guard buffer.count < Self.largestHead, fill() else { return nil }
            end = headEnd(from: &scanned)
        }
        guard let end else { return nil }
        let lines = String(decoding: buffer[..<end], as: UTF8.self).split(separator: "\r\n")
        buffer.removeFirst(end)
        guard let words = lines.first?.split(separator: " "), words.count == 3 else { return nil }
        let headers = lines.dropFirst().map { line in
            let name = line.prefix { $0 != ":" }
            return (name: String(name), value: line.dropFirst(name.count + 1).trimmingSpaces())
        }
        let length = headers.first { $0.name.lowercased() == "content-length" }.flatMap { Int($0.value) } ?? 0
        guard (0...Self.largestBody).contains(length) else { return nil }
        while buffer.count < length {
            guard fill() else { return nil }
        }
        let body = Array(buffer.prefix(length))
        buffer.removeFirst(length)
        return LoopbackServer.Request(method: String(words[0]), target: String(words[1]), headers: headers, body: body)
    }

    private mutating func fill() -> Bool {
        guard let bytes = connection.read() else { return false }
        buffer += bytes
        return true
    }

    /// Where the head ends, the empty line included. `scanned` bytes are known to hold no end.
    private func headEnd(from scanned: inout Int) -> Int? {
        var index = max(scanned, 3)
        while index < buffer.count {
            if buffer[index] == 10, buffer[index - 1] == 13, buffer[index - 2] == 10, buffer[index - 3] == 13 { return index + 1 }
            index += 1
        }
        scanned = index
        return nil
    }
}

extension Substring {
    fileprivate func trimmingSpaces() -> String {
        var text = self
        while text.first == " " { text.removeFirst() }
        while text.last == " " { text.removeLast() }
        return String(text)
    }
}
