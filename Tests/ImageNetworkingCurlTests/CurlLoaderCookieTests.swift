import ImageCore
import ImageNetworkingCurl
import LoopbackHTTP
import LoopbackTLS
import NetworkTestKit
import Testing

/// FEATURES 4.15.
@Suite(.timeLimit(.minutes(1)))
struct CurlLoaderCookies {
    /// Redirects to itself until it gets its cookie.
    private func gate(_ attributes: String = "") throws -> LoopbackServer {
        try LoopbackServer(serving: { request in
            if let cookie = request["Cookie"] {
                return .init(200, body: Array(cookie.split(separator: "; ").sorted().joined(separator: " ").utf8))
            }
            return .init(
                302, headers: [("Location", request.target), ("Set-Cookie", "pass=1\(attributes)"), ("Set-Cookie", "lang=en")])
        })
    }

    private func loader(_ change: (inout CurlLoader.Configuration) -> Void = { _ in }) -> CurlLoader {
        var configuration = CurlLoader.Configuration()
        configuration.storesCookies = true
        change(&configuration)
        return CurlLoader(configuration)
    }

    @Test func cookiesOfARedirectAreSentBack() async throws {
        let (server, loader) = (try gate(), loader())
        #expect(try await loader.load(try server.request("/a")).body.text() == "lang=en pass=1")
        #expect(try await loader.load(try server.request("/b")).body.text() == "lang=en pass=1")
        #expect(server.requests.value == 3)
        // Another loader has its own.
        #expect(try await self.loader().load(try server.request("/a")).body.text() == "lang=en pass=1")
        #expect(server.requests.value == 5)
    }

    @Test func withoutAJarTheErrorNamesIt() async throws {
        let server = try gate()
        let error = try await imageError { _ = try await CurlLoader().load(try server.request("/a")) }
        #expect(error.code == .tooManyRedirects && error.message.hasSuffix(RedirectLimit.cookieHint))
        let plain = try LoopbackServer.answering(302, headers: [("Location", "/")], body: "")
        let other = try await imageError { _ = try await CurlLoader().load(try plain.request("/")) }
        #expect(!other.message.contains("cookie"))
        // With one, the cookie is not what is missing.
        let endless = try LoopbackServer.answering(302, headers: [("Location", "/"), ("Set-Cookie", "a=1")], body: "")
        let third = try await imageError { _ = try await loader().load(try endless.request("/")) }
        #expect(!third.message.contains("cookie"))
    }

    /// libcurl sends secure cookies to loopback addresses without TLS too, so that these are not among them.
    @Test(arguments: ["; Path=/other", "; Domain=example.org", "; Max-Age=0"])
    func aCookieGoesOnlyWhereItBelongs(_ attributes: String) async throws {
        let (server, loader) = (try gate(attributes), loader())
        #expect(try await loader.load(try server.request("/a")).body.text() == "lang=en")
    }

    @Test func cookiesStayWithTheirHost() async throws {
        let (server, loader) = (try gate(), loader())
        _ = try await loader.body(of: try server.request("/a"))
        let stranger = try LoopbackServer(serving: { .init(200, body: Array(($0["Cookie"] ?? "-").utf8)) })
        let url = try #require(URL(string: "http://localhost:\(stranger.port)/"))
        #expect(try await loader.load(DataRequest(url: url)).body.text() == "-")
    }

    /// Loads on different connections of one loader share the jar.
    @Test func manyLoadsShareTheCookies() async throws {
        let (server, loader) = (try gate(), loader())
        let texts = try await withThrowingTaskGroup { group in
            for number in 0..<50 {
                let request = try server.request("/\(number)")
                group.addTask { try await loader.load(request).body.text() }
            }
            return try await group.reduce(into: Set<String>()) { $0.insert($1) }
        }
        #expect(texts == ["lang=en pass=1"])
        await loader.close()
    }

    #if os(Linux)
        /// A secure cookie comes from and goes to TLS (RFC 6265, sections 5.2.5 and 5.4). libcurl and browsers count
        /// loopback addresses as secure, so that it also goes there without TLS.
        @Test func aSecureCookieGoesToTLSAndToLoopback() async throws {
            let identity = try #require(LoopbackServer.Identity())
            let secure = try LoopbackServer(security: identity) { request, connection in
                let cookie = request["Cookie"]
                try connection.respond(
                    .init(
                        200, headers: cookie == nil ? [("Set-Cookie", "pass=1; Secure"), ("Set-Cookie", "lang=en")] : [],
                        body: Array((cookie ?? "-").utf8)))
            }
            let plain = try LoopbackServer(serving: { .init(200, body: Array(($0["Cookie"] ?? "-").utf8)) })
            let loader = loader {
                $0.certificateAuthorities = .pem(Data(identity.certificate.utf8))
            }
            let texts = ["-", "lang=en; pass=1"]
            for text in texts { #expect(try await sorted(loader, secure) == text) }
            #expect(try await sorted(loader, plain) == texts[1])
        }

        private func sorted(_ loader: CurlLoader, _ server: LoopbackServer) async throws -> String {
            try await loader.load(try server.request("/")).body.text().split(separator: "; ").sorted().joined(separator: "; ")
        }
    #endif
}
