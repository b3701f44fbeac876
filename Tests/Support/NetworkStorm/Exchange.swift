internal import CalotypeSystem
internal import LoopbackHTTP

/// One request, what belongs to its URL, and the connection to answer on.
struct Exchange {
    let request: LoopbackServer.Request
    let connection: LoopbackServer.Connection
    /// Of all requests for the URL, from 1.
    let attempt: Int
    let port: Int
    let image: StormImage
    let file: [UInt8]
    /// The file of another URL.
    let otherFile: [UInt8]

    var half: Int { file.count / 2 }
    var usual: [String] { ["Content-Type: \(image.type)", "ETag: \(image.entityTag)", "Cache-Control: max-age=60"] }
    var length: String { length(of: file) }
    /// The first byte that the request asks for.
    var rangeStart: Int? {
        guard let range = request["Range"], range.hasPrefix("bytes=") else { return nil }
        return Int(range.dropFirst(6).prefix { $0 != "-" })
    }

    func length(of body: some Collection<UInt8>) -> String { "Content-Length: \(body.count)" }

    /// Sends a status line, these header lines, and these bytes; nothing is added.
    func send(_ status: String, _ lines: [String], _ body: some Collection<UInt8>) throws {
        try connection.write((["HTTP/1.1 \(status)"] + lines + ["", ""]).joined(separator: "\r\n"))
        try connection.write(Array(body))
    }

    func send(_ status: String, _ lines: [String]) throws { try send(status, lines, []) }

    func send(_ lines: [String], _ body: some Collection<UInt8>) throws { try send("200 OK", lines, body) }

    func send(_ lines: [String]) throws { try send("200 OK", lines, []) }

    func sendFile() throws { try send(usual + [length], file) }

    /// Answers as a proper server does: with the file, its rest, or the note that it has not changed.
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

    func pause(milliseconds: UInt32) { usleep(milliseconds * 1_000) }
}
