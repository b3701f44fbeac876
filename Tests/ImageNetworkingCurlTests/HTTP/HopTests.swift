import HTTPTypes
import ImageCore
import ImageNetworking
import Testing

@testable import ImageNetworkingCurl

@Suite struct Hops {
    private func hop(_ url: String, _ method: HTTPRequest.Method = .get, _ fields: HTTPFields = [:]) throws -> Hop {
        try .first(of: DataRequest(url: try #require(URL(string: url)), method: method, headerFields: fields))
    }

    @Test func aHeadRequestStaysHeadAfterA303() throws {
        #expect(
            try hop("http://a/", .head).following(HTTPResponse(status: .init(code: 303)), to: "http://a/b", source: "").method
                == .head)
        #expect(
            try hop("http://a/", .put).following(HTTPResponse(status: .init(code: 303)), to: "http://a/b", source: "").method
                == .get)
    }

    @Test func theAuthorizationOfTheRequestWinsOverTheURL() throws {
        #expect(try hop("http://user:pass@a/").headerFields[.authorization] == "Basic dXNlcjpwYXNz")
        #expect(try hop("http://user:pass@a/", .get, [.authorization: "own"]).headerFields[.authorization] == "own")
    }

    @Test(arguments: [("user", "user:"), ("user:", "user:"), ("us%40er:p%3Ass", "us@er:p:ss"), ("", nil)])
    func theURLsCredentialsHaveAColon(_ credentials: String, _ expected: String?) throws {
        let encoded = expected.map { "Basic " + Data($0.utf8).base64EncodedString() }
        #expect(try hop("http://\(credentials)@a/").headerFields[.authorization] == encoded, "RFC 7617, section 2")
    }

    @Test func credentialsOfALocationAreIgnored() throws {
        let next = try hop("http://a/").following(HTTPResponse(status: .init(code: 302)), to: "http://user:pass@a/b", source: "")
        #expect(next.address.credentials == nil)
        #expect(next.address.text == "http://a/b")
        #expect(next.headerFields[.authorization] == nil)
    }

    @Test func theErrorForTooManyRedirectsContainsNoQuery() throws {
        var last = try hop("http://a/")
        for number in 1...RedirectLimit.standard {
            last = try last.following(HTTPResponse(status: .init(code: 302)), to: "http://a/\(number)?token=secret", source: "")
        }
        var message = ""
        do { _ = try last.following(HTTPResponse(status: .init(code: 302)), to: "http://a/", source: "It") } catch {
            message = error.message
        }
        #expect(message == "It was redirected more than 10 times; the last address was http://a/10.")
    }

    @Test func fieldsThatMayBeCredentialsAreNotSentToAnotherOrigin() throws {
        let key = try #require(HTTPField.Name("X-Api-Key"))
        let host = try #require(HTTPField.Name("Host"))
        let fields: HTTPFields = [
            .authorization: "a", .cookie: "b", .proxyAuthorization: "c", host: "d", key: "e", .accept: "image/png",
            .acceptLanguage: "en", .range: "bytes=7-", .ifRange: "\"v\"", .userAgent: "Example",
        ]
        let first = try hop("http://a/", .get, fields)
        #expect(try first.following(HTTPResponse(status: .init(code: 302)), to: "http://a/b", source: "").headerFields == fields)
        for url in ["http://b/", "https://a/", "http://a:81/"] {
            let kept = try first.following(HTTPResponse(status: .init(code: 302)), to: url, source: "").headerFields
            #expect(kept == HTTPFields(fields.suffix(5)), "\(url)")
        }
    }

    @Test func theTimeLimitCountsFromTheStartOfAChain() throws {
        let now = ContinuousClock.now
        func expiry(_ timeout: Duration) throws -> ContinuousClock.Instant {
            let request = DataRequest(url: try #require(URL(string: "http://a/")))
            let hop = try Hop.first(of: request).following(
                HTTPResponse(status: .init(code: 302)), to: "http://a/b", source: "http://a/")
            return Fetch(request.url, timeout: timeout, hop: hop, limit: 1, now: now - .seconds(10)).expiry(at: now)
        }
        #expect(try expiry(.seconds(30)) == now + .seconds(20))
        if #available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *) {
            #expect(try expiry(Duration(attoseconds: .max)) > now + .seconds(900_000_000))
        }
    }
}
