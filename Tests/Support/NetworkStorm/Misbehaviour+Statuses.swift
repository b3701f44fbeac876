internal import LoopbackHTTP

// Misleading ranges, redirects and statuses.
extension Misbehaviour {
    static let ranges = [
        Misbehaviour(
            "tag-changes", "Closes in the middle, then sends the rest of another version with another ETag.",
            [.image, .lost, .malformed]
        ) {
            if let start = $0.rangeStart {
                let other = $0.otherFile
                return try $0.send(
                    "206 Partial Content",
                    [
                        "Content-Type: \($0.image.type)", "ETag: \"another\"", "Cache-Control: max-age=60",
                        "Content-Range: bytes \(start)-\(start + other.count - 1)/\(start + other.count)", $0.length(of: other),
                    ], other)
            }
            guard $0.attempt % 3 == 1 else { return try $0.sendFile() }
            try $0.send($0.usual + ["Accept-Ranges: bytes", $0.length], $0.file[..<$0.half])
            $0.connection.close()
        },
        Misbehaviour(
            "wrong-range", "Closes in the middle, then sends another range than the requested one.", [.image, .lost, .malformed]
        ) {
            if let start = $0.rangeStart, start > 10 {
                let part = $0.file[(start - 10)...]
                return try $0.send(
                    "206 Partial Content",
                    $0.usual + ["Content-Range: bytes \(start - 10)-\($0.file.count - 1)/\($0.file.count)", $0.length(of: part)],
                    part)
            }
            guard $0.attempt % 3 == 1 else { return try $0.sendFile() }
            try $0.send($0.usual + ["Accept-Ranges: bytes", $0.length], $0.file[..<$0.half])
            $0.connection.close()
        },
        Misbehaviour(
            "range-unasked", "Responds to a plain request with 206 and the second half.",
            [.status, .malformed, .truncated, .corrupt, .unknownFormat]
        ) {
            try $0.sendRest(from: $0.half)
        },
        Misbehaviour(
            "range-refused", "Closes in the middle, then responds to a range request with 416.", [.image, .lost, .status]
        ) {
            if $0.rangeStart != nil { return try $0.sendStatus("416 Range Not Satisfiable", ["Content-Range: bytes */5"]) }
            guard $0.attempt % 3 == 1 else { return try $0.sendFile() }
            try $0.send($0.usual + ["Accept-Ranges: bytes", $0.length], $0.file[..<$0.half])
            $0.connection.close()
        },
        Misbehaviour("range-of-everything", "Responds to a plain request with 206 and the whole body.", [.image]) {
            let ranges = ["bytes 0-\($0.file.count - 1)/\($0.file.count)", "Bytes  0-\($0.file.count - 1)/*"]
            try $0.send("206 Partial Content", $0.usual + ["Content-Range: \(ranges[$0.attempt % 2])", $0.length], $0.file)
        },
        Misbehaviour("range-of-the-start", "Responds to a plain request with 206 and the first half.", [.malformed]) {
            let range = "Content-Range: bytes 0-\($0.half - 1)/\($0.file.count)"
            try $0.send("206 Partial Content", $0.usual + [range, "Content-Length: \($0.half)"], $0.file[..<$0.half])
        },
        Misbehaviour("range-unnamed", "Responds with 206 and without Content-Range.", [.malformed]) {
            try $0.send("206 Partial Content", $0.usual + [$0.length], $0.file)
        },
        Misbehaviour("range-backwards", "Responds with 206 and with ranges that cannot be.", [.malformed]) {
            let ranges = [
                "bytes 9-2/100", "bytes 0-99999999999999999999/*", "bytes 0-\($0.file.count)/\($0.file.count)", "lines 0-9/10",
            ]
            let range = ranges[$0.attempt % ranges.count]
            try $0.send("206 Partial Content", $0.usual + ["Content-Range: \(range)", $0.length], $0.file)
        },
        Misbehaviour("range-parts", "Closes in the middle, then sends the rest as several parts.", [.image, .lost, .malformed]) {
            if let start = $0.rangeStart {
                let range =
                    "Content-Type: \($0.image.type)\r\nContent-Range: bytes \(start)-\($0.file.count - 1)/\($0.file.count)"
                let body = Array("--x\r\n\(range)\r\n\r\n".utf8) + $0.file[start...] + Array("\r\n--x--\r\n".utf8)
                return try $0.send(
                    "206 Partial Content",
                    ["Content-Type: multipart/byteranges; boundary=x", "ETag: \($0.image.entityTag)", $0.length(of: body)], body)
            }
            guard $0.attempt % 3 == 1 else { return try $0.sendFile() }
            try $0.send($0.usual + ["Accept-Ranges: bytes", $0.length], $0.file[..<$0.half])
            $0.connection.close()
        },
        Misbehaviour("not-modified-unasked", "Responds to a plain request with 304.", [.status, .malformed]) {
            try $0.send("304 Not Modified", $0.usual)
        },
    ]

