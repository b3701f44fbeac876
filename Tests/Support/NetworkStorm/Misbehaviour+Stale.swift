internal import LoopbackHTTP

// Servers that send an image that is stale at once, and then fail.
extension Misbehaviour {
    static let stale = [
        stale("stale-then-lost", "resets the connection", [.lost], .replacesFailure) { $0.connection.reset() },
        stale("stale-then-silent", "sends nothing", [.timedOut], .replacesFailure, .slow) { $0.connection.waitForDisconnect() },
        stale("stale-then-stalled", "stops in the middle of another image", [.timedOut], .replacesFailure, .slow) {
            try $0.send($0.uncached($0.otherFile), $0.otherFile[..<1_000])
            $0.connection.waitForDisconnect()
        },
        stale("stale-then-broken-off", "closes in the middle of another image", [.lost], .replacesFailure) {
            try $0.send($0.uncached($0.otherFile), $0.otherFile[..<1_000])
            $0.connection.close()
        },
        stale("stale-then-503", "responds with 503", [.status], .replacesFailure) {
            try $0.sendStatus("503 Service Unavailable")
        },
        stale("stale-then-limited", "responds with 429 and Retry-After", [.status, .paused], .stays, .limited) {
            try $0.sendStatus("429 Too Many Requests", ["Retry-After: 1"])
        },
        stale("stale-then-missing", "responds with 404", [.status], .mayEnd) { try $0.sendStatus("404 Not Found") },
        stale("stale-then-page", "sends a page of HTML", [.unknownFormat], .stays) {
            try $0.send(["Content-Type: text/html", year, $0.length(of: page)], page)
        },
        stale("stale-then-empty", "sends an empty body", [.empty], .stays) { try $0.send($0.uncached([]) + [year]) },
        stale("stale-then-truncated", "sends half of the file as the complete body", [.truncated, .corrupt], .stays) {
            let part = $0.file[..<$0.half]
            try $0.send($0.uncached(part) + [year], part)
        },
        stale("stale-then-circle", "redirects to itself", [.circle], .stays) { try $0.redirect(to: $0.image.path) },
        stale("stale-then-malformed", "responds like a mail server", [.malformed], .stays) {
            try $0.connection.write("220 mail.example ESMTP ready\r\n")
            $0.connection.close()
        },
        stale("stale-then-gzip", "sends the rest of a file as gzip that ends early", [.truncated, .corrupt, .malformed], .stays) {
            let body = ContentCoding.gzip($0.file)[..<$0.half]
            try $0.send($0.uncached(body) + [year, "Content-Encoding: gzip"], body)
        },
    ]
}
