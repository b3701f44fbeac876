import HTTPTypes
import ImageCore
import ImageNetworkingCurl
import LoopbackHTTP
import NetworkTestKit
import Testing

@Suite(.timeLimit(.minutes(1)))
struct CurlLoaderConnections {
    let loader = CurlLoader()

    @Test func connectionsAreKeptAlive() async throws {
        let server = try LoopbackServer.answering(body: "x")
        for _ in 0..<20 { _ = try await loader.body(of: try server.request()) }
        #expect(server.requests.value == 20)
        #expect(server.connections.value == 1)
    }

    @Test func aThousandConcurrentLoadsUseSixConnections() async throws {
        let server = try LoopbackServer(serving: { request in LoopbackServer.Response(200, body: Array(request.target.utf8)) })
        let requests = try (0..<1000).map { try server.request("/\($0)") }
        let bodies = try await withThrowingTaskGroup { group in
            for (index, request) in requests.enumerated() {
                group.addTask { (index, try await loader.load(request).body.text()) }
            }
            return try await group.reduce(into: [Int: String]()) { $0[$1.0] = $1.1 }
        }
        #expect(bodies == Dictionary(uniqueKeysWithValues: (0..<1000).map { ($0, "/\($0)") }))
        #expect(server.connections.value <= 6)
    }

    @Test func hostsShareTheTotalOfConnections() async throws {
        let gate = try LoopbackServer.Gate()
        func held() throws -> LoopbackServer {
            try LoopbackServer { _, connection in
                try connection.wait(for: gate)
                try connection.respond(LoopbackServer.Response(200))
            }
        }
        let servers = try [held(), held(), LoopbackServer.answering(body: "")]
        var limits = CurlLoader.Limits()
        limits.connections = 2
        let loader = CurlLoader(limits: limits)
        let first = Task { try await loader.body(of: try servers[0].request()) }
        let second = Task { try await loader.body(of: try servers[1].request()) }
        for server in servers.prefix(2) { try await server.requests.wait(forCount: 1) }
        let third = Task { try await loader.body(of: try servers[2].request()) }
        // A request that does arrive there shows that the loop has run.
        for _ in 0..<20 { _ = try await self.loader.body(of: try servers[2].request()) }
        #expect(servers[2].requests.value == 20)
        gate.open()
        for task in [first, second, third] { _ = try await task.value }
        #expect(servers[2].requests.value == 21)
    }

    /// With libcurl's limits it would: when a connection is free, libcurl tries only the transfer that has waited
    /// longest.
    @available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
    @Test func aHostWithoutAFreeConnectionDoesNotHoldUpAnother() async throws {
        let gates = try [LoopbackServer.Gate(), LoopbackServer.Gate()]
        let servers = try gates.map { gate in
            try LoopbackServer { request, connection in
                if request.target == "/held" { try connection.wait(for: gate) }
                try connection.respond(LoopbackServer.Response(200))
            }
        }
        var limits = CurlLoader.Limits()
        limits.connectionsPerHost = 1
        let loader = CurlLoader(limits: limits)
        // An immediate task has posted its request when it returns to its creator.
        func load(_ server: LoopbackServer, _ path: String) throws -> Task<Data, any Error> {
            let request = try server.request(path)
            return Task.immediate { try await loader.body(of: request) }
        }
        let held = try servers.map { try load($0, "/held") }
        for server in servers { try await server.requests.wait(forCount: 1) }
        let (full, free) = try (["/1", "/2", "/3"].map { try load(servers[0], $0) }, load(servers[1], "/1"))
        gates[1].open()
        _ = try await (held[1].value, free.value)
        #expect(servers[0].requests.value == 1)
        gates[0].open()
        for task in held + full { _ = try await task.value }
    }
}

@Suite(.timeLimit(.minutes(1)))
struct ConnectionsThatAServerClosed {
    /// A transfer on a connection that the server has closed opens another one, and sends its request once.
    @Test(arguments: [HTTPRequest.Method.get, .post])
    func areMadeAnew(_ method: HTTPRequest.Method) async throws {
        let held = try LoopbackServer.Gate()
        let bodies = Lock<[String]>([])
        let server = try LoopbackServer { request, connection in
            bodies.withLock { $0.append("\(request.target) \(String(decoding: request.body, as: UTF8.self))") }
            if request.target == "/held" { try connection.wait(for: held) }
            let headers = request.target == "/last" ? [("Connection", "close")] : []
            try connection.respond(LoopbackServer.Response(200, headers: headers, body: Array(request.target.utf8)))
        }
        let loader = CurlLoader()
        // While it runs, the loader remembers that the host keeps connections alive.
        let first = Task { try await loader.body(of: try server.request("/held")) }
        try await server.requests.wait(forCount: 1)
        for target in ["/a", "/b", "/last"] { _ = try await loader.body(of: try server.request(target)) }
        #expect(server.connections.value == 2)
        var request = try server.request("/again")
        (request.method, request.body) = (method, method == .post ? Data("image".utf8) : nil)
        #expect(try await loader.load(request).body.text() == "/again")
        #expect(server.connections.value == 3)
        held.open()
        _ = try await first.value
        // The first request is counted before its handler runs, which may be after that of the second.
        let asked = bodies.withLock { $0 }
        #expect(asked.filter { $0 != "/held " } == ["/a ", "/b ", "/last ", method == .post ? "/again image" : "/again "])
        #expect(asked.count == 5)
    }
}
