import CalotypeSystem
import HTTPTypes
import ImageCore
import LoopbackHTTP
import NetworkTestKit
import Testing

@testable import ImageNetworkingCurl

@Suite(.timeLimit(.minutes(1)))
struct CurlLoaderAnswers {
    let loader = CurlLoader()

    @Test func responseHeadersAndBodyAreReturnedAsSent() async throws {
        let server = try LoopbackServer.answering(
            headers: [("Content-Type", "image/png"), ("X-Two", "a"), ("X-Two", "b")], body: "image")
        let request = try server.request("/a.png")
        let response = try await loader.load(request)
        #expect(response.url == request.url)
        #expect(response.head.status == 200)
        #expect(response.head.headerFields[.contentType] == "image/png")
        #expect(response.head.headerFields[values: try #require(HTTPField.Name("X-Two"))] == ["a", "b"])
        #expect(response.expectedBytes == 5)
        #expect(try await response.body.text() == "image")
    }

    @Test func a404IsAResponseAndNotAnError() async throws {
        let server = try LoopbackServer.answering(404, body: "gone")
        let response = try await loader.load(try server.request())
        #expect(response.head.status.code == 404)
        #expect(try await response.body.text() == "gone")
    }

    @Test func methodHeadersAndBodyReachTheServer() async throws {
        let server = try LoopbackServer(serving: { request in
            let text =
                "\(request.method) \(request.target) \(request["X-Key"] ?? "-") \(request["X-Empty"] ?? "-") \(request.body.count)"
            return LoopbackServer.Response(200, body: Array(text.utf8))
        })
        var request = try server.request("/sign?a=b%20c")
        request.method = .post
        request.body = Data(repeating: 7, count: 100_000)
        request.headerFields[try #require(HTTPField.Name("X-Key"))] = "k"
        request.headerFields[try #require(HTTPField.Name("X-Empty"))] = ""
        #expect(try await loader.load(request).body.text() == "POST /sign?a=b%20c k  100000")
        // The same handle then serves plain requests.
        #expect(try await loader.load(try server.request("/x")).body.text() == "GET /x - - 0")
    }

    /// The same handle sends all requests, one after the other.
    @Test func requestsContainNothingOfEarlierOnes() async throws {
        let server = try LoopbackServer(serving: { request in
            let text =
                "\(request.method) \(request.target) \(request["X-A"] ?? "-") \(request["X-B"] ?? "-") \(request.body.count)"
            return LoopbackServer.Response(200, body: Array(text.utf8))
        })
        let (a, b) = (try #require(HTTPField.Name("X-A")), try #require(HTTPField.Name("X-B")))
        func answer(_ path: String, _ fields: HTTPFields, body: Data? = nil) async throws -> String {
            var request = try server.request(path)
            request.headerFields = fields
            if let body { (request.method, request.body) = (.post, body) }
            return try await loader.load(request).body.text()
        }
        #expect(try await answer("/1", [:]) == "GET /1 - - 0")
        #expect(try await answer("/1", [a: "1"]) == "GET /1 1 - 0")
        #expect(try await answer("/2", [a: "1"]) == "GET /2 1 - 0")
        #expect(try await answer("/2", [a: "2"]) == "GET /2 2 - 0")
        #expect(try await answer("/2", [b: "2"]) == "GET /2 - 2 0")
        #expect(try await answer("/2", [b: "2"], body: Data([1, 2, 3])) == "POST /2 - 2 3")
        #expect(try await answer("/2", [b: "2"]) == "GET /2 - 2 0")
        #expect(try await answer("/2", [:]) == "GET /2 - - 0")
    }

    @Test(arguments: [nil, "image/png"])
    func theContentTypeOfTheRequestIsSent(_ type: String?) async throws {
        let server = try LoopbackServer(serving: { request in
            LoopbackServer.Response(200, body: Array("\(request["Content-Type"] ?? "-") \(request.body.count)".utf8))
        })
        var request = try server.request()
        (request.method, request.body) = (.post, Data([1, 2, 3]))
        request.headerFields[.contentType] = type
        #expect(try await loader.load(request).body.text() == "\(type ?? "-") 3")
    }

    @Test func theDefaultUserAgentIsSent() async throws {
        let server = try LoopbackServer(serving: { request in
            LoopbackServer.Response(200, body: Array("\(request["User-Agent"] ?? "-") \(request.body.count)".utf8))
        })
        func answer(_ fields: HTTPFields, body: Data? = nil, by loader: CurlLoader) async throws -> String {
            var request = try server.request()
            request.headerFields = fields
            if let body { (request.method, request.body) = (.post, body) }
            return try await loader.load(request).body.text()
        }
        #expect(try await answer([:], by: loader) == "Calotype 0")
        #expect(try await answer([.userAgent: "Own"], by: loader) == "Own 0")
        #expect(try await answer([:], body: Data([1, 2]), by: loader) == "Calotype 2")
        #expect(try await answer([.authorization: "secret"], by: loader) == "Calotype 0")
        #expect(try await answer([:], by: loader) == "Calotype 0")
        var configuration = CurlLoader.Configuration()
        configuration.userAgent = ""
        let nameless = CurlLoader(configuration)
        #expect(try await answer([:], by: nameless) == "- 0")
        #expect(try await answer([.userAgent: "Own"], by: nameless) == "Own 0")
    }

    @Test func compressionIsNotRequested() async throws {
        let server = try LoopbackServer(serving: { request in
            LoopbackServer.Response(200, body: Array((request["Accept-Encoding"] ?? "none").utf8))
        })
        #expect(try await loader.load(try server.request()).body.text() == "none")
    }

    @Test func aResponseToHeadHasNoBodyDespiteContentLength() async throws {
        let server = try LoopbackServer { _, connection in
            try connection.writeHeaders(200, headers: [("Content-Length", "5000000000")])
        }
        var request = try server.request()
        request.method = .head
        let response = try await loader.load(request)
        #expect(response.expectedBytes == 5_000_000_000)
        #expect(try await response.body.collected().isEmpty)
    }

    @Test func interimResponsesAndTrailersAreIgnored() async throws {
        let server = try LoopbackServer { _, connection in
            try connection.write("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n")
            try connection.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nX-Final: yes\r\n\r\n")
            try connection.writeChunk(Array("body".utf8))
            try connection.write("0\r\nHTTP/1.1 500: Late\r\n\r\n")
        }
        let response = try await loader.load(try server.request())
        #expect(response.head.status == 200)
        #expect(response.head.headerFields[try #require(HTTPField.Name("X-Final"))] == "yes")
        #expect(response.head.headerFields[try #require(HTTPField.Name("Link"))] == nil)
        #expect(try await response.body.text() == "body")
    }

    @Test func anEmptyBodyHasNoChunks() async throws {
        let server = try LoopbackServer.answering(204, headers: [("Content-Length", "0")], body: "")
        let response = try await loader.load(try server.request())
        #expect(response.body.wholeData?.isEmpty == true)
    }

    @Test func credentialsInTheURLAreSentAndNotReturned() async throws {
        let server = try LoopbackServer(serving: { request in
            LoopbackServer.Response(200, body: Array((request["Authorization"] ?? "none").utf8))
        })
        let url = try #require(URL(string: server.url("/").replacing("http://", with: "http://us%65r:pass@")))
        // RFC 7617: base64 of "user:pass".
        #expect(try await loader.load(DataRequest(url: url)).body.text() == "Basic dXNlcjpwYXNz")
        #expect(try await loader.load(try server.request()).body.text() == "none")
    }

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
        let loader = CurlLoader(.withoutIdleTimeout, limits: limits)
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

    /// With libcurl's limits it would: when a connection is free, libcurl tries only the transfer that has waited longest.
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
        let loader = CurlLoader(.withoutIdleTimeout, limits: limits)
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
        let loader = CurlLoader(.withoutIdleTimeout)
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

@Suite(.timeLimit(.minutes(1)))
struct ConnectionsWithExcessInput {
    /// A second response that no request asked for.
    private static let excess = LoopbackServer.text(of: "wrong")

    @Test(arguments: [HTTPRequest.Method.get, .post])
    func areNotReused(_ method: HTTPRequest.Method) async throws {
        let hasLoaded = try LoopbackServer.Gate()
        let server = try LoopbackServer { request, connection in
            try connection.write(LoopbackServer.text(of: request.target))
            guard request.target == "/first" else { return }
            try connection.wait(for: hasLoaded)
            try connection.write(Self.excess)
        }
        let loader = CurlLoader(.withoutIdleTimeout)
        #expect(try await loader.load(try server.request("/first")).body.text() == "/first")
        hasLoaded.open()
        try #require(hasInput(socketConnected(to: server.port)))
        var request = try server.request("/second")
        request.method = method
        #expect(try await loader.load(request).body.text() == "/second")
        #expect(server.connections.value == 2)
        #expect(try await loader.load(try server.request("/third")).body.text() == "/third")
        #expect(server.connections.value == 2)
    }

    @Test func areNotReusedAfterTheyWereReused() async throws {
        let hasLoaded = try LoopbackServer.Gate()
        let server = try LoopbackServer { request, connection in
            try connection.write(LoopbackServer.text(of: request.target))
            guard request.target == "/second" else { return }
            try connection.wait(for: hasLoaded)
            try connection.write(Self.excess)
        }
        let loader = CurlLoader(.withoutIdleTimeout)
        for target in ["/first", "/second"] {
            #expect(try await loader.load(try server.request(target)).body.text() == target)
        }
        #expect(server.connections.value == 1)
        hasLoaded.open()
        try #require(hasInput(socketConnected(to: server.port)))
        #expect(try await loader.load(try server.request("/third")).body.text() == "/third")
        #expect(server.connections.value == 2)
    }

    @Test func areNotReusedIfTheExcessCameWithTheBody() async throws {
        let hasBegun = try LoopbackServer.Gate()
        let server = try LoopbackServer { request, connection in
            let text = LoopbackServer.text(of: request.target)
            guard request.target == "/first" else { return try connection.write(text) }
            try connection.write(String(text.dropLast(2)))
            try connection.wait(for: hasBegun)
            try connection.write(text.suffix(2) + Self.excess)
        }
        let loader = CurlLoader(.withoutIdleTimeout)
        let first = try await loader.load(try server.request("/first"))
        hasBegun.open()
        #expect(try await first.body.text() == "/first")
        #expect(try await loader.load(try server.request("/second")).body.text() == "/second")
        #expect(server.connections.value == 2)
    }

    /// The descriptor of this process's connection to a local port.
    private func socketConnected(to port: Int) throws -> Int32 {
        try #require(
            (0..<1024).first { descriptor in
                var address = sockaddr_in()
                var size = socklen_t(MemoryLayout<sockaddr_in>.size)
                let isConnected = unsafe withUnsafeMutablePointer(to: &address) { typed in
                    unsafe typed.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                        unsafe getpeername(descriptor, $0, &size) == 0
                    }
                }
                return isConnected && address.sin_family == AF_INET && address.sin_port == UInt16(port).bigEndian
            })
    }

    /// Waits until there is something to read.
    private func hasInput(_ socket: Int32) -> Bool {
        var descriptor = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
        return unsafe poll(&descriptor, 1, 10_000) == 1
    }
}

@Suite(.timeLimit(.minutes(1)))
struct CurlLoaderStreaming {
    let loader = CurlLoader(.withoutIdleTimeout)

    @Test func theFirstChunkIsReturnedBeforeTheSecondIsSent() async throws {
        let gate = try LoopbackServer.Gate()
        let server = try LoopbackServer { _, connection in
            try connection.writeHeaders(200, headers: [("Content-Length", "10")])
            try connection.write("first")
            try connection.wait(for: gate)
            try connection.write("later")
        }
        let response = try await loader.load(try server.request())
        var chunks = response.body.makeAsyncIterator()
        #expect(try await chunks.next() == Data("first".utf8))
        gate.open()
        #expect(try await chunks.next() == Data("later".utf8))
        #expect(try await chunks.next() == nil)
    }

    @Test func responseHeadersAreReturnedBeforeTheBody() async throws {
        let gate = try LoopbackServer.Gate()
        let server = try LoopbackServer { _, connection in
            try connection.writeHeaders(200, headers: [("Content-Length", "4")])
            try connection.wait(for: gate)
            try connection.write("body")
        }
        let response = try await loader.load(try server.request())
        #expect(response.head.status == 200)
        gate.open()
        #expect(try await response.body.text() == "body")
    }

    /// What the server can send before its socket is full limits what the loader holds.
    @Test func anUnreadBodyIsNotReceivedBeyondTheWindow() async throws {
        let sent = Lock(0)
        let server = try LoopbackServer { _, connection in
            try connection.writeHeaders(200, headers: [("Transfer-Encoding", "chunked")])
            let piece = [UInt8](repeating: 1, count: 64 << 10)
            while true {
                try connection.writeChunk(piece)
                sent.withLock { $0 += piece.count }
            }
        }
        var configuration = CurlLoader.Configuration.withoutIdleTimeout
        configuration.window = 128 << 10
        let loader = CurlLoader(configuration)
        let response = try await loader.load(try server.request(maximumBytes: 1 << 30))
        var chunks = response.body.makeAsyncIterator()
        let port = try RefusingPort()
        defer { withExtendedLifetime(port) {} }
        var largest = 0
        var read = 0
        while read < 64 << 20 {
            let chunk = try #require(try await chunks.next())
            largest = max(largest, chunk.count)
            read += chunk.count
            // Other transfers wake the loop, so that it would receive more if it could.
            if read % 7 == 0 { _ = try? await loader.load(DataRequest(url: port.url)) }
        }
        #expect(largest <= 2 * configuration.window)
        // The sockets hold bytes, too, which neither side counts.
        #expect(sent.withLock { $0 } - read <= 2 * configuration.window + mostInSockets())
    }

    @Test func everyByteArrivesInOrderThroughPauses() async throws {
        let count = 8 << 20
        let server = try LoopbackServer(serving: { _ in
            LoopbackServer.Response(200, body: (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 16) })
        })
        var configuration = CurlLoader.Configuration.withoutIdleTimeout
        configuration.window = 20_000
        let response = try await CurlLoader(configuration).load(try server.request())
        var position = 0
        for try await chunk in response.body {
            let isRight = zip(chunk, position...).allSatisfy { $0 == UInt8(truncatingIfNeeded: $1 &* 2_654_435_761 >> 16) }
            try #require(isRight)
            position += chunk.count
            await Task.yield()
        }
        #expect(position == count)
    }
}

extension CurlLoaderStreaming {
    /// libcurl delivers up to 16 KB at a time.
    @Test(arguments: [1, 1000, 16_000])
    func aSmallWindowBlocksNothing(_ window: Int) async throws {
        let count = 1 << 20
        let server = try LoopbackServer(serving: { _ in .init(200, body: [UInt8](repeating: 1, count: count)) })
        var configuration = CurlLoader.Configuration.withoutIdleTimeout
        configuration.window = window
        var position = 0
        for try await chunk in try await CurlLoader(configuration).load(try server.request(timeout: .seconds(10))).body {
            position += chunk.count
            await Task.yield()
        }
        #expect(position == count)
    }
}

@Suite(.timeLimit(.minutes(1)))
struct CurlLoaderTiming {
    @Test func timingsTellNewAndReusedConnectionsApart() async throws {
        let server = try LoopbackServer.answering(body: "x")
        let loader = CurlLoader(.withoutIdleTimeout)
        let first = try await loader.load(try server.request())
        _ = try await first.body.collected()
        let second = try await loader.load(try server.request())
        let timing = try #require(first.timing)
        #expect(!timing.isReused)
        #expect(timing.connect > .zero)
        #expect(timing.tlsHandshake == .zero)
        #expect(timing.firstByte >= timing.nameLookup + timing.connect)
        #expect(second.timing?.isReused == true)
        #expect(second.timing?.connect == .zero)
        #expect(second.timing?.firstByte ?? .zero > .zero)
    }
}
