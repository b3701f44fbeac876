internal import LoopbackHTTP

// Responses that a client must accept.
extension Misbehaviour {
    static let proper = [
        Misbehaviour("plain", "Responds with 200, an ETag and max-age.", [.image]) { try $0.sendProperly() },
        Misbehaviour("revalidated", "Responds with no-cache, and with 304 from then on.", [.image]) {
            if $0.request["If-None-Match"] == $0.image.entityTag { return try $0.send("304 Not Modified", $0.usual) }
            try $0.send(
                ["Content-Type: \($0.image.type)", "ETag: \($0.image.entityTag)", "Cache-Control: no-cache", $0.length], $0.file)
        },
        Misbehaviour("resumed", "Closes every other body in the middle, and sends the rest to a range request.", [.image, .lost])
        {
            if $0.rangeStart != nil { return try $0.sendProperly() }
            guard $0.attempt % 2 == 1 else { return try $0.sendFile() }
            try $0.send($0.usual + ["Accept-Ranges: bytes", $0.length], $0.file[..<$0.half])
            $0.connection.close()
        },
        Misbehaviour("chunked", "Sends chunks of many sizes, with extensions.", [.image]) {
            try $0.send($0.usual + ["Transfer-Encoding: chunked"])
            var (rest, size) = ($0.file[...], 1)
            while !rest.isEmpty {
                let chunk = rest.prefix(size)
                try $0.connection.write("\(String(chunk.count, radix: 16));name=\"value\"\r\n")
                try $0.connection.write(Array(chunk) + [13, 10])
                (rest, size) = (rest.dropFirst(size), size * 3)
            }
            try $0.connection.write("0\r\n\r\n")
        },
        Misbehaviour("trailers", "Sends trailers after the chunks, a Content-Length and an ETag among them.", [.image]) {
            try $0.send($0.usual + ["Transfer-Encoding: chunked", "Trailer: ETag"])
            try $0.connection.writeChunk($0.file)
            try $0.connection.write("0\r\nETag: \"trailing\"\r\nContent-Length: 3\r\nX-Checksum: none\r\n\r\n")
        },
        Misbehaviour("http10", "Responds with HTTP/1.0, without a length, and closes.", [.image]) {
            try $0.connection.write("HTTP/1.0 200 OK\r\nContent-Type: \($0.image.type)\r\n\r\n")
            try $0.connection.write($0.file)
            $0.connection.close()
        },
        Misbehaviour("slow-start", "Waits 300 ms before the first byte.", [.image]) {
            $0.pause(milliseconds: 300)
            try $0.sendProperly()
        },
        Misbehaviour("trickle", "Sends the body in twenty pieces, 20 ms apart.", [.image]) {
            try $0.send($0.usual + [$0.length])
            let size = $0.file.count / 20 + 1
            for start in stride(from: 0, to: $0.file.count, by: size) {
                try $0.connection.write(Array($0.file[start...].prefix(size)))
                $0.pause(milliseconds: 20)
            }
        },
        Misbehaviour(
            "slow-progress", "Sends the body in pieces, with a pause before each, for longer than the timeout.", [.image], .slow
        ) {
            try $0.send($0.usual + [$0.length])
            let size = $0.file.count / 8 + 1
            for start in stride(from: 0, to: $0.file.count, by: size) {
                try $0.connection.write(Array($0.file[start...].prefix(size)))
                $0.pause(milliseconds: UInt32(StormRun.timeout / .milliseconds(7)))
            }
        },
        Misbehaviour("silent-close", "Announces a persistent connection, and closes it after the body.", [.image, .lost]) {
            try $0.send($0.usual + ["Connection: keep-alive", "Keep-Alive: timeout=600", $0.length], $0.file)
            $0.connection.close()
        },
        Misbehaviour("early-hints", "Sends a hundred interim responses before the response.", [.image, .malformed]) {
            for _ in 0..<50 {
                try $0.connection.write("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n")
            }
            try $0.sendFile()
        },
    ]

