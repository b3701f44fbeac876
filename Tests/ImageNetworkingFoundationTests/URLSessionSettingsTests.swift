import Foundation
import ImageCore
import ImageNetworkingFoundation
import LoopbackHTTP
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// What an app sets for the session of a loader.
@Suite(.timeLimit(.minutes(1)))
struct URLSessionSettings {
    private func text(_ url: String, _ change: (inout URLSessionLoader.Configuration) -> Void) async throws -> String {
        var configuration = URLSessionLoader.Configuration()
        change(&configuration)
        let request = DataRequest(url: try #require(URL(string: url)))
        let response = try await URLSessionLoader(configuration).load(request)
        var body = Data()
        for try await chunk in response.body { body.append(chunk) }
        return String(decoding: body, as: UTF8.self)
    }

    @Test func theDefaultsAreThoseOfTheDocumentation() {
        let settings = URLSessionLoader.Configuration()
        #expect(settings.window == 256 << 10 && settings.userAgent == "Calotype" && settings.allowsConstrainedNetwork)
        #expect(!settings.storesCookies && settings.session == nil && settings.challengeHandler == nil)
        #expect(settings.background == nil)
        let background = URLSessionLoader.BackgroundOptions(identifier: "org.example.images", store: NoDataCache())
        #expect(background.identifier == "org.example.images" && !background.isDiscretionary)
        #expect(background.maximumTransferTime == .seconds(3 * 86_400))
    }

    @Test func theSessionOfTheAppBringsItsFieldsCookiesAndProtocols() async throws {
        let server = try LoopbackServer(serving: { request in
            .init(200, body: Array("\(request["X-Client"] ?? "-") \(request["Cookie"] ?? "-")".utf8))
        })
        let url = server.url("/a")
        #expect(try await text(url) { _ in } == "- -")
        let withSession = try await text(url) { settings in
            settings.session = {
                let session = URLSessionConfiguration.ephemeral
                session.httpAdditionalHeaders = ["X-Client": "gallery"]
                let cookie = HTTPCookie(properties: [
                    .name: "id", .value: "7", .domain: "127.0.0.1", .path: "/", .version: "0",
                ])
                cookie.map { session.httpCookieStorage?.setCookie($0) }
                return session
            }
        }
        #expect(withSession == "gallery id=7")
        let stubbed = try await text("https://example.org/a") { settings in
            settings.session = {
                let session = URLSessionConfiguration.ephemeral
                session.protocolClasses = [StubProtocol.self]
                return session
            }
        }
        #expect(stubbed == "stub")
    }

    /// FEATURES 4.15.
    @Test func cookiesAreKeptIfTheAppSaysSo() async throws {
        let server = try LoopbackServer(serving: { request in
            if let cookie = request["Cookie"] { return .init(200, body: Array(cookie.utf8)) }
            return .init(302, headers: [("Location", request.target), ("Set-Cookie", "pass=1")])
        })
        #expect(try await text(server.url("/a")) { $0.storesCookies = true } == "pass=1")
        // Another loader has its own.
        let error = await #expect(throws: ImageError.self) { try await text(server.url("/a")) { _ in } }
        #expect(error?.code == .tooManyRedirects && error?.message.contains("storesCookies") == true)
    }

    @Test func withoutAnAnswerAChallengeIsAResponse() async throws {
        let server = try LoopbackServer(serving: { _ in
            .init(401, headers: [("WWW-Authenticate", "Basic realm=\"photos\"")], body: Array("denied".utf8))
        })
        #expect(try await text(server.url("/a")) { _ in } == "denied")
        #expect(try await text(server.url("/a")) { $0.challengeHandler = { _ in (.performDefaultHandling, nil) } } == "denied")
    }

    @Test func theCacheOfTheSessionIsNotUsed() throws {
        let settings = URLSessionConfiguration.ephemeral
        settings.urlCache = URLCache.shared
        var configuration = URLSessionLoader.Configuration()
        configuration.session = { settings }
        _ = URLSessionLoader(configuration)
        #expect(settings.urlCache == nil)
    }

    @Test func theAppAnswersChallenges() async throws {
        let server = try LoopbackServer(serving: { request in
            guard let authorization = request["Authorization"] else {
                return .init(401, headers: [("WWW-Authenticate", "Basic realm=\"photos\"")])
            }
            return .init(200, body: Array(authorization.utf8))
        })
        let allowed = try await text(server.url("/a")) { settings in
            settings.challengeHandler = { challenge in
                #expect(challenge.protectionSpace.realm == "photos")
                return (.useCredential, URLCredential(user: "user", password: "pass", persistence: .none))
            }
        }
        #expect(allowed == "Basic dXNlcjpwYXNz")
        do {
            _ = try await text(server.url("/a")) { $0.challengeHandler = { _ in (.cancelAuthenticationChallenge, nil) } }
            Issue.record("A rejected challenge led to a response.")
        } catch let error as ImageError {
            #expect(error.code == .insecure)
        }
    }
}

private struct NoDataCache: DataCaching {
    func entry(for key: DataKey) -> DataEntry? { nil }
    func store(_ entry: DataEntry, for key: DataKey) {}
    func removeEntry(for key: DataKey) {}
    func removeEntries(of resource: ResourceKey) {}
    func removeAll() {}
}

/// Answers every request itself.
private final class StubProtocol: URLProtocol {
    override class func canInit(with request: URLRequest) -> Bool { true }
    override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }
    override func startLoading() {
        guard let url = request.url,
            let response = HTTPURLResponse(url: url, statusCode: 200, httpVersion: "HTTP/1.1", headerFields: [:])
        else { return }
        client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
        client?.urlProtocol(self, didLoad: Data("stub".utf8))
        client?.urlProtocolDidFinishLoading(self)
    }
    override func stopLoading() {}
}
