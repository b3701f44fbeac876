internal import LoopbackHTTP

// Responses that no client can use.
extension Misbehaviour {
    static let transport = [
        Misbehaviour("no-answer", "Sends nothing.", [.timedOut], .slow) { $0.connection.waitForDisconnect() },
        Misbehaviour("stalls-in-head", "Stops sending within the headers.", [.timedOut], .slow) {
            try $0.connection.write("HTTP/1.1 200 OK\r\nContent-Le")
            $0.connection.waitForDisconnect()
        },
        Misbehaviour("stalls-in-body", "Stops sending in the middle of the body.", [.timedOut], .slow) {
            try $0.send(["Content-Type: \($0.image.type)", $0.length], $0.file[..<$0.half])
            $0.connection.waitForDisconnect()
        },
        Misbehaviour("closes-at-once", "Closes without a response.", [.lost]) { $0.connection.close() },
        Misbehaviour("closes-in-head", "Closes within the headers.", [.lost, .malformed, .empty]) {
            try $0.connection.write("HTTP/1.1 200 OK\r\nContent-Type: ima")
            $0.connection.close()
        },
        Misbehaviour("closes-in-body", "Closes in the middle of the body.", [.lost]) {
            try $0.send(["Content-Type: \($0.image.type)", $0.length], $0.file[..<$0.half])
            $0.connection.close()
        },
        Misbehaviour("resets-at-once", "Resets the connection without a response.", [.lost]) { $0.connection.reset() },
        Misbehaviour("resets-in-body", "Resets the connection in the middle of the body.", [.lost]) {
            try $0.send(["Content-Type: \($0.image.type)", $0.length], $0.file[..<$0.half])
            $0.connection.reset()
        },
    ]

    static let lengths = [
        Misbehaviour("length-too-long", "Announces more than it sends, and closes.", [.lost]) {
            try $0.send($0.usual + ["Content-Length: \($0.file.count + 100)"], $0.file)
            $0.connection.close()
        },
        Misbehaviour("length-too-short", "Announces half of what it sends, and closes.", [.truncated, .corrupt]) {
            try $0.send($0.usual + ["Connection: close", "Content-Length: \($0.half)"], $0.file)
            $0.connection.close()
        },
        Misbehaviour("length-negative", "Announces a negative length.", [.image, .malformed]) {
            try $0.send($0.usual + ["Content-Length: -\($0.file.count)"], $0.file)
            $0.connection.close()
        },
        Misbehaviour("length-contradictory", "Announces two lengths.", [.malformed]) {
            try $0.send($0.usual + ["Content-Length: \($0.half)", $0.length], $0.file)
            $0.connection.close()
        },
        Misbehaviour("length-overflow", "Announces a length beyond every integer.", [.image, .malformed, .tooLarge]) {
            try $0.send($0.usual + ["Content-Length: 99999999999999999999999"], $0.file)
            $0.connection.close()
        },
        Misbehaviour("length-enormous", "Announces eight exabytes.", [.tooLarge]) {
            try $0.send($0.usual + ["Content-Length: 9223372036854775807"], $0.file)
            $0.connection.close()
        },
        Misbehaviour("length-and-chunks", "Announces a wrong length besides chunks.", [.image, .malformed, .lost]) {
            try $0.send($0.usual + ["Content-Length: \($0.half)", "Transfer-Encoding: chunked"])
            try $0.connection.writeChunk($0.file)
            try $0.connection.writeChunk([])
        },
        Misbehaviour("chunk-size-bad", "Sends a chunk size that is no number.", [.malformed, .lost]) {
            try $0.send($0.usual + ["Transfer-Encoding: chunked"])
            try $0.connection.writeChunk(Array($0.file[..<$0.half]))
            try $0.connection.write("zebra\r\n")
        },
        Misbehaviour("chunk-size-overflow", "Sends a chunk size beyond every integer.", [.malformed, .lost, .tooLarge]) {
            try $0.send($0.usual + ["Transfer-Encoding: chunked"])
            try $0.connection.write("FFFFFFFFFFFFFFFFFFFFF\r\n")
            try $0.connection.write($0.file)
            $0.connection.close()
        },
        Misbehaviour("chunk-missing", "Closes before the last chunk.", [.lost]) {
            try $0.send($0.usual + ["Transfer-Encoding: chunked"])
            try $0.connection.writeChunk($0.file)
            $0.connection.close()
        },
    ]

