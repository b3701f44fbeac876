internal import CalotypeSystem
internal import LoopbackHTTP

/// A request, the image of its URL, and the connection for the response.
struct Exchange {
    let request: LoopbackServer.Request
    let connection: LoopbackServer.Connection
    /// The number of the request among those for the URL, from 1.
    let attempt: Int
    /// The ports of all hosts.
    let ports: [Int]
    let image: StormImage
    let file: [UInt8]
    /// The file of another URL.
    let otherFile: [UInt8]

    var half: Int { file.count / 2 }
    var usual: [String] { ["Content-Type: \(image.type)", "ETag: \(image.entityTag)", "Cache-Control: max-age=60"] }
    var length: String { length(of: file) }
    /// The first byte of the requested range.
    var rangeStart: Int? {
        guard let range = request["Range"], range.hasPrefix("bytes=") else { return nil }
        return Int(range.dropFirst(6).prefix { $0 != "-" })
    }

    func length(of body: some Collection<UInt8>) -> String { "Content-Length: \(body.count)" }

    /// Sends a status line, header lines and a body, and nothing else.
    func send(_ status: String, _ lines: [String], _ body: some Collection<UInt8>) throws {
        try connection.write((["HTTP/1.1 \(status)"] + lines + ["", ""]).joined(separator: "\r\n"))
        try connection.write(Array(body))
    }

    func send(_ status: String, _ lines: [String]) throws { try send(status, lines, []) }

    func send(_ lines: [String], _ body: some Collection<UInt8>) throws { try send("200 OK", lines, body) }

    func send(_ lines: [String]) throws { try send("200 OK", lines, []) }

    func sendFile() throws { try send(usual + [length], file) }

    /// The types and sizes of a body that is not cached.
    func uncached(_ body: some Collection<UInt8>) -> [String] { ["Content-Type: \(image.type)", length(of: body)] }

    /// Responds correctly: with the file, with the rest of it, or with 304.
    func sendProperly() throws {
        if request["If-None-Match"] == image.entityTag { return try send("304 Not Modified", usual) }
        let isSame = request["If-Range"].map { $0 == image.entityTag } ?? true
        if isSame, let start = rangeStart, start < file.count { return try sendRest(from: start) }
        try sendFile()
    }

    func sendRest(from start: Int) throws {
        try send(
            "206 Partial Content",
            usual + ["Content-Range: bytes \(start)-\(file.count - 1)/\(file.count)", length(of: file[start...])], file[start...])
    }

    func sendStatus(_ status: String, _ lines: [String] = []) throws {
        try send(status, lines + ["Content-Type: text/plain", "Content-Length: 5"], Array("sorry".utf8))
    }

    func redirect(_ status: String = "302 Found", to location: String, _ lines: [String] = []) throws {
        try send(status, lines + ["Location: \(location)", "Content-Length: 0"])
    }

    /// Redirects to bytes that need not be text.
    func redirect(to location: [UInt8]) throws {
        try connection.write("HTTP/1.1 302 Found\r\nContent-Length: 0\r\nLocation: ")
        try connection.write(location + Array("\r\n\r\n".utf8))
    }

    func pause(milliseconds: UInt32) { usleep(milliseconds * 1_000) }
}
