import Calotype
import Foundation
import LoopbackHTTP

/// The server of the lab on loopback, which serves its images, well and badly. Requests whose query has a `run` are
/// entered in the timeline.
///
/// | path | response |
/// |---|---|
/// | `/photo.jpg`, `/animation.webp`, `/broken.jpg` | an image that stays fresh for ten minutes |
/// | `/progressive.jpg` | a progressive image, in thirty parts |
/// | `/tile/N.jpg` | a small image |
/// | `/fails/K/N.jpg` | 503 to the first K requests, then a small image |
/// | `/redirects/K/N.jpg` | K redirects, then a small image |
/// | `/cut.jpg` | half of the photo and a reset, to the first request; the range that a later one asks for |
/// | `/limited/N.jpg` | 429 to all but four requests a second |
package final class LabServer: Sendable {
    private let server: LoopbackServer
    private let routes: Routes

    package init(_ timeline: Timeline) throws {
        let routes = Routes(images: try LabImages(), timeline: timeline)
        self.routes = routes
        server = try LoopbackServer { try routes.respond(to: $0, on: $1) }
    }

    package func url(_ path: String) -> URL { URL(string: server.url(path))! }

    /// How often a path, with its query, was requested.
    package func requestCount(_ path: String) -> Int { routes.state.withLock { $0.counts[path] ?? 0 } }

    /// The time that the server waits before each small image and each part of the progressive one.
    package var delay: Duration {
        get { routes.state.withLock { $0.delay } }
        set { routes.state.withLock { $0.delay = newValue } }
    }

    package func stop() { server.stop() }
}

private final class Routes: Sendable {
    struct State {
        var counts: [String: Int] = [:]
        var delay = Duration.milliseconds(60)
        /// The times of the requests that a limited host has served.
        var served: [String: [ContinuousClock.Instant]] = [:]
    }

    let images: LabImages
    let timeline: Timeline
    let state = Lock(State())

    init(images: LabImages, timeline: Timeline) { (self.images, self.timeline) = (images, timeline) }

    func respond(to request: LoopbackServer.Request, on connection: LoopbackServer.Connection) throws {
        let (count, delay) = state.withLock { state in
            state.counts[request.target, default: 0] += 1
            return (state.counts[request.target] ?? 1, state.delay)
        }
        let parts = request.path.split(separator: "/").map(String.init)
        let number = Int(parts.last?.prefix { $0 != "." } ?? "") ?? 0
        let tile = images.tiles[number % images.tiles.count]
        switch parts.first {
        case "photo.jpg": try send(request, 200, images.photo, on: connection)
        case "animation.webp": try send(request, 200, images.animation, type: "image/webp", on: connection)
        case "broken.jpg": try send(request, 200, images.broken, on: connection)
        case "progressive.jpg": try trickle(images.progressive, delay, on: connection)
        case "tile":
            pause(delay)
            try send(request, 200, tile, on: connection)
        case "fails" where count <= (Int(parts[1]) ?? 0): try send(request, 503, on: connection)
        case "fails": try send(request, 200, tile, on: connection)
        case "redirects":
            let left = (Int(parts[1]) ?? 0) - 1
            let query = request.target.dropFirst(request.path.count)
            let next = left > 0 ? "/redirects/\(left)/\(number).jpg\(query)" : "/tile/\(number).jpg\(query)"
            try send(request, 302, headers: [("Location", next)], on: connection)
        case "cut.jpg": try cut(request, isFirst: count == 1, on: connection)
        case "limited" where isOverLimit(String(request.target.dropFirst(request.path.count))):
            try send(request, 429, headers: [("Retry-After", "1")], on: connection)
        case "limited": try send(request, 200, tile, on: connection)
        default: try send(request, 404, on: connection)
        }
    }

    private func send(
        _ request: LoopbackServer.Request, _ status: Int, headers: [(name: String, value: String)] = [], _ body: [UInt8] = [],
        type: String = "image/jpeg", on connection: LoopbackServer.Connection
    ) throws {
        log(request, "\(status)")
        var headers = headers
        if status == 200 { headers += [("Content-Type", type), ("Cache-Control", "max-age=600"), ("ETag", "\"\(body.count)\"")] }
        try connection.respond(LoopbackServer.Response(status, headers: headers, body: body))
    }

    private func trickle(_ body: [UInt8], _ delay: Duration, on connection: LoopbackServer.Connection) throws {
        try connection.writeHeaders(
            200,
            headers: [("Content-Type", "image/jpeg"), ("Content-Length", "\(body.count)"), ("Cache-Control", "max-age=600")])
        let size = body.count / 30 + 1
        for start in stride(from: 0, to: body.count, by: size) {
            try connection.write(Array(body[start..<min(body.count, start + size)]))
            pause(delay)
        }
    }

    private func cut(_ request: LoopbackServer.Request, isFirst: Bool, on connection: LoopbackServer.Connection) throws {
        let body = images.photo
        let start = request["Range"].flatMap { Int($0.dropFirst("bytes=".count).prefix { $0 != "-" }) }
        var headers = [("Content-Type", "image/jpeg"), ("ETag", "\"cut\""), ("Accept-Ranges", "bytes")]
        if let start, start < body.count {
            log(request, "206 from byte \(start)")
            headers.append(("Content-Range", "bytes \(start)-\(body.count - 1)/\(body.count)"))
            return try connection.respond(LoopbackServer.Response(206, headers: headers, body: Array(body[start...])))
        }
        headers.append(("Content-Length", "\(body.count)"))
        log(request, isFirst ? "200, cut after \(body.count / 2) bytes" : "200")
        try connection.writeHeaders(200, headers: headers)
        try connection.write(isFirst ? Array(body[..<(body.count / 2)]) : body)
        guard isFirst else { return }
        // The client reads what has arrived before the reset discards it.
        pause(.milliseconds(100))
        connection.reset()
    }

    private func isOverLimit(_ host: String) -> Bool {
        state.withLock { state in
            let now = ContinuousClock.now
            let recent = (state.served[host] ?? []).filter { now - $0 < .seconds(1) }
            state.served[host] = recent.count < 4 ? recent + [now] : recent
            return recent.count >= 4
        }
    }

    private func log(_ request: LoopbackServer.Request, _ response: String) {
        guard request.target.contains("run=") else { return }
        timeline.add(.server, "\(request.method) \(request.path): \(response)")
    }

    private func pause(_ time: Duration) { Thread.sleep(forTimeInterval: time / .seconds(1)) }
}