    static let redirects = [
        Misbehaviour("moved", "Redirects five times, then responds.", [.image]) {
            try $0.redirect("301 Moved Permanently", to: "/hop/hop/hop/hop/hop\($0.image.path)", ["Cache-Control: max-age=60"])
        },
        Misbehaviour("redirect-circle", "Redirects to itself.", [.circle]) {
            try $0.redirect("301 Moved Permanently", to: $0.image.path, ["Cache-Control: max-age=60"])
        },
        Misbehaviour("redirect-loop-of-two", "Redirects to a URL that redirects back, for a year.", [.circle]) {
            let next = $0.request.target.hasSuffix("?b") ? $0.image.path : "\($0.image.path)?b"
            try $0.redirect("308 Permanent Redirect", to: next, [year])
        },
        Misbehaviour("redirect-loop-at-times", "Redirects to itself at every other request.", [.image, .circle]) {
            if $0.attempt / 12 % 2 == 0 { return try $0.sendProperly() }
            try $0.redirect("307 Temporary Redirect", to: $0.image.path)
        },
        Misbehaviour("redirect-signed", "Redirects to another signature each time.", [.image]) {
            try $0.redirect("302 Found", to: "/hop\($0.image.path)?signature=\($0.attempt)")
        },
        Misbehaviour("redirect-signed-for-a-while", "Redirects to a signature that may be used for a second.", [.image]) {
            try $0.redirect(
                "307 Temporary Redirect", to: "/hop\($0.image.path)?signature=\($0.attempt)", ["Cache-Control: max-age=1"])
        },
        Misbehaviour("redirect-signed-elsewhere", "Redirects for good to another signature and another host.", [.image]) {
            let port = $0.ports[$0.attempt % $0.ports.count]
            try $0.redirect(
                "308 Permanent Redirect", to: "http://127.0.0.1:\(port)/hop\($0.image.path)?signature=\($0.attempt)",
                ["Cache-Control: max-age=60"])
        },
        Misbehaviour("redirect-relative", "Redirects to a relative reference.", [.image]) {
            try $0.redirect("301 Moved Permanently", to: "../hop/.\($0.image.path)?#part", ["Cache-Control: max-age=60"])
        },
        Misbehaviour("redirect-bytes", "Redirects to bytes that are no UTF-8, with a blank.", [.image]) {
            let query = $0.request.target.drop { $0 != "?" }.dropFirst()
            guard query.isEmpty else {
                return query == "a=%E9%20%ff&b" ? try $0.sendProperly() : try $0.sendStatus("400 Bad Request")
            }
            try $0.redirect(to: Array("\($0.image.path)?a=".utf8) + [0xE9, 0x20] + Array("%ff&b".utf8))
        },
        Misbehaviour("redirect-nowhere", "Redirects to a port on which no server listens.", [.refused]) {
            try $0.redirect(to: "http://127.0.0.1:1/gone.png")
        },
        Misbehaviour("redirect-scheme", "Redirects to a file of the client.", [.scheme, .malformed, .status]) {
            try $0.redirect(to: "file:///etc/hostname")
        },
        Misbehaviour("redirect-invalid", "Redirects to an invalid URL.", [.malformed, .status]) {
            try $0.redirect(to: "http://[::bad")
        },
        Misbehaviour("redirect-empty", "Redirects without Location.", [.status, .malformed, .empty]) {
            try $0.send("302 Found", ["Content-Length: 0"])
        },
    ]

