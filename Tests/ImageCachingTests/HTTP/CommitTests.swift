import CalotypeTesting
import HTTPTypes
import ImageCore
import Testing

@testable import ImageCaching

/// What is stored when the caller judges bodies, and what never replaces a stored image (FEATURES 5.9).
@Suite("CachedLoader, commits", .timeLimit(.minutes(1))) struct CommitTests {
    private static let fresh = ["Cache-Control: max-age=60"]
    private static let tagged = fresh + ["ETag: \"a\""]
    private static let image = Data("0123456789".utf8)

    // MARK: Commits

    @Test func aResponseIsStoredByItsCommitAlone() async throws {
        let bench = CacheBench(.init(200, Self.fresh))
        let loader = bench.makeLoader()
        let response = try await loader.load(.deferring())
        #expect(try await response.text == "0123456789")
        #expect(bench.store.keys.isEmpty)
        try await response.commit?(Self.image)
        #expect(try await loader.see() == Seen(.disk))
    }

    @Test("RFC 9111 §4.3.4 after a 304 the commit updates the stored head, and takes no body")
    func theCommitAfterA304UpdatesTheHead() async throws {
        let store = UpdatedCache()
        let bench = CacheBench(.init(200, Self.tagged), .init(304, ["Cache-Control: max-age=600", "Foo: 1"], ""))
        let loader = CachedLoader(bench.makeLoader().loader, cache: HTTPCache(store: store, now: { bench.now }))
        _ = try await loader.see()
        bench.advance(61)
        let response = try await loader.load(.deferring())
        #expect(response.tier == .disk)
        #expect(try await response.text == "0123456789")
        #expect(store.updates.events.isEmpty)
        try await response.commit?(Data("other".utf8))
        #expect(store.updates.events.map(\.data) == [Self.image] && store.log.calls.filter(\.isStore).count == 1)
        bench.advance(500)
        let stored = try await loader.response()
        #expect(stored.tier == .disk && stored.head.headerFields[HTTPField.Name("Foo")!] == "1")
        #expect(try await stored.text == "0123456789")
    }

    @Test("a 304 that changes nothing has no commit")
    func a304ThatChangesNothingHasNoCommit() async throws {
        let lines = ["Cache-Control: no-cache", "ETag: \"a\""]
        let bench = CacheBench(.init(200, lines), .init(304, lines, ""))
        let loader = bench.makeLoader()
        _ = try await loader.see()
        let response = try await loader.load(.deferring())
        #expect(response.tier == .disk && response.commit == nil)
    }

    @Test(
        "what must not be stored has no commit",
        arguments: [["Cache-Control: no-store"], ["Vary: *"], fresh + ["Content-Length: 1001"]])
    func whatMustNotBeStoredHasNoCommit(_ lines: [String]) async throws {
        let bench = CacheBench(.init(200, lines), .init(200, Self.fresh))
        let loader = bench.makeLoader()
        #expect(try await loader.load(.deferring()).commit == nil)
    }

    @Test("the caller decides at the commit whether a success is stored, and the policy of the request whether an error is")
    func theCallerDecidesWhetherASuccessIsStored() async throws {
        var request = DataRequest.deferring()
        request.cachePolicy.remove(.writesDisk)
        let bench = CacheBench(.init(200, Self.fresh), .init(404, Self.fresh, "none"))
        #expect(try await bench.makeLoader().load(request).commit != nil)
        let missing = try await bench.makeLoader().load(request)
        #expect(missing.head.status == 404 && missing.commit == nil && missing.body.buffer == nil)
        for try await _ in missing.body {}
        #expect(bench.store.keys.isEmpty)
    }

    @Test("a commit stores no other length than announced, and nothing beyond the limit", arguments: [0, 9, 11, 1001])
    func aCommitChecksTheLength(_ count: Int) async throws {
        let bench = CacheBench(.init(200, Self.fresh + (count > 1000 ? [] : ["Content-Length: 10"])))
        let response = try await bench.makeLoader().load(.deferring())
        let commit = try #require(response.commit)
        try await commit(Data(count: count))
        #expect(bench.store.keys.isEmpty)
    }

    @Test(arguments: [
        "the cache was cleared", "RFC 9111 §4.4 the resource was changed", "RFC 9111 §4 a newer response was stored",
    ])
    func aCommitComesTooLate(_ event: String) async throws {
        let bench = CacheBench(.init(200, Self.fresh + ["Date: {-10}"]))
        let loader = bench.makeLoader()
        let response = try await loader.load(.deferring())
        switch event {
        case "the cache was cleared": try await loader.cache.removeAll()
        case "RFC 9111 §4.4 the resource was changed":
            bench.add(.init(204, [], ""))
            _ = try await loader.see(method: "PUT", body: Data([1]))
        default:
            bench.add(.init(200, Self.fresh + ["Date: {0}"], "new"))
            _ = try await loader.see()
        }
        try await response.commit?(Self.image)
        #expect(try await loader.cache.stored(Wire.request())?.text == (event.hasSuffix("stored") ? "new" : nil))
    }

    @Test func aCommitReportsAFailingStore() async throws {
        struct Full: Error {}
        let bench = CacheBench(.init(200, Self.fresh), store: LoggedDataCache { _ in Full() })
        let response = try await bench.makeLoader().load(.deferring())
        await #expect(throws: Full.self) { try await response.commit?(Self.image) }
    }

    // MARK: Responses that are no image

    struct NoImage: Sendable, CustomTestStringConvertible {
        var what: String
        var answer: CacheBench.Answer
        var testDescription: String { what }
    }

    private static let noImages: [NoImage] =
        [301, 400, 401, 403, 404, 429, 500, 501, 502, 503, 504].flatMap { status in
            [
                NoImage(what: "\(status)", answer: .init(status, [], "page")),
                NoImage(what: "\(status) that may be stored", answer: .init(status, tagged + ["Date: {100}"], "page")),
                NoImage(what: "\(status) that may not be stored", answer: .init(status, ["Cache-Control: no-store"], "")),
            ]
        } + [
            NoImage(what: "no content", answer: .init(204, fresh, "")),
            NoImage(what: "an empty body", answer: .init(200, fresh, "")),
            NoImage(what: "a truncated body", answer: .init(200, fresh + ["Content-Length: 10"], "01234")),
            NoImage(what: "a part", answer: .init(206, fresh + ["Content-Range: bytes 0-4/10"], "01234")),
        ]

    @Test("a stored image stays", arguments: noImages, [false, true])
    func aResponseThatIsNoImageLeavesTheStoredOne(_ row: NoImage, _ defers: Bool) async throws {
        let bench = CacheBench(.init(200, Self.tagged), row.answer, .failing(.connectionFailed))
        let loader = bench.makeLoader()
        _ = try await loader.see()
        bench.advance(61)
        var request = Wire.request()
        request.defersStoring = defers
        let response = try await loader.load(request)
        #expect(response.tier == .network)
        _ = try await response.text
        if row.answer.status != 200, row.answer.status != 204 { #expect(response.commit == nil) }
        // Even a caller that judges wrongly stores nothing empty or incomplete.
        try await response.commit?(Data(row.answer.body.utf8))
        #expect(try await loader.see() == Seen(.disk), "It is served while the server is down.")
    }

    @Test("RFC 9110 §15.5.11 a 410 removes the stored image, and may be stored", arguments: [false, true], [[], fresh])
    func aGoneResponseRemovesTheImage(_ defers: Bool, _ lines: [String]) async throws {
        let bench = CacheBench(.init(200, Self.tagged), .init(410, lines, ""))
        let loader = bench.makeLoader()
        _ = try await loader.see()
        bench.advance(61)
        var request = Wire.request()
        request.defersStoring = defers
        #expect(try await loader.see(request) == Seen(410, "", .network))
        #expect(try await loader.cache.stored(Wire.request())?.head.status == (lines.isEmpty ? nil : .gone))
    }

    @Test(
        "RFC 9111 §4 negative caching: an error response is stored by reading it, if nothing else is stored",
        arguments: [false, true])
    func anErrorResponseIsStoredByReadingIt(_ defers: Bool) async throws {
        let bench = CacheBench(.init(404, Self.fresh, "none"), .init(200, Self.fresh))
        let loader = bench.makeLoader()
        var request = Wire.request()
        request.defersStoring = defers
        let response = try await loader.load(request)
        #expect(response.commit == nil)
        #expect(try await response.text == "none")
        #expect(try await loader.see(request) == Seen(404, "none", .disk))
        bench.advance(61)
        let image = try await loader.load(request)
        #expect(try await image.text == "0123456789")
        try await image.commit?(Self.image)
        #expect(try await loader.see() == Seen(.disk))
    }

    @Test func anErrorResponseWhoseBodyIsAtHandIsStoredAtOnce() async throws {
        struct Missing: DataLoading {
            func load(_ request: DataRequest) -> DataResponse {
                DataResponse(url: request.url, head: Wire.head(CommitTests.fresh, status: 404), body: ByteStream(Data()))
            }
        }
        let cache = HTTPCache(store: LoggedDataCache(), now: { Wire.start })
        #expect(try await CachedLoader(Missing(), cache: cache).load(.deferring()).head.status == .notFound)
        #expect(try await cache.stored(Wire.request())?.head.status == .notFound)
    }

    @Test func anErrorResponseDoesNotReplaceAnImageThatWasStoredMeanwhile() async throws {
        let bench = CacheBench(.init(404, Self.fresh, "none"), .init(200, Self.fresh))
        let loader = bench.makeLoader()
        let missing = try await loader.response()
        _ = try await loader.see()
        #expect(try await missing.text == "none")
        #expect(try await loader.see() == Seen(.disk))
    }

    @Test(
        "RFC 9111 §4.1 an error response to one variant does not hide the images of the others", arguments: [[], ["Vary: Foo"]])
    func anErrorResponseDoesNotHideOtherVariants(_ lines: [String]) async throws {
        let varying = Self.fresh + ["Vary: Foo"]
        let bench = CacheBench(
            .init(200, varying, "one"), .init(200, varying, "two"), .init(404, Self.fresh + lines, "none"))
        let loader = bench.makeLoader()
        _ = try await loader.see(["Foo: 1"])
        _ = try await loader.see(["Foo: 2"])
        #expect(try await loader.see(["Foo: 3"]) == Seen(404, "none", .network))
        #expect(try await loader.see(["Foo: 1"]) == Seen(200, "one", .disk))
        #expect(try await loader.see(["Foo: 2"]) == Seen(200, "two", .disk))
    }

    @Test("RFC 9111 §5.2.2.5 a 304 that forbids storing removes the image")
    func a304MayForbidStoring() async throws {
        let bench = CacheBench(.init(200, Self.tagged), .init(304, ["Cache-Control: no-store"], ""))
        let loader = bench.makeLoader()
        _ = try await loader.see()
        bench.advance(61)
        #expect(try await loader.see() == Seen(.disk))
        #expect(bench.store.keys.isEmpty)
    }
}

/// A cache that updates heads by themselves.
private final class UpdatedCache: DataCaching {
    let log = LoggedDataCache()
    let updates = EventLog<DataEntry>()
    private let heads = Lock<[DataKey: DataEntry]>([:])

    func entry(for key: DataKey) async throws -> DataEntry? {
        guard let entry = try await log.entry(for: key) else { return nil }
        return heads.withLock { $0[key] }.map { DataEntry(data: entry.data, head: $0.head, storedAt: $0.storedAt) } ?? entry
    }
    func store(_ entry: DataEntry, for key: DataKey) async throws { try await log.store(entry, for: key) }
    func updateEntry(_ entry: DataEntry, for key: DataKey) async throws {
        heads.withLock { $0[key] = entry }
        updates.append(entry)
    }
    func removeEntry(for key: DataKey) async throws { try await log.removeEntry(for: key) }
    func removeAll() async throws { try await log.removeAll() }
}

extension LoggedDataCache.Call {
    fileprivate var isStore: Bool { if case .store = self { true } else { false } }
}
