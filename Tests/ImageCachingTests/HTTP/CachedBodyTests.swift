import CalotypeTesting
import HTTPTypes
import ImageCore
import Testing

@testable import ImageCaching

/// Bodies that pass through the cache, whole ones and parts.
@Suite("CachedLoader, bodies") struct CachedBodyTests {
    private static let fresh = ["Cache-Control: max-age=60"]

    @Test func aBodyIsStoredOnceItsEndWasRead() async throws {
        let bench = CacheBench(.init(200, Self.fresh))
        let response = try await bench.makeLoader().response()
        var body = response.body.makeAsyncIterator()
        #expect(try await body.next() == Data("0123".utf8))
        #expect(try await body.next() == Data("456789".utf8))
        #expect(bench.store.keys.isEmpty)
        #expect(try await body.next() == nil)
        #expect(bench.store.keys.count == 1)
        #expect(try await body.next() == nil)
    }

    @Test func aBodyThatIsDroppedIsNotStored() async throws {
        let bench = CacheBench(.init(200, Self.fresh), .init(200, Self.fresh))
        let loader = bench.makeLoader()
        var body: ByteStream.AsyncIterator? = try await loader.response().body.makeAsyncIterator()
        _ = try await body?.next()
        body = nil
        #expect(try await loader.see() == Seen(.network))
    }

    @Test(
        "RFC 9111 §3.3 a body that is not as long as announced is not stored",
        arguments: [
            ["Content-Length: 11"], ["Content-Length: 9"], ["Content-Length: x"], ["Content-Length: 10", "Content-Length: 11"],
        ])
    func aBodyOfAnotherLengthIsNotStored(_ lines: [String]) async throws {
        let bench = CacheBench(.init(200, Self.fresh + lines))
        _ = try await bench.makeLoader().see()
        #expect(bench.store.keys.isEmpty)
    }

    @Test("RFC 9111 §3.3 a complete body of another length", arguments: [9, 11])
    func aWholeBodyOfAnotherLengthIsNotStored(_ length: Int) async throws {
        let store = LoggedDataCache()
        let loader = CachedLoader(
            ScriptedLoader { _ in
                .response(Wire.head(Self.fresh + ["Content-Length: \(length)"]), chunks: [Data("0123456789".utf8)])
            }, cache: HTTPCache(store: store, now: { Wire.start }))
        _ = try await loader.see()
        #expect(store.keys.isEmpty)
    }

    @Test("RFC 9111 §3.3 a body that fails is not stored, and the caller gets its error")
    func aBodyThatFailsIsNotStored() async throws {
        struct Broken: DataLoading {
            func load(_ request: DataRequest) async throws -> DataResponse {
                let count = Lock(0)
                return DataResponse(
                    url: request.url, head: Wire.head(["Cache-Control: max-age=60"]),
                    body: ByteStream {
                        let number = count.withLock { count in
                            count += 1
                            return count
                        }
                        guard number < 3 else { throw ImageError(.connectionLost, message: "Gone.") }
                        return Data([1])
                    })
            }
        }
        let store = LoggedDataCache()
        let loader = CachedLoader(Broken(), cache: HTTPCache(store: store, now: { Wire.start }))
        await #expect(throws: ImageError(.connectionLost, message: "Gone.")) { try await loader.see() }
        #expect(store.keys.isEmpty)
    }

    @Test func aBodyBeyondTheLimitIsPassedThroughAndNotStored() async throws {
        let long = String(repeating: "x", count: 1001)
        for lines in [Self.fresh, Self.fresh + ["Content-Length: 1001"]] {
            let bench = CacheBench(.init(200, lines, long))
            #expect(try await bench.makeLoader().see() == Seen(200, long, .network))
            #expect(bench.store.keys.isEmpty)
        }
        let bench = CacheBench(.init(200, Self.fresh, String(long.dropLast())))
        _ = try await bench.makeLoader().see()
        #expect(bench.store.keys.count == 1)
    }

    @Test func theLimitOfTheRequestAppliesToStoredBodies() async throws {
        let bench = CacheBench(.init(200, Self.fresh))
        let loader = bench.makeLoader()
        _ = try await loader.see()
        var request = Wire.request()
        request.maximumResponseBytes = 9
        await #expect { try await loader.load(request) } throws: { ($0 as? ImageError)?.code == .tooLarge }
        request.maximumResponseBytes = 10
        #expect(try await loader.load(request).text == "0123456789")
    }