    static let statuses = [
        Misbehaviour("no-content", "Responds with 204.", [.empty, .status, .malformed]) { try $0.send("204 No Content", []) },
        Misbehaviour("unauthorized", "Responds with 401.", [.status]) {
            try $0.sendStatus("401 Unauthorized", ["WWW-Authenticate: Basic realm=\"storm\""])
        },
        Misbehaviour("missing-for-a-year", "Responds with 404, to be cached for a year.", [.status]) {
            try $0.sendStatus("404 Not Found", ["Cache-Control: max-age=31536000, immutable"])
        },
        Misbehaviour("retry-much-later", "Responds with 429 and a Retry-After beyond every integer.", [.status]) {
            try $0.sendStatus("429 Too Many Requests", ["Retry-After: 99999999999999999999"])
        },
        Misbehaviour("retry-negative", "Responds to every other request with 503 and a negative Retry-After.", [.image, .status])
        {
            if $0.attempt % 2 == 0 { return try $0.sendFile() }
            try $0.sendStatus("503 Service Unavailable", ["Retry-After: -5"])
        },
        Misbehaviour(
            "retry-in-the-past", "Responds to every other request with 503 and a Retry-After in the past.", [.image, .status]
        ) {
            if $0.attempt % 2 == 0 { return try $0.sendFile() }
            try $0.sendStatus("503 Service Unavailable", ["Retry-After: Fri, 31 Dec 1999 23:59:59 GMT"])
        },
        Misbehaviour("fails-first", "Responds to every other request with 500.", [.image, .status]) {
            if $0.attempt % 2 == 0 { return try $0.sendFile() }
            try $0.sendStatus("500 Internal Server Error")
        },
        Misbehaviour("fails-always", "Responds with 503.", [.status]) { try $0.sendStatus("503 Service Unavailable") },
        Misbehaviour("image-of-what-is-missing", "Responds with 404 and the image.", [.status]) {
            try $0.send("404 Not Found", $0.usual + [$0.length], $0.file)
        },
        Misbehaviour("image-of-an-error", "Responds with 500 and the image of another URL.", [.status]) {
            try $0.send("500 Internal Server Error", $0.usual + [$0.length(of: $0.otherFile)], $0.otherFile)
        },
    ]

    static let limits = [
        Misbehaviour(
            "limited", "Responds to some requests with 429 and a second in Retry-After.", [.image, .status, .paused], .limited
        ) {
            if $0.attempt % 4 != 0 { return try $0.sendProperly() }
            try $0.sendStatus("429 Too Many Requests", ["Retry-After: 1"])
        },
        Misbehaviour(
            "limited-by-date", "Responds to some requests with 503 and the next second.", [.image, .status, .paused], .limited
        ) {
            if $0.attempt % 4 != 0 { return try $0.sendProperly() }
            try $0.sendStatus(
                "503 Service Unavailable",
                ["Date: Sun, 06 Nov 1994 08:49:36 GMT", "Retry-After: Sun, 06 Nov 1994 08:49:37 GMT"])
        },
        Misbehaviour(
            "limited-for-no-time", "Responds to every second request with 429 and zero seconds.", [.image, .status, .paused],
            .limited
        ) {
            if $0.attempt % 2 == 0 { return try $0.sendProperly() }
            try $0.sendStatus("429 Too Many Requests", ["Retry-After: 0"])
        },
    ]
}