    static let unusual = [
        Misbehaviour("letter-case", "Writes header names in mixed case, and values with spaces around them.", [.image]) {
            try $0.send(
                ["cOnTeNt-TyPe:\($0.image.type)", "ETAG:   \($0.image.entityTag)  ", "content-LENGTH:\t\($0.file.count) "],
                $0.file)
        },
        Misbehaviour("folded-lines", "Folds a header line, as RFC 2616 allowed.", [.image, .malformed]) {
            try $0.send(["X-Long: one\r\n two\r\n\tthree"] + $0.usual + [$0.length], $0.file)
        },
        Misbehaviour("cookies", "Sends two hundred cookies.", [.image, .malformed]) {
            try $0.send(
                (0..<200).map { "Set-Cookie: name\($0)=\(String(repeating: "c", count: 100)); Path=/" } + $0.usual + [$0.length],
                $0.file)
        },
        Misbehaviour("cookie-wall", "Redirects to itself with a cookie until the request has it.", [.image]) {
            if $0.request["Cookie"]?.contains("passed=\($0.image.tagText)") == true { return try $0.sendProperly() }
            try $0.redirect(to: $0.image.path, ["Set-Cookie: passed=\($0.image.tagText); Path=\($0.image.path)"])
        },
        Misbehaviour("vary-all", "Sends Vary: *.", [.image]) { try $0.send($0.usual + ["Vary: *", $0.length], $0.file) },
        Misbehaviour("contradictory-cache", "Sends no-store with max-age, public with private.", [.image]) {
            try $0.send(
                [
                    "Content-Type: \($0.image.type)",
                    "Cache-Control: no-store, max-age=31536000, public, private, max-age=-1, ,=,",
                    "Expires: 0", "Pragma: no-cache", $0.length,
                ], $0.file)
        },
        Misbehaviour("age-overflow", "Sends Age and max-age beyond every integer, and dates that do not exist.", [.image]) {
            try $0.send(
                [
                    "Content-Type: \($0.image.type)", "Age: 99999999999999999999", "Cache-Control: max-age=99999999999999999999",
                    "Date: Mon, 31 Feb 99999 25:61:61 GMT", "Last-Modified: yesterday", "Expires: Thu, 01 Jan 1970 00:00:00 GMT",
                    $0.length,
                ], $0.file)
        },
        Misbehaviour("odd-tags", "Sends an ETag without quotes, and another one.", [.image]) {
            try $0.send(["Content-Type: \($0.image.type)", "ETag: W/\"open", "ETag: plain", $0.length], $0.file)
        },
        Misbehaviour("wrong-type", "Declares the image as text/html.", [.image]) {
            try $0.send(["Content-Type: text/html; charset=utf-8", "Cache-Control: max-age=60", $0.length], $0.file)
        },
        Misbehaviour("no-type", "Sends a length and nothing else.", [.image]) { try $0.send([$0.length], $0.file) },
        Misbehaviour("extra-bytes", "Sends more bytes after the body, and keeps the connection.", [.image]) {
            try send($0, followedBy: Array("and more, and more".utf8))
        },
        Misbehaviour("two-responses", "Sends the image of another URL after the response, and keeps the connection.", [.image]) {
            let second = ["HTTP/1.1 200 OK"] + $0.usual + [$0.length(of: $0.otherFile), "", ""]
            try send($0, followedBy: Array(second.joined(separator: "\r\n").utf8) + $0.otherFile)
        },
    ]

    /// Sends the excess together with the last bytes of the response. If it arrived later, when the connection carries
    /// the next request, no client could tell to which response it belongs.
    private static func send(_ exchange: Exchange, followedBy excess: [UInt8]) throws {
        try exchange.send(exchange.usual + [exchange.length], exchange.file.dropLast(100))
        try exchange.connection.write(exchange.file.suffix(100) + excess)
    }
}