    @Test func anEmptyBodyIsStoredToo() async throws {
        let bench = CacheBench(.init(204, Self.fresh, ""))
        let loader = bench.makeLoader()
        #expect(try await loader.see() == Seen(204, "", .network))
        #expect(try await loader.see() == Seen(204, "", .disk))
    }

    // MARK: Parts

    @Test("RFC 9111 §3.3 a range is served from a stored whole")
    func aRangeOfAStoredWhole() async throws {
        let bench = CacheBench(.init(200, Self.fresh + ["Content-Length: 10"]))
        let loader = bench.makeLoader()
        _ = try await loader.see()
        #expect(try await loader.see(["Range: bytes=2-4"]) == Seen(206, "234", .disk))
        #expect(try await loader.see(["Range: bytes=-1"]) == Seen(206, "9", .disk))
        #expect(bench.requestCount == 1)
    }

    @Test("RFC 9111 §3.3 a part is stored, and serves ranges inside it")
    func aPartIsStored() async throws {
        let bench = CacheBench(
            .init(206, Self.fresh + ["Content-Range: bytes 5-9/10", "Content-Length: 5"], "56789"), .init(200, Self.fresh))
        let loader = bench.makeLoader()
        #expect(try await loader.see(["Range: bytes=-5"]) == Seen(206, "56789", .network))
        #expect(try await loader.see(["Range: bytes=-5"]) == Seen(206, "56789", .disk))
        #expect(try await loader.see(["Range: bytes=6-7"]) == Seen(206, "67", .disk))
        #expect(try await loader.see() == Seen(.network), "A part is not the whole body.")
        #expect(try await loader.see(["Range: bytes=0-1"]) == Seen(206, "01", .disk))
    }

    @Test("RFC 9111 §3.4 a stored start is completed with the remainder")
    func aStoredStartIsCompleted() async throws {
        let tag = "ETag: \"a\""
        let bench = CacheBench(
            .init(206, Self.fresh + ["Content-Range: bytes 0-4/10", "Content-Length: 5", tag], "01234"),
            .init(206, Self.fresh + ["Content-Range: bytes 5-9/10", "Content-Length: 5", tag], "56789"))
        let loader = bench.makeLoader()
        _ = try await loader.see(["Range: bytes=0-4"])
        let whole = try await loader.response()
        #expect(bench.requests[1].headerFields[.range] == "bytes=5-" && bench.requests[1].headerFields[.ifRange] == "\"a\"")
        #expect(whole.head.status == .ok && whole.head.headerFields[.contentLength] == "10")
        #expect(!whole.head.headerFields.contains(.contentRange))
        #expect(try await whole.text == "0123456789")
        #expect(try await loader.see() == Seen(.disk))
        #expect(bench.requestCount == 2)
    }

    struct Completion: Sendable, CustomTestStringConvertible {
        var rule: String
        var answer: CacheBench.Answer
        /// Whether the request is sent again for the whole body.
        var isAskedAgain: Bool
        var testDescription: String { rule }
    }

    private static let completions: [Completion] = [
        Completion(rule: "another version comes whole", answer: .init(200, ["ETag: \"b\""], "abcdefghij"), isAskedAgain: false),
        Completion(
            rule: "another version, yet as a part", answer: .init(206, ["ETag: \"b\"", "Content-Range: bytes 5-9/10"], "fghij"),
            isAskedAgain: true),
        Completion(
            rule: "another place", answer: .init(206, ["ETag: \"a\"", "Content-Range: bytes 6-9/10"], "6789"), isAskedAgain: true),
        Completion(
            rule: "another total", answer: .init(206, ["ETag: \"a\"", "Content-Range: bytes 5-9/11"], "56789"), isAskedAgain: true
        ),
        Completion(
            rule: "not to the end", answer: .init(206, ["ETag: \"a\"", "Content-Range: bytes 5-8/10"], "5678"), isAskedAgain: true
        ),
        Completion(
            rule: "more than the rest", answer: .init(206, ["ETag: \"a\"", "Content-Range: bytes 4-9/10"], "456789"),
            isAskedAgain: true),
        Completion(rule: "no place named", answer: .init(206, ["ETag: \"a\""], "56789"), isAskedAgain: true),
        Completion(rule: "no such range", answer: .init(416, [], ""), isAskedAgain: true),
        Completion(rule: "an unrequested 304", answer: .init(304, ["ETag: \"a\""], ""), isAskedAgain: true),
    ]

