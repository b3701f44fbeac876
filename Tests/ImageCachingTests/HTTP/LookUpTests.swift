import CalotypeTesting
import HTTPTypes
import ImageCore
import Testing

@testable import ImageCaching

/// The engine looks up the cache, and the loader continues the exchange from the result.
@Suite("HTTPCache, one lookup per load", .timeLimit(.minutes(1))) struct LookUpTests {
    private static let tagged = ["Cache-Control: no-cache", "ETag: \"a\""]
    private static let other = ["Cache-Control: no-cache", "ETag: \"b\""]

    private func reads(_ bench: CacheBench) -> Int {
        bench.store.calls.count { if case .read = $0 { true } else { false } }
    }

    /// The request that the engine sends to the loader after a miss.
    private func missed(_ request: DataRequest = Wire.request(), in cache: HTTPCache) async throws -> DataRequest {
        guard case .miss(let transaction?) = try await cache.lookUp(request) else { throw NoTransaction() }
        var request = request
        request.cacheTransaction = transaction
        return request
    }

    private struct NoTransaction: Error {}

    // MARK: Reads of the data cache

    @Test func aLoadThatMissesReadsTheDataCacheOnce() async throws {
        let bench = CacheBench(.init(200, Self.tagged))
        let loader = bench.makeLoader()
        #expect(try await loader.see(missed(in: loader.cache)) == Seen(.network))
        #expect(reads(bench) == 1)
        #expect(bench.requests[0].cacheTransaction == nil, "The transaction is not sent to the network.")
    }

    @Test(
        "A revalidation looks up once, and reads the body only for a 304",
        arguments: [
            (CacheBench.Answer(200, LookUpTests.other, "new"), Seen(200, "new", .network), 1),
            (CacheBench.Answer(304, LookUpTests.tagged, ""), Seen(.disk), 2),
            (CacheBench.Answer(404, [], "none"), Seen(404, "none", .network), 1),
        ])
    func aRevalidationLooksUpOnce(_ answer: CacheBench.Answer, _ seen: Seen, _ count: Int) async throws {
        let bench = CacheBench(.init(200, Self.tagged), answer)
        let loader = bench.makeLoader()
        _ = try await loader.see()
        let before = reads(bench)
        #expect(try await loader.see(missed(in: loader.cache)) == seen)
        #expect(reads(bench) == before + count)
        #expect(bench.requests[1].headerFields[.ifNoneMatch] == "\"a\"")
    }

    @Test func aFreshResponseIsAHitAndReadOnce() async throws {
        let bench = CacheBench(.init(200, ["Cache-Control: max-age=60"]))
        let loader = bench.makeLoader()
        _ = try await loader.see()
        let before = reads(bench)
        #expect(try await loader.cache.stored(Wire.request())?.text == "0123456789")
        #expect(reads(bench) == before + 1)
    }

    @Test func aVariantIsValidatedFromOneLookup() async throws {
        let lines = Self.tagged + ["Vary: Foo"]
        let bench = CacheBench(
            .init(200, lines), .init(200, Self.other + ["Vary: Foo"], "second"), .init(304, ["ETag: \"b\""], ""))
        let loader = bench.makeLoader()
        _ = try await loader.see(["Foo: 1"])
        _ = try await loader.see(["Foo: 2"])
        let request = try await missed(Wire.request(["Foo: 2"]), in: loader.cache)
        #expect(try await loader.see(request) == Seen(200, "second", .disk))
        #expect(bench.requests[2].headerFields[.ifNoneMatch] == "\"b\"")
    }

    @Test func theDecisionIsMadeFromTheRequestAsItIsSent() async throws {
        let bench = CacheBench(.init(200, ["Cache-Control: max-age=60", "ETag: \"a\""]), .init(200, Self.other, "new"))
        let loader = bench.makeLoader()
        _ = try await loader.see()
        bench.advance(61)
        var request = try await missed(in: loader.cache)
        let before = reads(bench)
        request.headerFields[.cacheControl] = "no-store"
        _ = try await loader.see(request)
        #expect(bench.requests[1].headerFields[.ifNoneMatch] == nil)
        #expect(reads(bench) == before, "Cache-Control does not select the entry.")
    }

    @Test(arguments: ["another user", "another variant", "another cache"])
    func aTransactionOfAnotherRequestOrCacheIsNotUsed(_ how: String) async throws {
        let bench = CacheBench(.init(200, Self.tagged + ["Vary: Foo"]), .init(200, Self.other, "new"))
        let loader = bench.makeLoader()
        _ = try await loader.see(["Foo: 1"])
        var request = try await missed(Wire.request(["Foo: 1"]), in: how == "another cache" ? bench.cache : loader.cache)
        let before = reads(bench)
        switch how {
        case "another user": request.headerFields[.authorization] = "Bearer ann"
        case "another variant": request.headerFields[HTTPField.Name("Foo")!] = "2"
        default: break
        }
        #expect(try await loader.see(request) == Seen(200, "new", .network))
        // A variant that is not stored costs one more read, of its own entry.
        #expect(reads(bench) == before + (how == "another variant" ? 2 : 1))
        #expect(bench.requests[1].headerFields[.ifNoneMatch] == (how == "another cache" ? "\"a\"" : nil))
    }

    // MARK: What is stored and removed between the lookup and the response

    @Test func anEntryThatIsRemovedBeforeThe304IsFetchedAgain() async throws {
        let bench = CacheBench(.init(200, Self.tagged), .init(304, Self.tagged, ""), .init(200, Self.tagged, "whole"))
        let loader = bench.makeLoader()
        _ = try await loader.see()
        let request = try await missed(in: loader.cache)
        try await loader.cache.removeResponse(for: Wire.request())
        #expect(try await loader.see(request) == Seen(200, "whole", .network))
        #expect(bench.requests.map { $0.headerFields[.ifNoneMatch] } == [nil, "\"a\"", nil])
        #expect(try await loader.cache.find(request).match?.data == Data("whole".utf8))
    }

    @Test func anEntryThatIsRemovedDuringTheExchangeIsFetchedAgain() async throws {
        let gate = Gate(isOpen: true)
        let bench = CacheBench(
            .init(200, Self.tagged), .init(304, Self.tagged, ""), .init(200, Self.tagged, "whole"), gate: gate)
        let loader = bench.makeLoader()
        _ = try await loader.see()
        let held = Gate()
        let slow = CachedLoader(HeldResponses(gate: held, next: loader.loader), cache: loader.cache)
        let request = try await missed(in: loader.cache)
        async let seen = slow.see(request)
        await held.waitForArrivals(1)
        try await loader.cache.store.removeAll()
        held.open()
        #expect(try await seen == Seen(200, "whole", .network))
        #expect(bench.heldAtRequests.allSatisfy { $0 == 0 }, "An unusable response holds no connection.")
    }

    @Test func a304DoesNotConfirmAnotherVersionStoredInTheMeantime() async throws {
        let bench = CacheBench(
            .init(200, Self.tagged), .init(200, Self.other, "second"), .init(304, [], ""), .init(200, Self.tagged, "third"))
        let loader = bench.makeLoader()
        _ = try await loader.see()
        let request = try await missed(in: loader.cache)
        #expect(try await loader.see() == Seen(200, "second", .network))
        #expect(try await loader.see(request) == Seen(200, "third", .network))
        #expect(bench.requests.map { $0.headerFields[.ifNoneMatch] } == [nil, "\"a\"", "\"a\"", nil])
    }

    @Test func a304ConfirmsTheSameVersionUpdatedByAnotherLoad() async throws {
        let lines = ["Cache-Control: max-age=60", "ETag: \"a\""]
        let bench = CacheBench(.init(200, lines), .init(304, lines, ""), .init(304, lines, ""))
        let loader = bench.makeLoader()
        _ = try await loader.see()
        bench.advance(61)
        let request = try await missed(in: loader.cache)
        #expect(try await loader.see() == Seen(.disk))
        bench.advance(10)
        #expect(try await loader.see(request) == Seen(.disk))
        #expect(bench.requestCount == 3)
    }

    @Test(arguments: [CacheBench.Answer.failing(.hostNotFound), .init(503, [], "busy")])
    func ifTheStaleResponseIsRemovedTheRequestIsSentAgainWithRetries(_ answer: CacheBench.Answer) async throws {
        let lines = ["Cache-Control: max-age=60, stale-if-error=600", "ETag: \"a\""]
        let bench = CacheBench(.init(200, lines), answer, .init(200, lines, "new"))
        let loader = bench.makeLoader()
        _ = try await loader.see()
        bench.advance(61)
        var request = try await missed(in: loader.cache)
        request.retries = 3
        try await loader.cache.store.removeAll()
        let seen = try? await loader.see(request)
        #expect(seen == Seen(200, "new", .network))
        try #require(bench.requests.map(\.retries) == [nil, 3, 3])
        #expect(bench.requests[2].headerFields[.ifNoneMatch] == nil)
    }

    @Test func aDataCacheThatFailsBeforeThe304CostsARequestButFailsNoLoad() async throws {
        struct Broken: Error {}
        let isBroken = Lock(false)
        let store = LoggedDataCache { _ in isBroken.withLock { $0 } ? Broken() : nil }
        let bench = CacheBench(
            .init(200, Self.tagged), .init(304, Self.tagged, ""), .init(200, Self.tagged, "whole"), store: store)
        let loader = bench.makeLoader()
        _ = try await loader.see()
        let request = try await missed(in: loader.cache)
        isBroken.withLock { $0 = true }
        #expect(try await loader.see(request) == Seen(200, "whole", .network))
    }
}
