/// Reads requests from a connection.
struct RequestReader {
    private static let maximumHeaderBytes = 256 << 10
    private static let maximumBodyBytes = 64 << 20
    private static let emptyLine = Array("\r\n\r\n".utf8)

    private let connection: LoopbackServer.Connection
    private var buffer: [UInt8] = []

    init(_ connection: LoopbackServer.Connection) { self.connection = connection }

    /// Returns the next request, or `nil` when the client disconnects or sends something else.
    mutating func next() -> LoopbackServer.Request? {
        var end = buffer.firstRange(of: Self.emptyLine)
        while end == nil {
            guard buffer.count < Self.maximumHeaderBytes, fill() else { return nil }
            end = buffer.firstRange(of: Self.emptyLine)
        }
        guard let end = end?.upperBound else { return nil }
        let lines = String(decoding: buffer[..<end], as: UTF8.self).split(separator: "\r\n")
        buffer.removeFirst(end)
        guard let words = lines.first?.split(separator: " "), words.count == 3 else { return nil }
        let headers = lines.dropFirst().map { line in
            let name = line.prefix { $0 != ":" }
            return (name: String(name), value: String(line.dropFirst(name.count + 1).drop { $0 == " " }))
        }
        let length = headers.first { $0.name.lowercased() == "content-length" }.flatMap { Int($0.value) } ?? 0
        guard (0...Self.maximumBodyBytes).contains(length) else { return nil }
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
}
