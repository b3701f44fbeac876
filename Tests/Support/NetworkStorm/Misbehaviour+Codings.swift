internal import LoopbackHTTP

// Content codings, for which no request asks.
extension Misbehaviour {
    static let codings = [
        Misbehaviour("gzip", "Sends gzip.", [.image]) { try send($0, "gzip", ContentCoding.gzip($0.file)) },
        Misbehaviour("gzip-old-name", "Sends gzip as X-GZIP, in chunks.", [.image]) {
            let body = ContentCoding.gzip($0.file)
            try $0.send($0.usual + ["Content-Encoding: X-GZIP", "Transfer-Encoding: chunked"])
            try $0.connection.writeChunk(Array(body.prefix($0.half)))
            try $0.connection.writeChunk(Array(body.dropFirst($0.half)))
            try $0.connection.writeChunk([])
        },
        Misbehaviour("deflate", "Sends zlib as deflate.", [.image]) { try send($0, "deflate", ContentCoding.zlib($0.file)) },
        Misbehaviour("deflate-raw", "Sends deflate without the header of zlib, as some servers do.", [.image]) {
            try send($0, "deflate", ContentCoding.deflate($0.file))
        },
        Misbehaviour("zstd", "Sends Zstandard, which libcurl need not know.", [.image, .malformed, .unknownFormat]) {
            try send($0, "zstd", ContentCoding.zstd($0.file))
        },
        Misbehaviour("gzip-twice", "Sends gzip of zlib.", [.image]) {
            try send($0, "deflate, gzip", ContentCoding.gzip(ContentCoding.zlib($0.file)))
        },
        Misbehaviour("coding-identity", "Names the coding that changes nothing.", [.image]) { try send($0, "identity", $0.file) },
        Misbehaviour("coding-of-an-upload", "Keeps aws-chunked of an upload for the plain file.", [.image]) {
            try send($0, "aws-chunked", $0.file)
        },
        Misbehaviour("coding-unknown", "Names a character set as the coding.", [.image]) { try send($0, "UTF-8", $0.file) },
        Misbehaviour("coding-empty", "Names no coding.", [.image]) { try send($0, "", $0.file) },
        Misbehaviour("gzip-resumed", "Closes every other body of gzip in the middle.", [.image, .lost]) {
            let body = ContentCoding.gzip($0.file)
            if $0.attempt % 2 == 0 { return try send($0, "gzip", body) }
            try $0.send($0.usual + ["Accept-Ranges: bytes", "Content-Encoding: gzip", $0.length(of: body)], body[..<$0.half])
            $0.connection.close()
        },
        Misbehaviour("gzip-page", "Sends a page of HTML as gzip.", [.unknownFormat]) {
            let body = ContentCoding.gzip(page)
            try $0.send(["Content-Type: text/html", year, "Content-Encoding: gzip", $0.length(of: body)], body)
        },
        Misbehaviour("gzip-bomb", "Sends gzip that becomes ten megabytes.", [.tooLarge]) {
            let bomb = ContentCoding.bomb
            try $0.send(["Content-Type: \($0.image.type)", year, "Content-Encoding: gzip", $0.length(of: bomb)], bomb)
        },
        Misbehaviour("gzip-false", "Declares the plain file as gzip.", [.malformed]) { try send($0, "gzip", $0.file) },
        Misbehaviour("gzip-damaged", "Sends gzip with a wrong checksum.", [.malformed]) {
            var body = ContentCoding.gzip($0.file)
            body[body.count - 6] ^= 1
            try send($0, "gzip", body)
        },
        Misbehaviour("gzip-truncated", "Sends half of the gzip as the complete body.", [.truncated, .corrupt, .malformed]) {
            try send($0, "gzip", Array(ContentCoding.gzip($0.file)[..<$0.half]))
        },
        Misbehaviour("deflate-damaged", "Sends deflate with a block that does not exist.", [.malformed]) {
            var body = ContentCoding.zlib($0.file)
            body[2] = 7
            try send($0, "deflate", body)
        },
    ]

    private static func send(_ exchange: Exchange, _ coding: String, _ body: [UInt8]) throws {
        try exchange.send(exchange.usual + ["Content-Encoding: \(coding)", exchange.length(of: body)], body)
    }
}