    static let responseHeaders = [
        Misbehaviour("no-status-line", "Sends the bytes of the image and no headers, as HTTP/0.9 did.", [.malformed]) {
            try $0.connection.write($0.file)
            $0.connection.close()
        },
        Misbehaviour("bad-status", "Sends a status that is no number.", [.malformed, .lost]) {
            try $0.connection.write("HTTP/1.1 fine OK\r\n\(length($0))\r\n\r\n")
            $0.connection.close()
        },
        Misbehaviour("status-999", "Sends a status that no standard defines.", [.status, .malformed]) {
            try $0.sendStatus("999 Odd")
        },
        Misbehaviour("other-protocol", "Responds like a mail server.", [.malformed]) {
            try $0.connection.write("220 mail.example ESMTP ready\r\n")
            $0.connection.close()
        },
        Misbehaviour(
            "switches-protocols", "Responds with 101 to a request without Upgrade.", [.malformed, .lost, .timedOut, .status]
        ) {
            try $0.send("101 Switching Protocols", ["Upgrade: h2c", "Connection: Upgrade"], $0.file)
            $0.connection.close()
        },
        Misbehaviour("endless-headers", "Sends header lines endlessly.", [.malformed]) {
            try $0.connection.write("HTTP/1.1 200 OK\r\n")
            while true { try $0.connection.write("X-Filler: \(String(repeating: "a", count: 1_000))\r\n") }
        },
        Misbehaviour("endless-line", "Sends one header line that does not end.", [.malformed]) {
            try $0.connection.write("HTTP/1.1 200 OK\r\nX-Filler: ")
            while true { try $0.connection.write(String(repeating: "a", count: 8_000)) }
        },
        Misbehaviour("no-colon", "Sends header lines without a colon or a name.", [.image, .malformed]) {
            try $0.send(["no colon here", ": no name", "X Y: blank"] + $0.usual + [$0.length], $0.file)
        },
        Misbehaviour("nul-in-header", "Sends NUL and other control characters in header values.", [.image, .malformed]) {
            try $0.send(["X-Odd: a\0b\u{1}\u{7F}"] + $0.usual + [$0.length], $0.file)
        },
    ]

    private static func length(_ exchange: Exchange) -> String { exchange.length }

    static let page = Array("<!DOCTYPE html><title>Log in</title><p>Welcome to this network.".utf8)

    static let bodies = [
        Misbehaviour("endless-body", "Sends a body endlessly.", [.tooLarge]) {
            try $0.send(["Content-Type: \($0.image.type)", year], $0.file[..<$0.half])
            while true { try $0.connection.write([UInt8](repeating: 7, count: 16_000)) }
        },
        Misbehaviour("empty", "Sends an empty body.", [.empty]) {
            try $0.send(["Content-Type: \($0.image.type)", year, "Content-Length: 0"])
        },
        Misbehaviour("empty-chunked", "Sends an empty body as chunks.", [.empty]) {
            try $0.send(["Content-Type: \($0.image.type)", year, "Transfer-Encoding: chunked"])
            try $0.connection.writeChunk([])
        },
        Misbehaviour("empty-closed", "Sends an empty body without a length, and closes.", [.empty]) {
            try $0.send(["Content-Type: \($0.image.type)", year, "Connection: close"])
            $0.connection.close()
        },
        Misbehaviour("page", "Sends a page of HTML as what it is, to be cached for a year.", [.unknownFormat]) {
            try $0.send(["Content-Type: text/html; charset=utf-8", year, $0.length(of: page)], page)
        },
        Misbehaviour("html", "Sends a page of HTML as an image.", [.unknownFormat]) {
            try $0.send(["Content-Type: \($0.image.type)", year, $0.length(of: page)], page)
        },
        Misbehaviour("truncated", "Sends half of the file as the complete body.", [.truncated, .corrupt]) {
            try $0.send(["Content-Type: \($0.image.type)", year, $0.length(of: $0.file[..<$0.half])], $0.file[..<$0.half])
        },
        Misbehaviour("damaged", "Sends a PNG with a flipped bit in its pixels.", [.corrupt, .truncated]) {
            var file = $0.image.isPNG ? $0.file : try StormImage(path: $0.image.path + ".png").file()
            // A byte before the checksum of the pixels' chunk and the twelve bytes of the last chunk.
            file[file.count - 22] ^= 0x10
            try $0.send(["Content-Type: image/png", year, $0.length(of: file)], file)
        },
        Misbehaviour("huge-dimensions", "Sends a PNG that claims 60,000 pixels on each side.", [.tooLarge]) {
            let header = PNGChunk.bytes(type: "IHDR", [0, 0, 0xEA, 0x60, 0, 0, 0xEA, 0x60, 8, 6, 0, 0, 0])
            let file = [0x89, 0x50, 0x4E, 0x47, 13, 10, 26, 10] + header + PNGChunk.bytes(type: "IDAT", $0.file)
            try $0.send(["Content-Type: image/png", year, $0.length(of: file)], file)
        },
    ]
}