    @Test("RFC 9110 §15.3.7 unsuitable parts are not joined", arguments: completions)
    func unsuitablePartsAreNotJoined(_ row: Completion) async throws {
        let bench = CacheBench(
            .init(206, Self.fresh + ["Content-Range: bytes 0-4/10", "ETag: \"a\""], "01234"), row.answer,
            .init(200, ["ETag: \"b\""], "abcdefghij"))
        let loader = bench.makeLoader()
        _ = try await loader.see(["Range: bytes=0-4"])
        #expect(try await loader.see() == Seen(200, "abcdefghij", .network))
        #expect(bench.requestCount == (row.isAskedAgain ? 3 : 2))
        #expect(bench.requests.last?.headerFields.contains(.range) != row.isAskedAgain)
        // An unusable response holds a connection while its body is unread.
        #expect(bench.heldAtRequests.allSatisfy { $0 == 0 })
    }

    @Test("RFC 9110 §15.3.7 a remainder without a validator has the requested version")
    func aRemainderWithoutAValidatorIsJoined() async throws {
        let bench = CacheBench(
            .init(206, Self.fresh + ["Content-Range: bytes 0-4/10", "ETag: \"a\""], "01234"),
            .init(206, ["Content-Range: bytes 5-9/10"], "56789"))
        let loader = bench.makeLoader()
        _ = try await loader.see(["Range: bytes=0-4"])
        #expect(try await loader.see() == Seen(.network))
        #expect(bench.requestCount == 2)
    }

    @Test func aRemainderThatIsTooShortIsNotStoredAsTheWholeBody() async throws {
        let bench = CacheBench(
            .init(206, Self.fresh + ["Content-Range: bytes 0-4/10", "ETag: \"a\""], "01234"),
            .init(206, Self.fresh + ["Content-Range: bytes 5-9/10", "ETag: \"a\""], "567"), .init(200, Self.fresh))
        let loader = bench.makeLoader()
        _ = try await loader.see(["Range: bytes=0-4"])
        _ = try await loader.see()
        for key in bench.store.keys {
            let entry = try #require(try await bench.store.entry(for: key))
            #expect(entry.head.status == .partialContent && entry.data.count == 5)
        }
    }

    @Test("RFC 9111 §3.4 adjacent parts are joined")
    func adjacentPartsAreJoined() async throws {
        let tag = "ETag: \"a\""
        let bench = CacheBench(
            .init(206, Self.fresh + ["Content-Range: bytes 0-3/10", tag], "0123"),
            .init(206, Self.fresh + ["Content-Range: bytes 4-6/10", tag], "456"),
            .init(206, Self.fresh + ["Content-Range: bytes 6-9/10", tag], "6789"))
        let loader = bench.makeLoader()
        _ = try await loader.see(["Range: bytes=0-3"])
        _ = try await loader.see(["Range: bytes=4-6"])
        #expect(try await loader.see(["Range: bytes=2-5"]) == Seen(206, "2345", .disk))
        _ = try await loader.see(["Range: bytes=6-9"])
        #expect(try await loader.see() == Seen(.disk))
        #expect(bench.requestCount == 3)
    }

    @Test("RFC 9111 §3.4 a part does not replace its whole body")
    func aPartDoesNotReplaceItsWhole() async throws {
        let tag = "ETag: \"a\""
        let bench = CacheBench(
            .init(200, Self.fresh + ["Content-Length: 10", tag]),
            .init(206, Self.fresh + ["Content-Range: bytes 0-3/10", "Content-Length: 4", tag], "0123"))
        let loader = bench.makeLoader()
        _ = try await loader.see()
        _ = try await loader.see(["Range: bytes=0-3", "Cache-Control: no-cache"])
        #expect(try await loader.see() == Seen(.disk))
    }
}
