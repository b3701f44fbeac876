import HTTPTypes
import ImageCore
import ImageNetworkingCurl
import LoopbackHTTP
import NetworkTestKit
import Testing

@Suite(.timeLimit(.minutes(1)))
struct CurlLoaderRedirects {
    let loader = CurlLoader()

    /// `/n` redirects to `/n-1`, and `/0` responds with what it received.
    private func countdown() throws -> LoopbackServer {
        try LoopbackServer(serving: { request in
            guard let number = Int(request.path.dropFirst()), number > 0 else {
                let text =
                    "\(request.method) \(request["Authorization"] ?? "-") \(request["Cookie"] ?? "-") \(request.body.count)"
                return LoopbackServer.Response(200, body: Array(text.utf8))
            }
            return LoopbackServer.Response(
                302, headers: [("Location", "\(number - 1)")], body: [UInt8](repeating: 0, count: 300_000))
        })
    }

    @Test func tenRedirectsAreFollowedAndTheFinalURLIsKnown() async throws {
        let server = try countdown()
        let response = try await loader.load(try server.request("/10"))
        #expect(response.url.absoluteString == server.url("/0"))
        #expect(response.head.status == 200)
        #expect(response.head.headerFields[.location] == nil)
    }

    /// A redirect's own body is read up to this length, so that its connection serves the next request.
    @Test(arguments: [(65_536, 1), (65_537, 2)])
    func aSmallBodyOfARedirectKeepsTheConnection(_ length: Int, _ connections: Int) async throws {
        let server = try LoopbackServer(serving: { request in
            guard request.path == "/" else { return LoopbackServer.Response(200, body: []) }
            return LoopbackServer.Response(
                302, headers: [("Location", "/moved")], body: [UInt8](repeating: 0, count: length))
        })
        #expect(try await loader.load(try server.request()).head.status == 200)
        #expect(server.connections.value == connections)
    }

    @Test func aRedirectCanBeTheResult() async throws {
        let server = try countdown()
        var configuration = CurlLoader.Configuration()
        configuration.followsRedirects = false
        let response = try await CurlLoader(configuration).load(try server.request("/3"))
        #expect(response.head.status == 302 && response.head.headerFields[.location] == "2")
        #expect(response.url.absoluteString == server.url("/3"))
        var count = 0
        for try await chunk in response.body { count += chunk.count }
        #expect(count == 300_000 && server.requests.value == 1)
    }

