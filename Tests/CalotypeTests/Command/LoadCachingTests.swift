import CalotypeTesting
import LoopbackHTTP
import Testing

/// The disk cache follows the rules of HTTP caching across runs of the command.
@Suite("calotype load, HTTP cache", .timeLimit(.minutes(1)))
struct LoadCachingTests {
    private func serve(_ control: String, _ log: EventLog<LoopbackServer.Request>) throws -> LoopbackServer {
        let body = Array(try Project.bytes(of: "dunes.jpg"))
        return try LoopbackServer(serving: { request in
            log.append(request)
            let headers = [("ETag", "\"v1\""), ("Cache-Control", control)]
            return request["If-None-Match"] == "\"v1\"" ? .init(304, headers: headers) : .init(200, headers: headers, body: body)
        })
    }

    @Test func aFreshResponseIsServedFromTheDiskCache() async throws {
        let log = EventLog<LoopbackServer.Request>()
        let server = try serve("max-age=3600", log)
        defer { server.stop() }
        let folder = try ScratchFolder()
        for tier in ["network", "disk", "disk"] {
            let run = try await CommandProcess.run("load", server.url("/a"), "--cache", folder.path, "--json")
            #expect(run.ending == .status(0) && run.output.contains(#""tier": "\#(tier)", "status": "ok", "bytes": 7727"#))
        }
        #expect(log.events.count == 1)
    }

    @Test func aStaleResponseIsRevalidatedAndReused() async throws {
        let log = EventLog<LoopbackServer.Request>()
        let server = try serve("max-age=0", log)
        defer { server.stop() }
        let folder = try ScratchFolder()
        for tier in ["network", "disk"] {
            let run = try await CommandProcess.run("load", server.url("/a"), "--cache", folder.path, "--json")
            #expect(run.ending == .status(0) && run.output.contains(#""tier": "\#(tier)", "status": "ok", "bytes": 7727"#))
        }
        #expect(log.events.map { $0["If-None-Match"] } == [nil, "\"v1\""])
    }

    @Test func aStaleResponseIsServedWhenTheServerIsUnreachable() async throws {
        let log = EventLog<LoopbackServer.Request>()
        let server = try serve("max-age=0", log)
        let folder = try ScratchFolder()
        let url = server.url("/a")
        _ = try await CommandProcess.run("load", url, "--cache", folder.path, "--json")
        server.stop()
        let run = try await CommandProcess.run("load", url, "--cache", folder.path, "--json")
        #expect(run.ending == .status(0) && run.output.contains(#""tier": "disk""#))
    }
}
