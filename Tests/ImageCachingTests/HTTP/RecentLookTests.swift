import CalotypeTesting
import HTTPTypes
import ImageCore
import Testing

@testable import ImageCaching

/// The engine looks into the cache, and the loader that it asks next knows what was found.
@Suite("Recent looks") struct RecentLookTests {
    private static let lines = ["Cache-Control: no-cache", "ETag: \"a\""]

    private func reads(_ bench: CacheBench) -> Int {
        bench.store.calls.count { if case .read = $0 { true } else { false } }
    }

    @Test func whatWasFoundAMomentAgoIsValidatedWithoutAnotherLook() async throws {
        let bench = CacheBench(.init(200, Self.lines), .init(304, Self.lines, ""), .init(304, Self.lines, ""))
        let loader = bench.makeLoader()
        _ = try await loader.see()
        let before = reads(bench)
        #expect(try await loader.cache.storedResponse(for: Wire.request()) == nil)
        #expect(try await loader.see() == Seen(.disk))
        #expect(reads(bench) == before + 1)
        // It counts once.
        #expect(try await loader.see() == Seen(.disk))
        #expect(reads(bench) == before + 2)
        #expect(bench.requests.dropFirst().allSatisfy { $0.headerFields[.ifNoneMatch] == "\"a\"" })
    }

    @Test(arguments: ["other fields", "later", "forgotten"])
    func whatMayHaveChangedIsLookedAtAgain(how: String) async throws {
        let bench = CacheBench(.init(200, Self.lines), .init(304, Self.lines, ""))
        let loader = bench.makeLoader()
        _ = try await loader.see()
        let before = reads(bench)
        _ = try await loader.cache.storedResponse(for: Wire.request())
        if how == "later" { bench.advance(6) }
        if how == "forgotten" { loader.cache.forgetLooks() }
        #expect(try await loader.see(how == "other fields" ? ["Foo: 1"] : []) == Seen(.disk))
        #expect(reads(bench) == before + 2)
    }

    @Test func whatIsTakenOutOfTheCacheMeanwhileIsNotFoundInAnEarlierLook() async throws {
        let bench = CacheBench(.init(200, Self.lines), .init(200, Self.lines, "other"))
        let loader = bench.makeLoader()
        _ = try await loader.see()
        _ = try await loader.cache.storedResponse(for: Wire.request())
        try await loader.cache.removeResponse(for: Wire.request())
        #expect(try await loader.see() == Seen(200, "other", .network))
        #expect(bench.requests[1].headerFields[.ifNoneMatch] == nil)
    }

    @Test func whatIsStoredMeanwhileIsValidatedInTheEarlierOnesPlace() async throws {
        let bench = CacheBench(
            .init(200, Self.lines), .init(200, ["Cache-Control: no-cache", "ETag: \"b\""], "other"), .init(304, [], ""))
        let loader = bench.makeLoader()
        _ = try await loader.see()
        _ = try await loader.cache.storedResponse(for: Wire.request())
        // Somebody with other fields fetches a new version.
        _ = try await loader.see(["Foo: 1"])
        #expect(try await loader.see() == Seen(200, "other", .disk))
        #expect(bench.requests[2].headerFields[.ifNoneMatch] == "\"b\"")
    }

    @Test func fewBytesAreHeldAndNotForLong() throws {
        let looks = RecentLooks()
        let body = Data(count: 300 << 10)
        func key(_ index: Int) -> DataKey { DataKey(resource: ResourceKey("\(index)"), variant: "http") }
        func entries(_ index: Int, _ body: Data) -> StoredEntries {
            let entry = StoredEntry(response: Wire.stored(Self.lines), data: body, generation: "")
            return StoredEntries(baseKey: key(index), matchKey: key(index), match: entry)
        }
        for index in 0..<10 { looks.note(entries(index, body), for: Wire.request(), at: 0) }
        #expect(looks.byteCount == 6 * body.count)
        #expect(looks.take(key(3), Wire.request().headerFields, at: 0) == nil)
        #expect(looks.take(key(9), Wire.request().headerFields, at: 0)?.match?.data == body)
        for index in 10..<60 { looks.note(entries(index, Data(count: 1)), for: Wire.request(), at: 0) }
        #expect(looks.byteCount == 32)
        looks.note(entries(60, Data(count: 7)), for: Wire.request(), at: 9)
        #expect(looks.byteCount == 7)
        looks.note(entries(61, Data(count: 3 << 20)), for: Wire.request(), at: 9)
        #expect(looks.byteCount == 0)
    }
}
