internal import LoopbackHTTP

// Servers that send an image that is stale at once, and then fail.
extension Misbehaviour {
    static let stale = [
        stale("stale-then-lost", "resets the connection", [.lost]) { $0.connection.reset() },
        stale("stale-then-silent", "sends nothing", [.timedOut], .slow) { $0.connection.waitForDisconnect() },
        stale("stale-then-stalled", "stops in the middle of another image", [.timedOut], .slow) {
            try $0.send($0.uncached($0.otherFile), $0.otherFile[..<1_000])
            $0.connection.waitForDisconnect()
        },
        stale("stale-then-broken-off", "closes in the middle of another image", [.lost]) {
            try $0.send($0.uncached($0.otherFile), $0.otherFile[..<1_000])
            $0.connection.close()
        },
        stale("stale-then-503", "responds with 503", [.status]) { try $0.sendStatus("503 Service Unavailable") },
        stale("stale-then-limited", "responds with 429 and Retry-After", [.status, .paused], .limited) {
            try $0.sendStatus("429 Too Many Requests", ["Retry-After: 1"])
        },
        stale("stale-then-missing", "responds with 404", [.status]) { try $0.sendStatus("404 Not Found") },
        stale("stale-then-page", "sends a page of HTML", [.unknownFormat]) {
            try $0.send(["Content-Type: text/html", year, $0.length(of: page)], page)
        },
        stale("stale-then-empty", "sends an empty body", [.empty]) { try $0.send($0.uncached([]) + [year]) },
        stale("stale-then-truncated", "sends half of the file as the complete body", [.truncated, .corrupt]) {
            let part = $0.file[..<$0.half]
            try $0.send($0.uncached(part) + [year], part)
        },
        stale("stale-then-circle", "redirects to itself", [.circle]) { try $0.redirect(to: $0.image.path) },
        stale("stale-then-malformed", "responds like a mail server", [.malformed]) {
            try $0.connection.write("220 mail.example ESMTP ready\r\n")
            $0.connection.close()
        },
        stale("stale-then-gzip", "sends the rest of a file as gzip that ends early", [.truncated, .corrupt, .malformed]) {
            let body = ContentCoding.gzip($0.file)[..<$0.half]
            try $0.send($0.uncached(body) + [year, "Content-Encoding: gzip"], body)
        },
    ]

    /// A server that sends the image at every third request for it, and otherwise does what `fail` does.
    private static func stale(
        _ name: String, _ what: String, _ failures: Set<Outcome>, _ pace: Pace = .usual,
        fail: @escaping @Sendable (Exchange) throws -> Void
    ) -> Misbehaviour {
        Misbehaviour(
            name, "Sends an image that may replace errors, \(what) at the next requests.", failures.union([.image]), pace
        ) {
            guard $0.attempt % 3 == 1 else { return try fail($0) }
            let lines = ["ETag: \($0.image.entityTag)", "Cache-Control: max-age=0, stale-if-error=600"]
            try $0.send($0.uncached($0.file) + lines, $0.file)
        }
    }
}
