import CalotypeTesting
import HTTPTypes
import ImageCore
import Testing

@testable import ImageCaching

/// Responses within `stale-while-revalidate` (FEATURES 5.4, 5.7): a lookup serves them, and the request that carries
/// its transaction revalidates them.
@Suite("CachedLoader, revalidation of what was served", .timeLimit(.minutes(1))) struct RevalidationTests {
    private static let window = ["Cache-Control: max-age=60, stale-while-revalidate=600"]
    private static let tagged = window + ["ETag: \"a\""]

    /// Stores a response, lets it become stale, and gets it as a hit. Returns the request that revalidates it.
    private func served(_ bench: CacheBench, _ loader: CachedLoader) async throws -> DataRequest {
        _ = try await loader.see()
        bench.advance(61)
        guard case .hit(let response, let transaction?) = try await loader.cache.lookUp(Wire.request()) else {
            throw ImageError(.notCached, message: "It must be a hit with a transaction.")
        }
        #expect(try await response.text == "0123456789")
        return .deferring(transaction)
    }

    @Test("RFC 5861 §3 a 304 confirms it, and the commit restarts its age")
    func a304IsCommitted() async throws {
        let bench = CacheBench(.init(200, Self.tagged), .init(304, Self.tagged, ""))
        let loader = bench.makeLoader()
        let response = try await loader.load(served(bench, loader))
        #expect(response.head.status == .ok && response.tier == .disk)
        #expect(try await response.text == "0123456789")
        #expect(bench.requests.map { $0.headerFields[.ifNoneMatch] } == [nil, "\"a\""])
        try await response.commit?(Data())
        bench.advance(50)
        #expect(try await loader.response().head.headerFields[.age] == "50")
        #expect(bench.requestCount == 2)
    }

    @Test("RFC 5861 §3 a new version is returned, and replaces the stored one when it is committed")
    func aNewVersionIsCommitted() async throws {
        let bench = CacheBench(.init(200, Self.tagged), .init(200, Self.tagged, "new"))
        let loader = bench.makeLoader()
        let response = try await loader.load(served(bench, loader))
        #expect(response.tier == .network)
        #expect(try await response.text == "new")
        #expect(try await loader.cache.stored(Wire.request())?.text == "0123456789")
        try await response.commit?(Data("new".utf8))
        #expect(try await loader.see() == Seen(200, "new", .disk))
    }

    @Test("RFC 5861 §3 a response without validators is refreshed by a full fetch")
    func aResponseWithoutValidatorsIsFetched() async throws {
        let bench = CacheBench(.init(200, Self.window), .init(200, Self.window, "new"))
        let loader = bench.makeLoader()
        let response = try await loader.load(served(bench, loader))
        try await response.commit?(Data("new".utf8))
        #expect(bench.requests.last?.headerFields.isEmpty == true)
        #expect(try await loader.see() == Seen(200, "new", .disk))
    }

    @Test func aResponseThatWasRefreshedInTheMeantimeIsNotRevalidated() async throws {
        let bench = CacheBench(.init(200, Self.tagged), .init(304, Self.tagged, ""))
        let loader = bench.makeLoader()
        let request = try await served(bench, loader)
        #expect(try await loader.see(["Cache-Control: max-age=0"]) == Seen(.disk))
        let response = try await loader.load(request)
        #expect(response.tier == .disk && response.commit == nil && bench.requestCount == 2)
        #expect(try await response.text == "0123456789")
    }

    @Test func aResponseThatWasRemovedInTheMeantimeIsFetched() async throws {
        let bench = CacheBench(.init(200, Self.tagged), .init(200, Self.tagged, "new"))
        let loader = bench.makeLoader()
        let request = try await served(bench, loader)
        try await loader.cache.removeResponse(for: Wire.request())
        #expect(try await loader.see(request) == Seen(200, "new", .network))
        #expect(bench.requestCount == 2 && bench.requests.last?.headerFields[.ifNoneMatch] == nil)
    }

    @Test(arguments: [CacheBench.Answer.failing(.hostNotFound), .init(503, [], "busy")])
    func aFailedRevalidationLeavesTheResponseAsItIs(_ answer: CacheBench.Answer) async throws {
        let bench = CacheBench(.init(200, Self.tagged), answer, .init(304, Self.tagged, ""))
        let loader = bench.makeLoader()
        let request = try await served(bench, loader)
        let response = try await loader.load(request)
        #expect(response.commit == nil)
        #expect(try await loader.cache.stored(Wire.request())?.text == "0123456789")
        #expect(try await loader.see(request) == Seen(.disk), "The next use repeats it.")
        #expect(bench.requestCount == 3)
    }

    @Test func withoutALookupTheResponseIsValidatedFirst() async throws {
        let bench = CacheBench(.init(200, Self.tagged), .init(200, Self.tagged, "new"), .failing(.connectionFailed))
        let loader = bench.makeLoader()
        _ = try await loader.see()
        bench.advance(61)
        #expect(try await loader.see() == Seen(200, "new", .network))
        #expect(bench.requests.map { $0.headerFields[.ifNoneMatch] } == [nil, "\"a\""])
        bench.advance(61)
        #expect(try await loader.see() == Seen(200, "new", .disk), "The server cannot be reached.")
    }
}