    @Test func anEleventhIsAnError() async throws {
        let server = try countdown()
        let error = try await imageError { _ = try await loader.load(try server.request("/11")) }
        #expect(error.code == .tooManyRedirects)
        #expect(
            error.message == "\(server.url("/11")) was redirected more than 10 times; the last address was \(server.url("/1")).")
    }

    @Test func aLoopIsAnError() async throws {
        let server = try LoopbackServer.answering(301, headers: [("Location", "/")], body: "")
        #expect(try await imageError { _ = try await loader.load(try server.request()) }.code == .tooManyRedirects)
        #expect(server.requests.value == 11)
    }

    @Test(arguments: ["ftp://127.0.0.1/a", "file:///etc/passwd", "data:image/png,abc", "javascript:alert(1)"])
    func anotherSchemeIsRejected(_ location: String) async throws {
        let server = try LoopbackServer.answering(302, headers: [("Location", location)], body: "")
        let error = try await imageError { _ = try await loader.load(try server.request()) }
        #expect(error.code == .badResponse)
        #expect(error.message.contains("to the scheme “\(location.prefix { $0 != ":" })”; only http and https are followed"))
        #expect(server.requests.value == 1)
    }

    @Test(arguments: ["http://", "http://ho st/", "http://[::1/", "http://a:1234567/"])
    func aMalformedLocationIsRejected(_ location: String) async throws {
        let server = try LoopbackServer.answering(302, headers: [("Location", location)], body: "")
        #expect(try await imageError { _ = try await loader.load(try server.request()) }.code == .badResponse)
        #expect(server.requests.value == 1)
    }

    /// A name that libcurl cannot convert for the DNS; if libcurl was built without international names, a name that is
    /// too long.
    @Test func anInvalidHostNameInALocationIsABadResponse() async throws {
        let name = "\u{FFFD}" + String(repeating: "a", count: 64)
        let server = try LoopbackServer.answering(302, headers: [("Location", "http://\(name).invalid/")], body: "")
        #expect(try await imageError { _ = try await loader.load(try server.request()) }.category == .network)
    }

    @Test func aRedirectWithoutALocationIsAResponse() async throws {
        let server = try LoopbackServer.answering(304, body: "")
        #expect(try await loader.load(try server.request()).head.status == 304)
    }

    @Test func credentialsStayWithTheirOrigin() async throws {
        let stranger = try countdown()
        let server = try LoopbackServer(serving: { request in
            let target = request.path == "/away" ? stranger.url("/1") : "/0?x"
            if request.path == "/0" {
                return LoopbackServer.Response(
                    200, body: Array("\(request["Authorization"] ?? "-") \(request["Cookie"] ?? "-")".utf8))
            }
            return LoopbackServer.Response(307, headers: [("Location", target)])
        })
        func request(_ path: String) throws -> DataRequest {
            var request = try server.request(path)
            request.headerFields[.authorization] = "Bearer secret"
            request.headerFields[.cookie] = "id=1"
            return request
        }
        #expect(try await loader.load(try request("/home")).body.text() == "Bearer secret id=1")
        #expect(try await loader.load(try request("/away")).body.text() == "GET - - 0")
    }

    @Test(arguments: [(301, "GET - - 0"), (302, "GET - - 0"), (303, "GET - - 0"), (307, "POST - - 3"), (308, "POST - - 3")])
    func aPostBecomesAGetDependingOnTheStatus(_ status: Int, _ expected: String) async throws {
        let echo = try countdown()
        let server = try LoopbackServer.answering(status, headers: [("Location", echo.url("/0"))], body: "")
        var request = try server.request()
        request.method = .post
        request.body = Data([1, 2, 3])
        #expect(try await loader.load(request).body.text() == expected)
    }

    @Test func credentialsInALocationAreIgnored() async throws {
        let echo = try countdown()
        let location = echo.url("/0").replacing("http://", with: "http://user:secret@")
        let server = try LoopbackServer.answering(302, headers: [("Location", location)], body: "")
        let response = try await loader.load(try server.request())
        #expect(try await response.body.text() == "GET - - 0")
        #expect(!response.url.absoluteString.contains("secret"))
    }

    /// Bytes that no URL may have are percent-encoded one by one, and valid escapes stay.
    @Test(arguments: [
        ("/b\u{E9}".utf8.map { $0 }, "/b%C3%A9"), ([0x2F, 0xE9, 0xFF], "/%E9%FF"), (Array("/a b?c d".utf8), "/a%20b?c%20d"),
        (Array("/a+b?c+d".utf8), "/a+b?c+d"), (Array("/%2f%E9?a[]=%5b".utf8), "/%2f%E9?a%5B%5D=%5b"),
        (Array("/100%?50%x".utf8), "/100%25?50%25x"), (Array("/a|b^c\"<>`{}\\d".utf8), "/a%7Cb%5Ec%22%3C%3E%60%7B%7D%5Cd"),
        (Array("?q\u{E9}".utf8), "/start/a?q%C3%A9"), (Array("b c#d e".utf8), "/start/b%20c"), (Array("#only".utf8), "/start/a"),
        ([0x3F, 0x61, 0x09, 0x62], "/start/a?a%09b"),
    ])
    func bytesOfALocationAreEncoded(_ location: [UInt8], _ target: String) async throws {
        let server = try LoopbackServer { request, connection in
            if request.target != "/start/a" || connection.requests.value > 1 {
                return try connection.respond(.init(200, body: Array(request.target.utf8)))
            }
            try connection.write(
                Array("HTTP/1.1 302 Found\r\nContent-Length: 0\r\nLocation: ".utf8) + location + [13, 10, 13, 10])
        }
        let response = try await loader.load(try server.request("/start/a"))
        #expect(try await response.body.text() == target)
        #expect(response.url.absoluteString == server.url(target))
    }

    @Test func aProtocolRelativeLocationIsFollowed() async throws {
        let other = try LoopbackServer(serving: { .init(200, body: Array($0.target.utf8)) })
        let server = try LoopbackServer.answering(302, headers: [("Location", "//127.0.0.1:\(other.port)/a b")], body: "")
        #expect(try await loader.load(try server.request()).body.text() == "/a%20b")
    }

    @Test func anEmptyLocationIsAResponse() async throws {
        let server = try LoopbackServer.answering(302, headers: [("Location", "")], body: "")
        #expect(try await loader.load(try server.request()).head.status == 302)
    }
}
