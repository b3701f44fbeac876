import CalotypeTesting
import HTTPTypes
import ImageCore
import Testing

@testable import ImageCaching

/// The stored responses that an unsafe request removes.
@Suite("CachedLoader invalidation", .timeLimit(.minutes(1))) struct CachedLoaderInvalidation {
    private static let other = URL(string: "https://example.org/other")!

    @Test(
        "RFC 9111 §4.4 an unsafe method removes the responses of its URL",
        arguments: ["POST", "PUT", "DELETE", "PATCH", "M-SEARCH"])
    func unsafeMethodsRemoveTheResponsesOfTheURL(_ method: String) async throws {
        let bench = CacheBench(
            .init(200, ["Cache-Control: max-age=60"]), .init(200), .init(200, ["Cache-Control: max-age=60"]))
        let loader = bench.makeLoader()
        _ = try await loader.see()
        #expect(try await loader.see(method: method, body: Data([1])).tier == .network)
        #expect(try await loader.see() == Seen(.network))
    }

    @Test(
        "RFC 9111 §4.4 what changes things forgets a user's responses, also with fields that reading does not have",
        arguments: [["Authorization: ann"], ["X-Api-Token: ann"], ["X-Tenant: 1", "X-Api-Token: ann"], []])
    func unsafeMethodsRemoveTheResponsesOfTheirUser(_ fields: [String]) async throws {
        let bench = CacheBench(.init(200, ["Cache-Control: max-age=60"]), .init(200), .init(200, [], "new"))
        let loader = bench.makeLoader()
        _ = try await loader.see(fields)
        #expect(try await loader.see(fields) == Seen(.disk))
        _ = try await loader.see(fields + ["X-Csrf-Token: 7"], method: "POST", body: Data([1]))
        #expect(try await loader.see(fields) == Seen(200, "new", .network))
    }

    @Test(
        "RFC 9111 §4.4 a failed unsafe method removes nothing", arguments: ["POST", "PUT", "DELETE", "M-SEARCH"], [400, 500])
    func failedUnsafeMethodsRemoveNothing(_ method: String, _ status: Int) async throws {
        let bench = CacheBench(.init(200, ["Cache-Control: max-age=60"]), .init(status))
        let loader = bench.makeLoader()
        _ = try await loader.see()
        _ = try await loader.see(method: method, body: Data([1]))
        #expect(try await loader.see() == Seen(.disk))
    }

    @Test("RFC 9110 §9.2.1 a safe method removes nothing", arguments: ["OPTIONS", "TRACE", "QUERY"])
    func safeMethodsRemoveNothing(_ method: String) async throws {
        let bench = CacheBench(.init(200, ["Cache-Control: max-age=60"]), .init(200))
        let loader = bench.makeLoader()
        _ = try await loader.see()
        _ = try await loader.see(method: method, body: method == "QUERY" ? Data([1]) : nil)
        #expect(try await loader.see() == Seen(.disk))
    }

    @Test(
        "RFC 9111 §4.4 Location and Content-Location on the same origin are forgotten too",
        arguments: ["Location", "Content-Location"],
        ["/other", "other", "https://example.org/other"])
    func responsesOfTheirLocationsAreRemoved(_ field: String, _ location: String) async throws {
        let fresh = ["Cache-Control: max-age=60"]
        let bench = CacheBench(.init(200, fresh), .init(201, ["\(field): \(location)"]), .init(200, fresh, "new"))
        let loader = bench.makeLoader()
        _ = try await loader.see(to: Self.other)
        _ = try await loader.see(method: "POST", body: Data([1]))
        #expect(try await loader.see(to: Self.other) == Seen(200, "new", .network))
    }

    @Test(
        "RFC 9111 §4.4 other origins are left alone",
        arguments: ["https://example.com/other", "http://example.org/other", "https://example.org:444/other"])
    func responsesOfOtherOriginsAreNotRemoved(_ location: String) async throws {
        let fresh = ["Cache-Control: max-age=60"]
        let bench = CacheBench(.init(200, fresh), .init(201, ["Location: \(location)"]))
        let loader = bench.makeLoader()
        let url = URL(string: location)!
        _ = try await loader.see(to: url)
        _ = try await loader.see(method: "POST", body: Data([1]))
        #expect(try await loader.see(to: url) == Seen(.disk))
    }

    @Test("RFC 9110 §9.3.4 a response to PUT or QUERY is not stored for its URL", arguments: ["PUT", "QUERY"])
    func responsesToOtherMethodsAreNotStored(_ method: String) async throws {
        let bench = CacheBench(.init(200, ["Cache-Control: max-age=60", "Content-Location: \(Wire.url.absoluteString)"]))
        _ = try await bench.makeLoader().see(method: method, body: Data([1]))
        #expect(bench.store.keys.isEmpty)
    }

    @Test("RFC 9111 §4.3.5 a response to HEAD other than 200 removes nothing")
    func failedHeadRequestsRemoveNothing() async throws {
        let bench = CacheBench(.init(200, ["Cache-Control: max-age=60", "ETag: \"a\""]), .init(404, ["ETag: \"b\""], ""))
        let loader = bench.makeLoader()
        _ = try await loader.see()
        bench.advance(61)
        #expect(try await loader.see(method: "HEAD").status == 404)
        #expect(bench.store.keys.count == 1)
    }

    @Test("RFC 9111 §4.3.4 a validation for a request that may not write changes nothing that is stored")
    func validationsThatMayNotWriteChangeNothing() async throws {
        let bench = CacheBench(
            .init(200, ["Cache-Control: max-age=60", "ETag: \"a\""]), .init(304, ["Cache-Control: max-age=600"], ""))
        let loader = bench.makeLoader()
        _ = try await loader.see()
        bench.advance(61)
        var request = Wire.request()
        request.cachePolicy.remove(.writesDisk)
        #expect(try await loader.load(request).text == "0123456789")
        #expect(bench.store.keys.count == 1)
    }

    @Test("RFC 9111 §4.4 an unsafe request with credentials removes responses without credentials")
    func unsafeMethodsWithCredentialsRemoveSharedResponses() async throws {
        let fresh = ["Cache-Control: max-age=60"]
        let bench = CacheBench(.init(200, fresh), .init(200, fresh), .init(204, [], ""), .init(200, fresh), .init(200, fresh))
        let loader = bench.makeLoader()
        _ = try await loader.see()
        _ = try await loader.see(["Authorization: ann"])
        _ = try await loader.see(["Authorization: ann"], method: "DELETE")
        #expect(try await loader.see() == Seen(.network))
        #expect(try await loader.see(["Authorization: ann"]) == Seen(.network))
    }
}
