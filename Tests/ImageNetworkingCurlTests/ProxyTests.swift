#if os(Linux)
    import CalotypeSystem
    import HTTPTypes
    import ImageCore
    import ImageNetworking
    import ImageNetworkingCurl
    import LoopbackHTTP
    import LoopbackTLS
    import NetworkTestKit
    import Testing

    /// A proxy that opens tunnels to local ports (RFC 9110, section 9.3.6), and records its requests.
    private final class TunnelProxy: Sendable {
        private let line: UnreliableConnection
        private let noted = Lock<[String]>([])

        init(_ line: UnreliableConnection = UnreliableConnection()) { self.line = line }

        var asked: [String] { noted.withLock { $0 } }

        func server() throws -> LoopbackServer {
            try LoopbackServer { [self] request, connection in
                noted.withLock { $0.append("\(request.method) \(request.target) \(request["Authorization"] ?? "-")") }
                guard request.method == "CONNECT", let port = request.target.split(separator: ":").last.flatMap({ Int($0) })
                else { return try connection.respond(LoopbackServer.Response(405)) }
                try connection.write("HTTP/1.1 200 Open\r\n\r\n")
                try line.carry(connection, to: port)
                connection.close()
            }
        }
    }

    /// Each test runs in a separate process, since it changes the environment.
    @Suite(.timeLimit(.minutes(1)))
    struct ProxiesOfTheEnvironment {
        @Test func plainRequestsGoThroughTheProxy() async throws {
            await #expect(processExitsWith: .success) {
                let proxy = try LoopbackServer(serving: { request in
                    LoopbackServer.Response(200, body: Array("asked for \(request.target)".utf8))
                })
                _ = unsafe setenv("http_proxy", proxy.url(), 1)
                let url = try #require(URL(string: "http://nowhere.invalid/a.png"))
                let text = try await CurlLoader().load(DataRequest(url: url)).body.text()
                #expect(text == "asked for http://nowhere.invalid/a.png")
            }
        }

        /// The error has the status, and is retried as a response with it would be.
        @Test(arguments: [(407, 1), (403, 1), (502, 2), (503, 2), (504, 2), (404, 1)])
        func aRefusedTunnelIsAnErrorWithTheStatus(_ status: Int, _ attempts: Int) async throws {
            await #expect(processExitsWith: .success) { [status, attempts] in
                let asked = Lock<[String]>([])
                let proxy = try LoopbackServer { request, connection in
                    asked.withLock { $0.append("\(request.method) \(request.target) \(request["User-Agent"] ?? "-")") }
                    try connection.respond(LoopbackServer.Response(status, body: Array("refused".utf8)))
                }
                _ = unsafe setenv("https_proxy", proxy.url(), 1)
                let url = try #require(URL(string: "https://nowhere.invalid/a.png"))
                let policy = RetryPolicy(maximumRetries: 1, baseDelay: .milliseconds(1), multiplier: 1)
                let loader = RetryingLoader(CurlLoader(), policy: policy)
                let error = try await imageError { _ = try await loader.load(DataRequest(url: url)) }
                #expect(error.code == .connectionFailed && error.status == status)
                #expect(error.message.contains("proxy") && error.message.contains("\(status)"))
                #expect(
                    asked.withLock { $0 } == [String](repeating: "CONNECT nowhere.invalid:443 Calotype", count: attempts))
            }
        }

        @Test func aTunnelThroughTheProxyCarriesHTTPS() async throws {
            await #expect(processExitsWith: .success) {
                let identity = try #require(LoopbackServer.Identity())
                let server = try LoopbackServer(security: identity) { request, connection in
                    let seen = "\(request.target) \(request["Authorization"] ?? "-")"
                    try connection.respond(LoopbackServer.Response(200, body: Array(seen.utf8)))
                }
                let proxy = TunnelProxy()
                let front = try proxy.server()
                _ = unsafe setenv("https_proxy", front.url(), 1)
                let loader = CurlLoader(.trusting(identity))
                var request = try server.request("/a.png")
                request.headerFields[.authorization] = "Bearer secret"
                #expect(try await loader.load(request).body.text() == "/a.png Bearer secret")
                #expect(try await loader.load(request).body.text() == "/a.png Bearer secret")
                // Both requests use one tunnel, and the proxy does not see their headers.
                #expect(proxy.asked == ["CONNECT 127.0.0.1:\(server.port) -"])
            }
        }

        @Test func certificatesAreCheckedThroughTheProxyToo() async throws {
            await #expect(processExitsWith: .success) {
                let identity = try #require(LoopbackServer.Identity(.otherHost))
                let server = try LoopbackServer(security: identity) { _, connection in
                    try connection.respond(LoopbackServer.Response(200))
                }
                let proxy = TunnelProxy()
                let front = try proxy.server()
                _ = unsafe setenv("https_proxy", front.url(), 1)
                let error = try await imageError { _ = try await CurlLoader(.trusting(identity)).load(try server.request()) }
                #expect(error.code == .insecure)
                #expect(server.requests.value == 0)
                #expect(proxy.asked.count == 1)
            }
        }

        @Test func aTunnelThatBreaksIsALostConnection() async throws {
            await #expect(processExitsWith: .success) {
                let identity = try #require(LoopbackServer.Identity())
                let server = try LoopbackServer(security: identity) { _, connection in
                    try connection.respond(LoopbackServer.Response(200, body: [UInt8](repeating: 1, count: 500_000)))
                }
                let front = try TunnelProxy(UnreliableConnection(breaksAfter: 100_000)).server()
                _ = unsafe setenv("https_proxy", front.url(), 1)
                let error = try await imageError { _ = try await CurlLoader(.trusting(identity)).body(of: try server.request()) }
                #expect(error.code == .connectionLost)
            }
        }

        /// A proxy would look up the name and connect to an address that the policy has not checked.
        @Test func aLoaderWithAPolicyUsesNoProxy() async throws {
            await #expect(processExitsWith: .success) {
                let identity = try #require(LoopbackServer.Identity())
                let server = try LoopbackServer(security: identity) { _, connection in
                    try connection.respond(LoopbackServer.Response(200, body: Array("direct".utf8)))
                }
                let proxy = TunnelProxy()
                let front = try proxy.server()
                _ = unsafe setenv("https_proxy", front.url(), 1)
                _ = unsafe setenv("all_proxy", front.url(), 1)
                var configuration = CurlLoader.Configuration.trusting(identity)
                configuration.sourcePolicy = SourcePolicy()
                let error = try await imageError { _ = try await CurlLoader(configuration).load(try server.request()) }
                #expect(error.code == .sourceForbidden)
                configuration.sourcePolicy?.allowsPrivateAddresses = true
                #expect(try await CurlLoader(configuration).load(try server.request()).body.text() == "direct")
                #expect(front.connections.value == 0)
            }
        }

        @Test func hostsInNoProxyAreConnectedDirectly() async throws {
            await #expect(processExitsWith: .success) {
                let proxy = try LoopbackServer.answering(body: "proxy")
                let server = try LoopbackServer.answering(body: "direct")
                _ = unsafe setenv("http_proxy", proxy.url(), 1)
                _ = unsafe setenv("no_proxy", "127.0.0.1", 1)
                #expect(try await CurlLoader().load(try server.request()).body.text() == "direct")
                #expect(proxy.connections.value == 0)
            }
        }

        @Test func proxiesCanBeDisabledAndAreWithAPolicy() async throws {
            await #expect(processExitsWith: .success) {
                let proxy = try LoopbackServer.answering(body: "proxy")
                let server = try LoopbackServer.answering(body: "direct")
                _ = unsafe setenv("http_proxy", proxy.url(), 1)
                var configuration = CurlLoader.Configuration()
                configuration.usesProxyOfEnvironment = false
                #expect(try await CurlLoader(configuration).load(try server.request()).body.text() == "direct")
                configuration.usesProxyOfEnvironment = true
                var policy = SourcePolicy()
                policy.allowsPrivateAddresses = true
                configuration.sourcePolicy = policy
                #expect(try await CurlLoader(configuration).load(try server.request()).body.text() == "direct")
            }
        }

        @Test func anUnreachableProxyIsAConnectionFailure() async throws {
            await #expect(processExitsWith: .success) {
                let port = try RefusingPort()
                defer { withExtendedLifetime(port) {} }
                _ = unsafe setenv("http_proxy", port.url.absoluteString, 1)
                let url = try #require(URL(string: "http://nowhere.invalid/a.png"))
                let error = try await imageError { _ = try await CurlLoader().load(DataRequest(url: url)) }
                #expect(error.code == .connectionFailed)
            }
        }
    }
#endif
