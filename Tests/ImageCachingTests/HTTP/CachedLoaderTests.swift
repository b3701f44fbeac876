import CalotypeTesting
import HTTPTypes
import ImageCore
import Testing

@testable import ImageCaching

/// What the caching loader sends to the server, stores, and returns to the caller.
@Suite("CachedLoader", .timeLimit(.minutes(1))) struct CachedLoaderTests {
    private func storeCount(_ bench: CacheBench) -> Int {
        bench.store.calls.count { if case .store = $0 { true } else { false } }
    }

    @Test("RFC 9111 §4 a fresh response is served without the network, with its Age")
    func freshIsServedFromTheStore() async throws {
        let bench = CacheBench(.init(200, ["Cache-Control: max-age=60", "Content-Type: image/png"]))
        let loader = bench.makeLoader()
        #expect(try await loader.see() == Seen(.network))
        bench.advance(30)
        let again = try await loader.response()
        #expect(again.tier == .disk && again.head.status == .ok && again.head.headerFields[.age] == "30")
        #expect(again.head.headerFields[.contentType] == "image/png")
        #expect(again.head.headerFields.contains(EntryMetadata.fieldName) == false)
        #expect(try await again.text == "0123456789")
        #expect(bench.requestCount == 1)
    }

    @Test("RFC 9111 §4.3 a stale response is validated; a 304 reuses the stored bytes and restarts the age")
    func staleIsValidated() async throws {
        let bench = CacheBench(
            .init(200, ["Cache-Control: max-age=60", "ETag: \"a\"", "Foo: 1"]),
            .init(304, ["Cache-Control: max-age=120", "ETag: \"a\""], ""))
        let loader = bench.makeLoader()
        _ = try await loader.see()
        bench.advance(61)
        let validated = try await loader.response()
        #expect(bench.requests.last?.headerFields[.ifNoneMatch] == "\"a\"")
        #expect(validated.head.status == .ok && validated.tier == .disk && validated.head.headerFields[.age] == "0")
        #expect(validated.head.headerFields[HTTPField.Name("Foo")!] == "1")
        #expect(try await validated.text == "0123456789")
        bench.advance(119)
        #expect(try await loader.see() == Seen(.disk))
        #expect(bench.requestCount == 2)
    }

    @Test(
        "RFC 9111 §4.3.4 a 304 is written down where a later use could tell, and only there",
        arguments: [
            (["Cache-Control: no-cache", "ETag: \"a\""], [], false),
            (["Cache-Control: max-age=0, must-revalidate", "ETag: \"a\""], [], false),
            (["Cache-Control: no-cache", "ETag: \"a\"", "Foo: 1"], ["Foo: 1", "Age: 3", "Expires: {0}"], false),
            (["Cache-Control: no-cache", "ETag: \"a\"", "Foo: 1"], ["Foo: 2"], true),
            (["Cache-Control: no-cache", "ETag: \"a\""], ["Cache-Control: max-age=60"], true),
            (["Cache-Control: max-age=5", "ETag: \"a\""], [], true),
            (["Cache-Control: max-age=0, stale-if-error=60", "ETag: \"a\""], [], true),
            (["Cache-Control: max-age=0, stale-while-revalidate=1", "ETag: \"a\""], [], true),
        ])
    func a304IsStoredOnlyIfItChangesTheEntry(_ lines: [String], _ news: [String], _ isWritten: Bool) async throws {
        let bench = CacheBench(.init(200, lines), .init(304, news, ""))
        let loader = bench.makeLoader()
        _ = try await loader.see()
        let stored = storeCount(bench)
        bench.advance(10)
        let validated = try await loader.response()
        #expect(validated.head.headerFields[.date] == Wire.date(Wire.start + 10))
        #expect(try await validated.text == "0123456789")
        #expect(storeCount(bench) == stored + (isWritten ? 1 : 0))
    }

    @Test("RFC 9111 §4.3.3 a new version replaces the old one")
    func aNewVersionReplacesTheOld() async throws {
        let bench = CacheBench(
            .init(200, ["Cache-Control: max-age=60", "ETag: \"a\""]),
            .init(200, ["Cache-Control: max-age=60", "ETag: \"b\""], "abcdefghij"))
        let loader = bench.makeLoader()
        _ = try await loader.see()
        bench.advance(61)
        #expect(try await loader.see() == Seen(200, "abcdefghij", .network))
        #expect(try await loader.see() == Seen(200, "abcdefghij", .disk))
        #expect(bench.store.keys.count == 1)
    }

    @Test("RFC 9111 §4.3.4 a 304 of another version is rejected, and the whole body is fetched")
    func a304OfAnotherVersionIsRejected() async throws {
        let bench = CacheBench(
            .init(200, ["Cache-Control: max-age=0", "ETag: \"a\""]), .init(304, ["ETag: \"b\""], ""),
            .init(200, ["ETag: \"b\""], "abcdefghij"))
        let loader = bench.makeLoader()
        _ = try await loader.see()
        #expect(try await loader.see() == Seen(200, "abcdefghij", .network))
        #expect(bench.requests.map { $0.headerFields.contains(.ifNoneMatch) } == [false, true, false])
    }

    @Test("RFC 9110 §15.4.5 a 304 to the conditional request of the caller is returned and not stored")
    func theCallersOwn304IsPassedOn() async throws {
        let bench = CacheBench(.init(304, ["ETag: \"a\"", "Cache-Control: max-age=60"], ""))
        #expect(try await bench.makeLoader().see(["If-None-Match: \"a\""]) == Seen(304, "", .network))
        #expect(bench.requests[0].headerFields[.ifNoneMatch] == "\"a\"")
        #expect(bench.store.keys.isEmpty)
    }

    @Test("RFC 9111 §5.2.2.5 no-store is not stored, and an older response stays")
    func noStoreIsNotStored() async throws {
        let bench = CacheBench(
            .init(200, ["Cache-Control: no-store"]), .init(200, ["Cache-Control: max-age=60"], "old"),
            .init(200, ["Cache-Control: no-store"], "new"))
        let loader = bench.makeLoader()
        _ = try await loader.see()
        #expect(bench.store.keys.isEmpty)
        _ = try await loader.see()
        #expect(try await loader.see(["Cache-Control: no-cache"]) == Seen(200, "new", .network))
        #expect(try await loader.see() == Seen(200, "old", .disk))
    }

    @Test("RFC 9111 §5.2.1.7 only-if-cached never reaches the network")
    func onlyIfCachedNeverReachesTheNetwork() async throws {
        let bench = CacheBench()
        #expect(try await bench.makeLoader().see(["Cache-Control: only-if-cached"]) == Seen(504, "", .disk))
        #expect(bench.requestCount == 0)
    }

    @Test("RFC 9111 §4 negative caching: a 404 is served for its lifetime")
    func anErrorResponseIsServedForItsLifetime() async throws {
        let bench = CacheBench(
            .init(404, ["Cache-Control: max-age=60"], "none"), .init(404, [], "none"), .init(404, [], "none"))
        let loader = bench.makeLoader()
        #expect(try await loader.see() == Seen(404, "none", .network))
        #expect(try await loader.see() == Seen(404, "none", .disk))
        bench.advance(61)
        #expect(try await loader.see() == Seen(404, "none", .network))
        #expect(try await loader.see() == Seen(404, "none", .network))
    }

    @Test("RFC 9111 §4.3.3 a gone response is removed")
    func aGoneResponseIsRemoved() async throws {
        let bench = CacheBench(
            .init(200, ["Cache-Control: max-age=60", "ETag: \"a\""]), .init(410, [], ""), .failing(.connectionFailed))
        let loader = bench.makeLoader()
        _ = try await loader.see()
        bench.advance(61)
        #expect(try await loader.see().status == 410)
        await #expect(throws: ImageError.self) { try await loader.see() }
        #expect(bench.store.keys.isEmpty)
    }

    // MARK: Variants

    @Test("RFC 9111 §4.1 several variants are stored side by side, and a third does not push them out")
    func variantsAreStoredSideBySide() async throws {
        let lines = ["Cache-Control: max-age=60", "Vary: Foo"]
        let bench = CacheBench(
            .init(200, lines, "one"), .init(200, lines, "two"), .init(200, lines, "three"), .init(200, lines, "none"))
        let loader = bench.makeLoader()
        for (value, body) in [("1", "one"), ("2", "two"), ("3", "three")] {
            #expect(try await loader.see(["Foo: \(value)"]) == Seen(200, body, .network))
        }
        #expect(try await loader.see() == Seen(200, "none", .network))
        for (value, body) in [("1", "one"), ("2", "two"), ("3", "three")] {
            #expect(try await loader.see(["Foo: \(value)"]) == Seen(200, body, .disk))
        }
        #expect(try await loader.see() == Seen(200, "none", .disk))
        #expect(bench.requestCount == 4)
    }

    @Test("RFC 9111 §4.1 each variant is validated by its own validator")
    func variantsAreValidatedSeparately() async throws {
        let lines = ["Cache-Control: max-age=60", "Vary: Foo"]
        let bench = CacheBench(
            .init(200, lines + ["ETag: \"1\""], "one"), .init(200, lines + ["ETag: \"2\""], "two"),
            .init(304, lines + ["ETag: \"2\""], ""), .init(304, lines + ["ETag: \"1\""], ""))
        let loader = bench.makeLoader()
        _ = try await loader.see(["Foo: 1"])
        _ = try await loader.see(["Foo: 2"])
        bench.advance(61)
        #expect(try await loader.see(["Foo: 2"]) == Seen(200, "two", .disk))
        #expect(bench.requests[2].headerFields[.ifNoneMatch] == "\"2\"")
        #expect(try await loader.see(["Foo: 1"]) == Seen(200, "one", .disk))
        #expect(bench.requests[3].headerFields[.ifNoneMatch] == "\"1\"")
        bench.advance(30)
        #expect(try await loader.see(["Foo: 2"]) == Seen(200, "two", .disk))
        #expect(bench.requestCount == 4)
    }

    @Test("RFC 9111 §4.4 variants of a removed URL are not served again")
    func removedVariantsAreNotServedAgain() async throws {
        let lines = ["Cache-Control: max-age=60", "Vary: Foo"]
        let bench = CacheBench(
            .init(200, lines, "one"), .init(200, lines, "two"), .init(204, [], ""), .init(200, lines, "new one"),
            .init(200, lines, "new two"))
        let loader = bench.makeLoader()
        _ = try await loader.see(["Foo: 1"])
        _ = try await loader.see(["Foo: 2"])
        _ = try await loader.see(method: "PUT", body: Data([1]))
        #expect(try await loader.see(["Foo: 1"]) == Seen(200, "new one", .network))
        #expect(try await loader.see(["Foo: 2"]) == Seen(200, "new two", .network))
    }

    @Test func aResponseThatNoLongerVariesMatchesAllRequests() async throws {
        let bench = CacheBench(
            .init(200, ["Cache-Control: max-age=60", "Vary: Foo"], "one"), .init(200, ["Cache-Control: max-age=60"], "all"))
        let loader = bench.makeLoader()
        _ = try await loader.see(["Foo: 1"])
        _ = try await loader.see(["Foo: 2"])
        #expect(try await loader.see(["Foo: 1"]) == Seen(200, "all", .disk))
        #expect(try await loader.see(["Foo: 3"]) == Seen(200, "all", .disk))
    }

    // MARK: Credentials

    @Test(
        "Two users never share a response, whatever it says",
        arguments: ["Authorization", "Cookie", "X-Api-Token", "x-auth-token", "X-Unknown-Field"])
    func usersNeverShare(_ field: String) async throws {
        let lines = ["Cache-Control: public, max-age=60"]
        let bench = CacheBench(.init(200, lines, "Ann's"), .init(200, lines, "Bob's"), .init(200, lines, "anyone's"))
        let loader = bench.makeLoader()
        #expect(try await loader.see(["\(field): ann"]) == Seen(200, "Ann's", .network))
        #expect(try await loader.see(["\(field): bob"]) == Seen(200, "Bob's", .network))
        #expect(try await loader.see() == Seen(200, "anyone's", .network))
        #expect(try await loader.see(["\(field): ann"]) == Seen(200, "Ann's", .disk))
        #expect(try await loader.see(["\(field): bob"]) == Seen(200, "Bob's", .disk))
        #expect(try await loader.see() == Seen(200, "anyone's", .disk))
        #expect(bench.store.keys.allSatisfy { !"\($0)".contains("ann") && !"\($0)".contains("bob") })
    }

    @Test func usersInTheURLNeverShare() async throws {
        let lines = ["Cache-Control: max-age=60"]
        let bench = CacheBench(.init(200, lines, "Ann's"), .init(200, lines, "Bob's"))
        let loader = bench.makeLoader()
        let (ann, bob) = (URL(string: "https://ann:secret@example.org/")!, URL(string: "https://bob:hidden@example.org/")!)
        #expect(try await loader.see(to: ann) == Seen(200, "Ann's", .network))
        #expect(try await loader.see(to: bob) == Seen(200, "Bob's", .network))
        #expect(try await loader.see(to: ann) == Seen(200, "Ann's", .disk))
        #expect(bench.store.keys.allSatisfy { !"\($0)".contains("secret") && !"\($0)".contains("hidden") })
    }

    @Test func neutralFieldsCanBeConfigured() async throws {
        let bench = CacheBench(
            .init(200, ["Cache-Control: max-age=60"]), neutralFields: HTTPCache.standardNeutralFields.union(["X-Batch"]))
        let loader = bench.makeLoader()
        #expect(try await loader.see(["X-Batch: 1"]) == Seen(.network))
        #expect(try await loader.see(["X-Batch: 2"]) == Seen(.disk))
    }

    @Test(
        "fields that only say how to answer share a response",
        arguments: ["Accept", "Accept-Language", "User-Agent", "Referer", "Traceparent", "X-Request-ID"])
    func neutralFieldsShare(_ field: String) async throws {
        let bench = CacheBench(.init(200, ["Cache-Control: max-age=60"]))
        let loader = bench.makeLoader()
        #expect(try await loader.see(["\(field): a"]) == Seen(.network))
        #expect(try await loader.see(["\(field): b"]) == Seen(.disk))
        #expect(try await loader.see() == Seen(.disk))
    }

    @Test func valuesOfVaryFieldsAreStoredAsADigest() async throws {
        let bench = CacheBench(.init(200, ["Cache-Control: max-age=60", "Vary: Authorization, Foo"]))
        _ = try await bench.makeLoader().see(["Authorization: Bearer hush", "Foo: whisper"])
        for key in bench.store.keys {
            let entry = try #require(try await bench.store.entry(for: key))
            let text = entry.head.headerFields.map { $0.value }.joined() + "\(key)"
            #expect(!text.contains("hush") && !text.contains("whisper"))
        }
    }

    @Test func aResponseToPostIsNotServedForGet() async throws {
        let fresh = ["Cache-Control: max-age=60", "Content-Location: https://example.org/image"]
        let bench = CacheBench(.init(200, fresh), .init(200, fresh))
        let loader = bench.makeLoader()
        _ = try await loader.see(method: "POST", body: Data([1]))
        #expect(try await loader.see().tier == .network)
    }

    @Test("RFC 9111 §4.3.5 HEAD is served from the store, and updates the stored response or makes it stale")
    func headIsServedAndUpdatesTheStoredResponse() async throws {
        let bench = CacheBench(
            .init(200, ["Cache-Control: max-age=60", "ETag: \"a\"", "Content-Length: 10"]),
            .init(200, ["Cache-Control: max-age=60", "ETag: \"a\"", "Content-Length: 10"], ""),
            .init(200, ["Cache-Control: max-age=60", "ETag: \"b\"", "Content-Length: 10"], ""),
            .init(200, ["Cache-Control: max-age=60", "ETag: \"b\"", "Content-Length: 10"]))
        let loader = bench.makeLoader()
        _ = try await loader.see()
        #expect(try await loader.see(method: "HEAD") == Seen(200, "", .disk))
        bench.advance(61)
        #expect(try await loader.see(method: "HEAD") == Seen(200, "", .network))
        bench.advance(59)
        #expect(try await loader.see() == Seen(.disk))
        bench.advance(2)
        #expect(try await loader.see(method: "HEAD") == Seen(200, "", .network))
        bench.advance(-30)
        #expect(try await loader.see() == Seen(.network), "It is another version, whatever the age of the stored one.")
        #expect(bench.requests.last?.headerFields[.ifNoneMatch] == "\"a\"")
    }

    @Test func aResponseToHeadIsNotStored() async throws {
        let bench = CacheBench(.init(200, ["Cache-Control: max-age=60"], ""))
        _ = try await bench.makeLoader().see(method: "HEAD")
        #expect(bench.store.keys.isEmpty)
    }

    // MARK: Redirects

    @Test func aRedirectedResponseIsAlwaysValidated() async throws {
        let there = "https://example.org/there"
        let bench = CacheBench(
            CacheBench.Answer(200, ["Cache-Control: max-age=60", "ETag: \"a\""]).from(there),
            CacheBench.Answer(304, ["ETag: \"a\""], "").from(there),
            CacheBench.Answer(304, ["ETag: \"a\""], "").from("https://example.org/elsewhere"),
            CacheBench.Answer(200, ["ETag: \"a\""], "elsewhere").from("https://example.org/elsewhere"))
        let loader = bench.makeLoader()
        _ = try await loader.see()
        let again = try await loader.response()
        #expect(again.url.absoluteString == there)
        #expect(try await again.text == "0123456789")
        #expect(bench.requests[1].headerFields[.ifNoneMatch] == "\"a\"")
        // An equal tag of another resource names another version.
        #expect(try await loader.see() == Seen(200, "elsewhere", .network))
        #expect(bench.requestCount == 4)
    }
}
