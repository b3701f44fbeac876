#if os(Linux)
    import Glibc
    import ImageCore
    import ImageNetworking
    import LoopbackHTTP
    import Testing

    /// The environment belongs to the process: each of these runs in one of its own.
    @Suite(.timeLimit(.minutes(1)))
    struct ProxiesOfTheEnvironment {
        @Test func plainRequestsGoThroughTheProxy() async throws {
            await #expect(processExitsWith: .success) {
                let proxy = try LoopbackServer(serving: { request in
                    LoopbackServer.Response(200, body: Array("asked for \(request.target)".utf8))
                })
                _ = unsafe setenv("http_proxy", proxy.url(), 1)
                let url = try #require(URL(string: "http://nowhere.invalid/a.png"))
                let text = try await CurlLoader(.patient).load(DataRequest(url: url)).body.text()
                #expect(text == "asked for http://nowhere.invalid/a.png")
            }
        }

        @Test func theProxyIsAskedForATunnelForHTTPS() async throws {
            await #expect(processExitsWith: .success) {
                let asked = Lock<[String]>([])
                let proxy = try LoopbackServer { request, connection in
                    asked.withLock { $0.append("\(request.method) \(request.target)") }
                    try connection.respond(LoopbackServer.Response(403))
                }
                _ = unsafe setenv("https_proxy", proxy.url(), 1)
                let url = try #require(URL(string: "https://nowhere.invalid/a.png"))
                let error = try await imageError { _ = try await CurlLoader(.patient).load(DataRequest(url: url)) }
                #expect(error.category == .network)
                #expect(asked.withLock { $0 } == ["CONNECT nowhere.invalid:443"])
            }
        }

        @Test func hostsOfNoProxyAreAskedDirectly() async throws {
            await #expect(processExitsWith: .success) {
                let proxy = try LoopbackServer.answering(body: "proxy")
                let server = try LoopbackServer.answering(body: "direct")
                _ = unsafe setenv("http_proxy", proxy.url(), 1)
                _ = unsafe setenv("no_proxy", "127.0.0.1", 1)
                #expect(try await CurlLoader(.patient).load(try server.request()).body.text() == "direct")
                #expect(proxy.connections.value == 0)
            }
        }

        @Test func aLoaderMayDoWithoutAndOneWithAPolicyAlwaysDoes() async throws {
            await #expect(processExitsWith: .success) {
                let proxy = try LoopbackServer.answering(body: "proxy")
                let server = try LoopbackServer.answering(body: "direct")
                _ = unsafe setenv("http_proxy", proxy.url(), 1)
                var configuration = CurlLoader.Configuration.patient
                configuration.usesProxyOfEnvironment = false
                #expect(try await CurlLoader(configuration).load(try server.request()).body.text() == "direct")
                configuration.usesProxyOfEnvironment = true
                var policy = SourcePolicy()
                policy.allowsPrivateAddresses = true
                configuration.sourcePolicy = policy
                #expect(try await CurlLoader(configuration).load(try server.request()).body.text() == "direct")
            }
        }

        @Test func aProxyThatIsNotThereIsAFailedConnection() async throws {
            await #expect(processExitsWith: .success) {
                _ = unsafe setenv("http_proxy", try refusedURL().absoluteString, 1)
                let url = try #require(URL(string: "http://nowhere.invalid/a.png"))
                let error = try await imageError { _ = try await CurlLoader(.patient).load(DataRequest(url: url)) }
                #expect(error.code == .connectionFailed)
            }
        }
    }
#endif
