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
        Misbehaviour("image-of-an-error", "Responds with 500 and the image of another URL.", [.status]) {
            try $0.send("500 Internal Server Error", $0.usual + [$0.length(of: $0.otherFile)], $0.otherFile)
        },
    ]
}
