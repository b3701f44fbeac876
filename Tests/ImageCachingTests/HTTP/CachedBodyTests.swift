import CalotypeTesting
import HTTPTypes
import ImageCore
import Testing

@testable import ImageCaching

/// Bodies that pass through the cache.
@Suite("CachedLoader, bodies", .timeLimit(.minutes(1))) struct CachedBodyTests {
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

    @Test("RFC 9110 §14 a range is left to the server, and its part is not stored")
    func aRangeIsLeftToTheServer() async throws {
        let bench = CacheBench(
            .init(200, Self.fresh + ["Content-Length: 10"]), .init(206, Self.fresh + ["Content-Range: bytes 2-4/10"], "234"))
        let loader = bench.makeLoader()
        _ = try await loader.see()
        #expect(try await loader.see(["Range: bytes=2-4"]) == Seen(206, "234", .network))
        #expect(bench.requests.last?.headerFields == Wire.fields(["Range: bytes=2-4"]))
        #expect(try await loader.see() == Seen(.disk))
    }

    @Test("RFC 9110 §13 preconditions of the caller are left to the server, whose 200 is stored")
    func preconditionsAreLeftToTheServer() async throws {
        let bench = CacheBench(
            .init(200, Self.fresh), .init(304, [], ""), .init(412, Self.fresh, "no"), .init(200, Self.fresh, "new"))
        let loader = bench.makeLoader()
        _ = try await loader.see()
        #expect(try await loader.see(["If-None-Match: \"a\""]) == Seen(304, "", .network))
        #expect(try await loader.see(["If-Match: \"b\""]) == Seen(412, "no", .network))
        #expect(try await loader.see() == Seen(.disk))
        #expect(try await loader.see(["If-None-Match: \"a\""]) == Seen(200, "new", .network))
        #expect(try await loader.see() == Seen(200, "new", .disk))
    }
}
