import CalotypeTesting
import HTTPTypes
import ImageCore
import Testing

@testable import ImageCaching

/// Requests of variants name the entity tags of the other variants (FEATURES 5.3).
@Suite("CachedLoader, entity tags of variants") struct VariantTagTests {
    private static func lines(_ tag: String) -> [String] { ["Cache-Control: max-age=60", "Vary: Foo", "ETag: \(tag)"] }

    @Test("RFC 9111 §4.1 a new variant is requested with the tags of the others, and a 304 names its body")
    func a304NamesTheBodyOfANewVariant() async throws {
        let bench = CacheBench(
            .init(200, Self.lines("\"1\""), "one"), .init(200, Self.lines("\"2\""), "two"),
            .init(304, Self.lines("\"2\""), ""))
        let loader = bench.makeLoader()
        _ = try await loader.see(["Foo: 1"])
        #expect(try await loader.see(["Foo: 2"]) == Seen(200, "two", .network))
        #expect(try await loader.see(["Foo: 3"]) == Seen(200, "two", .disk))
        #expect(bench.requests.map { $0.headerFields[.ifNoneMatch] } == [nil, "\"1\"", "\"1\", \"2\""])
        for (value, body) in [("1", "one"), ("2", "two"), ("3", "two")] {
            #expect(try await loader.see(["Foo: \(value)"]) == Seen(200, body, .disk))
        }
        #expect(bench.requestCount == 3)
    }

    @Test("RFC 9111 §4.3.4 a 304 to a stale variant may name another one")
    func a304NamesAnotherVariant() async throws {
        let bench = CacheBench(
            .init(200, Self.lines("\"1\""), "one"), .init(200, Self.lines("\"2\""), "two"),
            .init(304, Self.lines("\"1\""), ""))
        let loader = bench.makeLoader()
        _ = try await loader.see(["Foo: 1"])
        _ = try await loader.see(["Foo: 2"])
        bench.advance(61)
        #expect(try await loader.see(["Foo: 2"]) == Seen(200, "one", .disk))
        #expect(try await loader.see(["Foo: 2"]) == Seen(200, "one", .disk))
        #expect(bench.requestCount == 3)
    }

    @Test("RFC 9110 §15.4.5 a 304 without a tag, or of an unknown one, is not used", arguments: [[], ["ETag: \"9\""]])
    func a304ThatNamesNoVariantIsNotUsed(_ fields: [String]) async throws {
        let bench = CacheBench(
            .init(200, Self.lines("\"1\""), "one"), .init(304, fields, ""), .init(200, Self.lines("\"2\""), "two"))
        let loader = bench.makeLoader()
        _ = try await loader.see(["Foo: 1"])
        #expect(try await loader.see(["Foo: 2"]) == Seen(200, "two", .network))
        #expect(bench.requests.map { $0.headerFields[.ifNoneMatch] } == [nil, "\"1\"", nil])
    }

    @Test("RFC 9110 §15.4.5 after a 304 without a tag, a stale variant is validated by its own tag alone")
    func a304WithoutATagIsAskedForAgain() async throws {
        let bench = CacheBench(
            .init(200, Self.lines("\"1\""), "one"), .init(200, Self.lines("\"2\""), "two"), .init(304, [], ""),
            .init(304, ["Cache-Control: max-age=60"], ""))
        let loader = bench.makeLoader()
        _ = try await loader.see(["Foo: 1"])
        _ = try await loader.see(["Foo: 2"])
        bench.advance(61)
        #expect(try await loader.see(["Foo: 2"]) == Seen(200, "two", .disk))
        #expect(bench.requests.suffix(2).map { $0.headerFields[.ifNoneMatch] } == ["\"2\", \"1\"", "\"2\""])
    }

    @Test(
        "RFC 9110 §8.8.3 weak and malformed tags, which may name several bodies, are not sent",
        arguments: ["W/\"1\"", "1", "\"a\"b\""])
    func otherTagsAreNotNamed(_ tag: String) async throws {
        let bench = CacheBench(.init(200, Self.lines(tag), "one"), .init(200, Self.lines("\"2\""), "two"))
        let loader = bench.makeLoader()
        _ = try await loader.see(["Foo: 1"])
        #expect(try await loader.see(["Foo: 2"]) == Seen(200, "two", .network))
        #expect(bench.requests[1].headerFields[.ifNoneMatch] == nil)
    }

    @Test(
        "RFC 9110 §13.1 preconditions and ranges of the caller stay as they are",
        arguments: [
            "If-None-Match: \"x\"", "If-Modified-Since: Tue, 14 Nov 2023 22:13:20 GMT", "Range: bytes=0-1",
            "Cache-Control: no-store",
        ])
    func requestsOfTheCallerStayAsTheyAre(_ field: String) async throws {
        let bench = CacheBench(.init(200, Self.lines("\"1\""), "one"), .init(200, Self.lines("\"2\""), "two"))
        let loader = bench.makeLoader()
        _ = try await loader.see(["Foo: 1"])
        _ = try await loader.see(["Foo: 2", field])
        #expect(bench.requests[1].headerFields == Wire.fields(["Foo: 2", field]))
    }

    @Test func theListOfVariantsIsBounded() async throws {
        let count = VariantList.maximumCount + 5
        let bench = CacheBench()
        let loader = bench.makeLoader()
        for value in 0...count {
            bench.add(.init(200, Self.lines("\"\(value)\""), "body"))
            _ = try await loader.see(["Foo: \(value)"])
        }
        let tags = bench.requests.last?.headerFields[.ifNoneMatch]?.split(separator: ",").count
        #expect(tags == VariantList.maximumCount + 1, "The primary entry, and the latest secondary ones.")
    }

    @Test(arguments: ["", "\n\n\n", "x\ny", "x\n \"", "x\nd \"a\nd2"])
    func aDamagedListNamesNothing(_ text: String) async throws {
        let list = VariantList(DataEntry(data: Data(text.utf8), storedAt: 0))
        #expect(list?.variants.isEmpty ?? true)
    }

    @Test("RFC 9111 §4.4 variants of a removed URL are not named")
    func removedVariantsAreNotNamed() async throws {
        let bench = CacheBench(
            .init(200, Self.lines("\"1\""), "one"), .init(200, Self.lines("\"2\""), "two"), .init(204, [], ""),
            .init(200, Self.lines("\"3\""), "three"), .init(200, Self.lines("\"4\""), "four"))
        let loader = bench.makeLoader()
        _ = try await loader.see(["Foo: 1"])
        _ = try await loader.see(["Foo: 2"])
        _ = try await loader.see(method: "PUT", body: Data([1]))
        _ = try await loader.see(["Foo: 1"])
        _ = try await loader.see(["Foo: 2"])
        #expect(bench.requests.suffix(2).map { $0.headerFields[.ifNoneMatch] } == [nil, "\"3\""])
    }
}
