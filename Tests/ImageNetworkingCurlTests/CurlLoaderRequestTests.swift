import HTTPTypes
import ImageCore
import ImageNetworkingCurl
import LoopbackHTTP
import NetworkTestKit
import Testing

@Suite(.timeLimit(.minutes(1)))
struct CurlLoaderRequests {
    let loader = CurlLoader()

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

    /// libcurl waits a second for an answer to `Expect: 100-continue` before it sends a body over a megabyte.
    @Test func aLongBodyIsSentAtOnce() async throws {
        let server = try LoopbackServer(serving: { request in
            LoopbackServer.Response(200, body: Array("\(request["Expect"] ?? "-") \(request.body.count)".utf8))
        })
        var request = try server.request()
        (request.method, request.body) = (.put, Data(count: 2 << 20))
        #expect(try await loader.load(request).body.text() == "- \(2 << 20)")
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

    @Test func theDefaultsAreThoseOfTheDocumentation() {
        let configuration = CurlLoader.Configuration()
        #expect(configuration.connectTimeout == .seconds(10) && configuration.window == 256 << 10)
        #expect(configuration.followsRedirects && !configuration.storesCookies && configuration.usesProxyOfEnvironment)
        #expect(configuration.httpVersion == .automatic && configuration.certificateAuthorities == .system)
        #expect(configuration.userAgent == "Calotype" && configuration.sourcePolicy == nil)
        let limits = CurlLoader.Limits()
        #expect(limits.connectionsPerHost == 6 && limits.connections == 64 && limits.streamsPerHost == 100)
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

    @Test func credentialsInTheURLAreSentAndNotReturned() async throws {
        let server = try LoopbackServer(serving: { request in
            LoopbackServer.Response(200, body: Array((request["Authorization"] ?? "none").utf8))
        })
        let url = try #require(URL(string: server.url("/").replacing("http://", with: "http://us%65r:pass@")))
        // RFC 7617: base64 of "user:pass".
        #expect(try await loader.load(DataRequest(url: url)).body.text() == "Basic dXNlcjpwYXNz")
        #expect(try await loader.load(try server.request()).body.text() == "none")
    }

    /// Servers may refuse such a request without a length with 411 (RFC 9110, section 8.6).
    @Test(arguments: [
        ("POST", 200, "0"), ("PUT", 200, "0"), ("PATCH", 200, "0"), ("QUERY", 200, "0"), ("POST", 307, "0"), ("PUT", 308, "0"),
        ("POST", 303, "-"), ("POST", 302, "-"), ("PUT", 302, "0"), ("DELETE", 200, "-"), ("GET", 200, "-"),
    ])
    func aMethodThatExpectsABodySendsItsLength(_ method: String, _ status: Int, _ length: String) async throws {
        let server = try LoopbackServer(serving: { request in
            if request.path == "/first", status != 200 { return .init(status, headers: [("Location", "/second")]) }
            return .init(200, body: Array((request["Content-Length"] ?? "-").utf8))
        })
        for body in [nil, Data()] where body == nil || length == "0" {
            var request = try server.request("/first")
            (request.method, request.body) = (try #require(HTTPRequest.Method(method)), body)
            #expect(try await loader.load(request).body.text() == length)
        }
    }

    /// FEATURES 2.5; RFC 9218, section 4.1.
    @Test(arguments: [
        (LoadPriority.veryHigh, "u=1"), (.high, "u=2"), (.normal, "-"), (.low, "u=5"), (.veryLow, "u=7"),
    ])
    func thePriorityReachesTheServer(_ priority: LoadPriority, _ expected: String) async throws {
        let server = try LoopbackServer(serving: { request in
            if request.path == "/first" { return .init(302, headers: [("Location", "/second")]) }
            return .init(200, body: Array((request["Priority"] ?? "-").utf8))
        })
        for path in ["/first", "/second"] {
            var request = try server.request(path)
            request.priority = priority
            #expect(try await loader.load(request).body.text() == expected)
            request.headerFields[.priority] = "u=3, i"
            #expect(try await loader.load(request).body.text() == "u=3, i")
        }
    }
}
