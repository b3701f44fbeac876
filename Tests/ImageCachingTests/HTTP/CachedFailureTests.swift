import CalotypeTesting
import HTTPTypes
import ImageCore
import Testing

@testable import ImageCaching

/// The cached loader when the server or the store fails or the caller cancels, and when several loaders use one cache.
@Suite("CachedLoader, failures and company", .timeLimit(.minutes(1))) struct CachedFailureTests {
    private static let tagged = ["Cache-Control: max-age=60", "ETag: \"a\""]

    // MARK: The server is unreachable

    @Test(
        "RFC 9111 §4.2.4 offline, stale is served",
        arguments: [ImageError.Code.hostNotFound, .connectionFailed, .connectionLost, .timedOut])
    func offlineStaleIsServed(_ code: ImageError.Code) async throws {
        let bench = CacheBench(.init(200, Self.tagged), .failing(code))
        let loader = bench.makeLoader()
        _ = try await loader.see()
        bench.advance(1000)
        var request = Wire.request()
        request.retries = 3
        let response = try await loader.load(request)
        #expect(response.tier == .disk && response.head.headerFields[.age] == "1000")
        #expect(try await response.text == "0123456789")
        #expect(bench.requests.last?.retries == 3, "Retries do not depend on what is stored.")
    }

    @Test("RFC 9111 §4.2.4 offline, responses without validators are served too")
    func offlineServesResponsesWithoutValidators() async throws {
        let bench = CacheBench(.init(200, []), .failing(.hostNotFound))
        let loader = bench.makeLoader()
        _ = try await loader.see()
        #expect(try await loader.see() == Seen(.disk))
    }

    @Test func withoutAStaleResponseTheCallerGetsTheError() async throws {
        let lines = ["Cache-Control: max-age=60, must-revalidate", "ETag: \"a\""]
        let bench = CacheBench(.init(200, lines), .failing(.connectionFailed), .failing(.insecure), .failing(.connectionFailed))
        let loader = bench.makeLoader()
        _ = try await loader.see()
        bench.advance(61)
        await #expect { try await loader.see() } throws: { ($0 as? ImageError)?.code == .connectionFailed }
        await #expect { try await loader.see() } throws: { ($0 as? ImageError)?.code == .insecure }
        let offline = CacheBench(
            .init(200, Self.tagged), .failing(.hostNotFound), policy: HTTPCachePolicy(servesStaleOffline: false))
        let strict = offline.makeLoader()
        _ = try await strict.see()
        offline.advance(61)
        await #expect { try await strict.see() } throws: { ($0 as? ImageError)?.code == .hostNotFound }
    }

    @Test("RFC 5861 §4 stale-if-error: the stored response is served instead of a 503, and stays stored")
    func aServerErrorIsReplacedByTheStaleResponse() async throws {
        let bench = CacheBench(
            .init(200, ["Cache-Control: max-age=60, stale-if-error=600", "ETag: \"a\""]), .init(503, [], "busy"),
            .failing(.connectionLost), .init(503, ["Cache-Control: max-age=600"], "busy"))
        let loader = bench.makeLoader()
        _ = try await loader.see()
        bench.advance(61)
        #expect(try await loader.see() == Seen(.disk))
        #expect(try await loader.see() == Seen(.disk))
        bench.advance(700)
        #expect(try await loader.see() == Seen(503, "busy", .network))
        bench.add(.failing(.hostNotFound))
        #expect(try await loader.see() == Seen(.disk), "A server error does not replace an image.")
    }

    // MARK: The caller cancels

    @Test func cancellationIsNotAFailureAndServesNothingStale() async throws {
        let gate = Gate(isOpen: true)
        let bench = CacheBench(.init(200, ["Cache-Control: max-age=60, stale-if-error=600", "ETag: \"a\""]), gate: gate)
        let loader = bench.makeLoader()
        _ = try await loader.see()
        bench.advance(61)
        let held = Gate()
        let slow = CachedLoader(Held(gate: held, next: loader.loader), cache: bench.cache)
        let task = Task { try await slow.see() }
        await held.waitForArrivals(1)
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    // MARK: The store fails

    /// Neither does one that throws `CancellationError`, though the load was not cancelled (FEATURES 1.19).
    @Test(arguments: [true, false]) func aFailingStoreCostsHitsButFailsNoLoad(isFull: Bool) async throws {
        struct Full: Error {}
        let store = LoggedDataCache { _ -> (any Error)? in isFull ? Full() as any Error : CancellationError() }
        let bench = CacheBench(
            .init(200, Self.tagged), .init(200, Self.tagged), .init(200), .init(200, Self.tagged, ""), store: store)
        let loader = bench.makeLoader()
        #expect(try await loader.see() == Seen(.network))
        #expect(try await loader.see() == Seen(.network))
        #expect(try await loader.see(method: "POST", body: Data([1])) == Seen(.network))
        #expect(try await loader.see(method: "HEAD") == Seen(200, "", .network))
        await #expect(throws: (any Error).self) { try await bench.cache.lookUp(Wire.request()) }
    }

    // MARK: Hostile entries

    private static let forgeries: [(String, @Sendable (inout DataEntry) -> Void)] = [
        ("no metadata", { $0.head.headerFields[EntryMetadata.fieldName] = nil }),
        ("empty metadata", { $0.head.headerFields[EntryMetadata.fieldName] = "" }),
        ("another version", { $0.head.headerFields[EntryMetadata.fieldName]!.replaceFirst("1 ", with: "2 ") }),
        ("a word too few", { $0.head.headerFields[EntryMetadata.fieldName] = "1 1700000000 0123456789abcdef -" }),
        ("a word too many", { $0.head.headerFields[EntryMetadata.fieldName]! += " -" }),
        ("no time", { $0.head.headerFields[EntryMetadata.fieldName] = "1 x 0123456789abcdef - -" }),
        ("a time that is no number", { $0.head.headerFields[EntryMetadata.fieldName] = "1 nan 0123456789abcdef - -" }),
        ("an endless time", { $0.head.headerFields[EntryMetadata.fieldName] = "1 inf 0123456789abcdef - -" }),
        ("a time before all times", { $0.head.headerFields[EntryMetadata.fieldName] = "1 -5 0123456789abcdef - -" }),
        ("a generation that is none", { $0.head.headerFields[EntryMetadata.fieldName] = "1 1700000000 0123 - -" }),
        (
            "a variant without Vary",
            {
                $0.head.headerFields[EntryMetadata.fieldName] =
                    "1 1700000000 0123456789abcdef \(String(repeating: "a", count: 64)) -"
            }
        ),
        ("Vary without a variant", { $0.head.headerFields[.vary] = "Foo" }),
        ("a digest that is none", { $0.head.headerFields[EntryMetadata.fieldName] = "1 1700000000 0123456789abcdef - zz" }),
        (
            "metadata twice",
            { $0.head.headerFields.append(HTTPField(name: EntryMetadata.fieldName, value: "1 1700000000 0123456789abcdef - -")) }
        ),
        ("a body that was cut", { $0.data = $0.data.dropLast() }),
        ("a body that grew", { $0.data.append(1) }),
        ("an arrival that is no time", { $0.storedAt = .nan }),
        ("an arrival beyond all times", { $0.storedAt = 1e300 }),
        ("a part", { ($0.head.status, $0.head.headerFields[.contentRange]) = (.partialContent, "bytes 0-9/100") }),
    ]

    @Test func aContradictoryEntryIsAMiss() async throws {
        for (name, forge) in Self.forgeries {
            let bench = CacheBench(.init(200, Self.tagged + ["Content-Length: 10"]), .init(200, Self.tagged, "new"))
            let loader = bench.makeLoader()
            _ = try await loader.see()
            let key = try #require(bench.store.keys.first)
            var entry = try #require(try await bench.store.entry(for: key))
            forge(&entry)
            try await bench.store.store(entry, for: key)
            #expect(try await bench.cache.stored(Wire.request()) == nil, "\(name)")
            #expect(try await loader.see() == Seen(200, "new", .network), "\(name)")
            #expect(bench.requests.last?.headerFields.contains(.ifNoneMatch) == false, "\(name)")
        }
    }

    @Test func aServerCannotForgeMetadata() async throws {
        let bench = CacheBench(.init(200, Self.tagged + ["Calotype-Stored: 1 9999999999 0123456789abcdef - -"]))
        let loader = bench.makeLoader()
        _ = try await loader.see()
        bench.advance(61)
        #expect(try await bench.cache.stored(Wire.request()) == nil)
        #expect(bench.store.keys.count == 1)
    }

    @Test func entriesWithAnyResponseHeadersAreReadBack() async throws {
        // For any bytes in the fields, a decision is made, and the stored response is read back unchanged.
        var random = SplitMix(seed: 7)
        let names = ["Cache-Control", "Expires", "Age", "Date", "Vary", "ETag", "Last-Modified", "Content-Range", "Connection"]
        let pieces = [
            "max-age=", "no-cache", "=", "\"", ",", "\\", "*", " ", "\t", "99999999999999999999", "-1", "GMT", "Sun, 06 Nov 1994",
            "bytes ", "0-", "/", "W/", "é", ";", "a",
        ]
        for _ in 0..<3000 {
            var lines: [String] = []
            for name in names where random.next() % 3 != 0 {
                lines.append(
                    "\(name): "
                        + (0..<Int(random.next() % 6)).map { _ in pieces[Int(random.next() % UInt64(pieces.count))] }.joined())
            }
            let status = [200, 206, 304, 404, 599][Int(random.next() % 5)]
            let stored = Wire.stored(lines, status: status, to: lines)
            _ = HTTPCachePolicy.standard.allowsStoring(stored, for: Wire.request(lines))
            _ = HTTPCachePolicy.standard.decision(for: Wire.request(lines), stored: stored, now: Wire.start + 5)
            _ = HTTPCachePolicy.standard.staleReply(
                for: Wire.request(lines), stored: stored, after: .unreachable, now: Wire.start)
            _ = stored.updated(by: stored.head, to: Wire.request(), requestedAt: Wire.start, receivedAt: Wire.start)
            let entry = EntryMetadata.encode(
                StoredEntry(response: stored, data: Data(count: 10), generation: EntryMetadata.newGeneration()))
            if let decoded = EntryMetadata.decode(entry) { #expect(decoded.response == stored) }
        }
    }

    // MARK: Several loaders

    @Test func twoLoadersShareOneCache() async throws {
        let bench = CacheBench(.init(200, Self.tagged))
        _ = try await bench.makeLoader().see()
        #expect(try await bench.makeLoader().see() == Seen(.disk))
    }

    @Test func concurrentLoadsOverOneCacheNeverMixBodies() async throws {
        let store = LoggedDataCache()
        let server = ScriptedLoader { request in
            let value = request.headerFields[HTTPField.Name("Foo")!] ?? ""
            let lines = ["Cache-Control: max-age=0", "Vary: Foo", "ETag: \"\(value)\"", "X-Value: \(value)"]
            if let tags = request.headerFields[.ifNoneMatch], tags.contains("\"\(value)\"") {
                return .response(Wire.head(lines, status: 304), chunks: [])
            }
            return .response(Wire.head(lines), chunks: [Data("body ".utf8), Data(value.utf8)])
        }
        let loaders = (0..<2).map { _ in CachedLoader(server, cache: HTTPCache(store: store, now: { Wire.start })) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<8 {
                group.addTask {
                    for round in 0..<50 {
                        let value = "\((task + round) % 3)"
                        let response = try await loaders[task % 2].response(["Foo: \(value)"])
                        #expect(response.head.headerFields[HTTPField.Name("X-Value")!] == value)
                        #expect(try await response.text == "body \(value)")
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    // MARK: The policy of the load

    @Test func aReloadFetchesTheWholeAndReplacesTheEntry() async throws {
        let bench = CacheBench(.init(200, Self.tagged), .init(200, Self.tagged, "new"))
        let loader = bench.makeLoader()
        _ = try await loader.see()
        var request = Wire.request()
        request.cachePolicy = .reload
        #expect(try await loader.load(request).text == "new")
        #expect(bench.requests.last?.headerFields.contains(.ifNoneMatch) == false)
        #expect(try await loader.see() == Seen(200, "new", .disk))
    }

    @Test func aLoadThatMayNotWriteStoresAndRemovesNothing() async throws {
        let bench = CacheBench(.init(200, Self.tagged), .init(410, [], ""), .init(200, Self.tagged, "new"))
        let loader = bench.makeLoader()
        var request = Wire.request()
        request.cachePolicy = [.readsDisk]
        #expect(try await loader.load(request).text == "0123456789")
        #expect(bench.store.keys.isEmpty)
        bench.add(.init(410, [], ""))
        request.cachePolicy = .memoryOnly
        _ = try await loader.load(request).text
        _ = try await loader.see()
        #expect(bench.store.keys.count == 1)
        bench.advance(61)
        request.cachePolicy = [.readsDisk]
        #expect(try await loader.load(request).head.status == .gone)
        #expect(bench.store.keys.count == 1)
    }

    @Test func onlyIfCachedAcceptsStaleResponses() async throws {
        let bench = CacheBench(.init(200, Self.tagged))
        let cache = bench.cache
        _ = try await bench.makeLoader().see()
        bench.advance(1000)
        var request = Wire.request()
        #expect(try await cache.stored(request) == nil)
        request.cachePolicy = [.readsDisk, .onlyIfCached]
        #expect(try await cache.stored(request)?.text == "0123456789")
    }

    @Test func offPassesEverythingThrough() async throws {
        let bench = CacheBench(.init(200, Self.tagged), .init(200, Self.tagged), policy: .off)
        let loader = bench.makeLoader()
        #expect(try await loader.see() == Seen(.network))
        #expect(try await loader.see() == Seen(.network))
        #expect(bench.store.calls.isEmpty)
    }

    @Test(arguments: [HTTPCachePolicy.off, .standard])
    func onlyIfCachedNeverUsesTheNetworkForAnyPolicyAndMethod(_ policy: HTTPCachePolicy) async throws {
        let bench = CacheBench(.init(200, Self.tagged), policy: policy)
        for method in [HTTPRequest.Method.get, .post] {
            var request = Wire.request()
            (request.method, request.cachePolicy) = (method, [.readsDisk, .onlyIfCached])
            #expect(try await bench.makeLoader().load(request).head.status == .gatewayTimeout)
        }
        #expect(bench.requests.isEmpty)
    }

    @Test func aggressiveStoresAnythingWithinTheLimit() async throws {
        let bench = CacheBench(.init(200, ["Cache-Control: max-age=0, no-cache"]), policy: .aggressive)
        let loader = bench.makeLoader()
        #expect(try await loader.see() == Seen(.network))
        bench.advance(1e6)
        #expect(try await loader.see() == Seen(.disk))
    }
}

extension String {
    fileprivate mutating func replaceFirst(_ text: String, with other: String) {
        if hasPrefix(text) { self = other + dropFirst(text.count) }
    }
}

/// Forwards requests once its gate is open.
private struct Held: DataLoading {
    let gate: Gate
    let next: any DataLoading

    func load(_ request: DataRequest) async throws -> DataResponse {
        try await gate.pass()
        return try await next.load(request)
    }
}

/// Reproducible random numbers (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014).
private struct SplitMix {
    var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var z = state
        z = (z ^ z >> 30) &* 0xbf58_476d_1ce4_e5b9
        z = (z ^ z >> 27) &* 0x94d0_49bb_1331_11eb
        return z ^ z >> 31
    }
}
