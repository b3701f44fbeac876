import CalotypeTesting
import HTTPTypes
import ImageCore
import ImageNetworkingCurl
import LoopbackHTTP
import NetworkTestKit
import Testing

@testable import ImageNetworking

/// Edge cases of which partial bodies are stored.
@Suite(.timeLimit(.minutes(1)))
struct ResumingEdges {
    private static let fields: HTTPFields = [.eTag: "\"v1\"", .contentLength: "40000", .acceptRanges: "bytes"]
    private static let head = HTTPResponse(status: .ok, headerFields: fields)

    private func request(_ method: HTTPRequest.Method = .get, _ fields: HTTPFields = [:]) throws -> DataRequest {
        DataRequest(
            url: try #require(URL(string: "http://example.org/a")), method: method, headerFields: fields, retries: 0)
    }

    /// Responds to every request with a body that fails after `count` bytes.
    private struct Breaking: DataLoading {
        let count: Int
        var code = ImageError.Code.connectionLost
        var head = ResumingEdges.head
        let asked = EventLog<DataRequest>()

        func load(_ request: DataRequest) async throws -> DataResponse {
            asked.append(request)
            let chunks = ScriptedLoader { [count, head] _ in .response(head, chunks: [Data(count: count)]) }
            var iterator = try await chunks.load(request).body.makeAsyncIterator()
            let chunk = try await iterator.next()
            let isFirst = Lock(true)
            return DataResponse(
                url: request.url, head: head,
                body: ByteStream { [code] in
                    let isFirst = isFirst.withLock { isFirst in
                        defer { isFirst = false }
                        return isFirst
                    }
                    if isFirst { return chunk }
                    throw ImageError(code, message: "It broke off.")
                })
        }
    }

    private func partial(_ count: Int) -> PartialBody { PartialBody(head: Self.head, bytes: Data(count: count)) }

    private func key() throws -> ResourceKey { ImageRequest(url: try request().url).resource }

    @Test func anEncodedRemainderIsRejected() {
        let range: HTTPFields = [.contentRange: "bytes 10000-39999/40000"]
        #expect(partial(10_000).end.classify(HTTPResponse(status: .partialContent, headerFields: range)) == .rest)
        var encoded = range
        encoded[.contentEncoding] = "gzip"
        #expect(partial(10_000).end.classify(HTTPResponse(status: .partialContent, headerFields: encoded)) == .unusable)
    }

    @Test func keysOfPartialBodiesContainEveryFieldAndNoCredential() throws {
        func key(_ fields: HTTPFields, identities: [String] = []) throws -> ResourceKey {
            var request = try request()
            (request.headerFields, request.identities) = (fields, identities)
            return ResumingLoader.key(of: request)
        }
        let (plain, png) = (try key([:]), try key([.accept: "image/png", .userAgent: "A"]))
        #expect(try key([.userAgent: "A", .accept: "image/png"]) == png)
        let others = [
            plain, try key([.accept: "image/avif", .userAgent: "A"]), try key([.accept: "image/png"]),
            try key([.authorization: "one", .accept: "image/png"]), try key([.authorization: "two", .accept: "image/png"]),
            try key([:], identities: ["one"]), try key([:], identities: ["two"]),
        ]
        #expect(Set(others + [png]).count == 8)
        #expect(others.allSatisfy { !$0.text.contains("one") && !$0.text.contains("two") })
    }

    /// FEATURES 1.15.
    @Test func partialBodiesOfOneCacheKeyHaveOneKey() throws {
        func key(_ token: Int, _ key: String?) throws -> ResourceKey {
            var request = try request()
            request.url.append(queryItems: [URLQueryItem(name: "token", value: "\(token)")])
            request.cacheKey = key
            return ResumingLoader.key(of: request)
        }
        #expect(try key(1, "cat") == key(2, "cat"))
        #expect(try key(1, "cat") != key(1, "dog") && key(1, nil) != key(1, "cat") && key(1, nil) != key(2, nil))
    }

    @Test func theStoreHoldsBytesUpToItsLimit() async {
        let store = PartialBodyStore(maximumBytes: 100)
        store.put(partial(50), for: ResourceKey("a"), now: 0)
        store.put(partial(50), for: ResourceKey("b"), now: 0)
        #expect(store.byteCount == 100)
    }

    /// FEATURES 1.14.
    @Test func removingASourceRemovesItsPartialBodiesForEveryUser() async {
        let store = PartialBodyStore()
        let (image, other) = (ResourceKey("https://example.org/a"), ResourceKey("https://example.org/ab"))
        for key in [image, image.varied(by: ["ann"]), other] { store.put(partial(50), for: key, now: 0) }
        await store.removeEntries(of: image)
        #expect(store.byteCount == 50)
        #expect(await store.take(other) != nil)
    }

    @Test func aBodyThatBreaksAfterTheStoreWasClearedIsStored() async throws {
        let store = PartialBodyStore()
        await store.removeAll()
        _ = try? await ResumingLoader(Breaking(count: 20_000), store: store).body(of: try request())
        #expect(store.byteCount == 20_000)
    }

    @Test func anEntryThatCannotBeResumedIsNotReadFromTheDataCache() async throws {
        let cache = LoggedDataCache()
        var weak = Self.head
        weak.headerFields[.eTag] = "W/\"v1\""
        let key = DataKey(resource: try key(), variant: "partial")
        try await cache.store(DataEntry(data: Data(count: 10), head: weak, storedAt: 0), for: key)
        let store = PartialBodyStore(backing: cache)
        #expect(await store.take(try self.key()) == nil)
        // A consumed entry is removed from the data cache a moment later, and must not affect the next entry.
        await store.flush()
        try await cache.store(DataEntry(data: Data(count: 10), head: Self.head, storedAt: 0), for: key)
        #expect(await PartialBodyStore(backing: cache).take(try self.key())?.bytes.count == 10)
    }

    @Test(arguments: [0, 40_000, 40_001])
    func anEntryOfAnotherKindIsNotReadFromTheDataCache(_ count: Int) async throws {
        let cache = LoggedDataCache()
        let key = DataKey(resource: try key(), variant: "partial")
        try await cache.store(DataEntry(data: Data(count: count), head: Self.head, storedAt: 0), for: key)
        #expect(await PartialBodyStore(backing: cache).take(try self.key()) == nil)
    }

    @Test func bodiesPendingForASlowDataCacheCountTowardsTheLimit() async {
        let gate = CalotypeTesting.Gate()
        let cache = LoggedDataCache(storeGate: gate)
        let store = PartialBodyStore(maximumBytes: 100, backing: cache)
        store.put(partial(50), for: ResourceKey("0"), now: 0)
        await gate.waitForArrivals(1)
        for number in 1..<10 { store.put(partial(50), for: ResourceKey("\(number)"), now: 0) }
        gate.open()
        await store.flush()
        #expect(Set(cache.keys.map(\.resource.text)) == ["0", "8", "9"])
    }

    @Test func aLoadDoesNotWaitForStoresOfOthers() async {
        let gate = CalotypeTesting.Gate()
        let store = PartialBodyStore(backing: LoggedDataCache(storeGate: gate))
        store.put(partial(50), for: ResourceKey("0"), now: 0)
        await gate.waitForArrivals(1)
        await withTaskCancellationHandler {
            #expect(await store.take(ResourceKey("1")) == nil)
        } onCancel: {
            gate.open()
        }
        #expect(!Task.isCancelled)
        gate.open()
    }

    /// Responds with the requested remainder of 40,000 bytes, in chunks without a length.
    private func serving(_ chunks: @escaping @Sendable (_ left: Int) -> [Int]) -> ScriptedLoader {
        ScriptedLoader { request in
            let start = request.headerFields[.range].flatMap { Int($0.dropFirst(6).dropLast()) } ?? 0
            let rest = HTTPResponse(status: .partialContent, headerFields: [.contentRange: "bytes \(start)-39999/40000"])
            return .response(rest, chunks: chunks(40_000 - start).map { Data(count: $0) })
        }
    }

    @Test func aTruncatedRemainderIsNotTheWholeBody() async throws {
        let store = PartialBodyStore()
        store.put(partial(20_000), for: try key(), now: 0)
        let network = serving { [min($0, 15_000)] }
        let (loader, request) = (ResumingLoader(network, store: store), try request())
        #expect(try await imageError { _ = try await loader.body(of: request) }.code == .connectionLost)
        #expect(try await loader.body(of: request).count == 40_000)
        #expect(network.requests.map { $0.headerFields[.range] } == ["bytes=20000-", "bytes=35000-"])
    }

    @Test func aTruncatedRemainderIsResumed() async throws {
        let store = PartialBodyStore()
        store.put(partial(20_000), for: try key(), now: 0)
        var request = try request()
        request.retries = 1
        let body = try await ResumingLoader(serving { [min($0, 15_000)] }, store: store).body(of: request)
        #expect(body.count == 40_000)
    }

    @Test func theStoredBytesStayWhenTheRemainderIsNotRead() async throws {
        let store = PartialBodyStore()
        store.put(partial(20_000), for: try key(), now: 0)
        _ = try await ResumingLoader(serving { [$0] }, store: store).load(try request())
        #expect(store.byteCount == 20_000)
    }

    @Test func aRemainderThatIsTooLongIsAnErrorAndNotStored() async throws {
        let store = PartialBodyStore()
        store.put(partial(20_000), for: try key(), now: 0)
        let (loader, request) = (ResumingLoader(serving { [$0, 1] }, store: store), try request())
        #expect(try await imageError { _ = try await loader.body(of: request) }.code == .badResponse)
        #expect(store.byteCount == 0)
    }

    /// A network layer that decompresses silently returns another length than announced.
    @Test func aBodyWithoutResumptionIsUnchanged() async throws {
        let network = ScriptedLoader { _ in .response(Self.head, chunks: [Data(count: 50_000)]) }
        #expect(try await ResumingLoader(network).body(of: try request()).count == 50_000)
    }

    @Test func onlyAGetIsResumed() async throws {
        let store = PartialBodyStore()
        store.put(partial(20_000), for: try key(), now: 0)
        let network = ScriptedLoader { _ in .response(HTTPResponse(status: .ok), chunks: []) }
        let loader = ResumingLoader(network, store: store)
        _ = try await loader.load(try request(.head))
        _ = try await loader.load(try request())
        #expect(network.requests.map { $0.headerFields[.range] } == [nil, "bytes=20000-"])
    }

    @Test func aRangeRequestOfTheCallerIsUnchanged() async throws {
        let network = Breaking(count: 20_000)
        let loader = ResumingLoader(network, store: PartialBodyStore())
        let own = try request(.get, [.range: "bytes=5-"])
        for _ in 0..<2 { _ = try? await loader.body(of: own) }
        #expect(network.asked.events.map { $0.headerFields[.range] } == ["bytes=5-", "bytes=5-"])
    }

    @Test func aBodyOfExactlyTheLimitIsResumed() async throws {
        let store = PartialBodyStore()
        let rest = HTTPResponse(status: .partialContent, headerFields: [.contentRange: "bytes 20000-39999/40000"])
        let loader = ResumingLoader(ScriptedLoader { _ in .response(rest, chunks: [Data(count: 20_000)]) }, store: store)
        for (limit, isAllowed) in [(40_000, true), (39_999, false)] {
            store.put(partial(20_000), for: try key(), now: 0)
            var request = try request()
            request.maximumResponseBytes = limit
            let count = try? await loader.body(of: request).count
            #expect(count == (isAllowed ? 40_000 : nil))
        }
    }

    @Test(arguments: [(16 << 10, true), ((16 << 10) - 1, false)])
    func aPartialBodyOfTheMinimumSizeIsStored(_ count: Int, _ isKept: Bool) async throws {
        let store = PartialBodyStore()
        _ = try? await ResumingLoader(Breaking(count: count), store: store).body(of: try request())
        #expect(store.byteCount == (isKept ? count : 0))
    }

    @Test(arguments: [(20_000, 20_000), (19_999, 0)])
    func aPartialBodyThatJustFitsIsStored(_ room: Int, _ kept: Int) async throws {
        let store = PartialBodyStore(maximumBytes: room)
        _ = try? await ResumingLoader(Breaking(count: 20_000), store: store).body(of: try request())
        #expect(store.byteCount == kept)
    }

    @Test(arguments: [416, 206])
    func anUnusableResponseIsReleasedBeforeTheWholeBodyIsRequested(_ status: Int) async throws {
        let store = PartialBodyStore()
        store.put(partial(20_000), for: try key(), now: 0)
        let network = HeldBodies(HTTPResponse(status: .init(code: status)), HTTPResponse(status: .ok))
        let response = try await ResumingLoader(network, store: store).load(try request())
        #expect(response.head.status == .ok)
        #expect(network.atRequests == [0, 0])
    }

    /// The caller and the server decide what is stored on disk.
    @Test(arguments: [
        (CachePolicy.memoryAndDisk, "", "", true, true), (.memoryOnly, "", "", true, false), (.noCache, "", "", true, false),
        (.memoryAndDisk, "private, No-Store", "", false, false), (.memoryAndDisk, "", "no-store", false, false),
        (.memoryAndDisk, "no-cache", "no-cache", true, true),
    ])
    func aPartialBodyIsStoredOnlyIfTheWholeMayBe(
        _ policy: CachePolicy, _ answered: String, _ asked: String, _ isKept: Bool, _ isOnDisk: Bool
    ) async throws {
        let cache = LoggedDataCache()
        let store = PartialBodyStore(backing: cache)
        var head = Self.head
        if !answered.isEmpty { head.headerFields[.cacheControl] = answered }
        let loader = ResumingLoader(Breaking(count: 20_000, head: head), store: store)
        var request = try request(.get, asked.isEmpty ? [:] : [.cacheControl: asked])
        request.cachePolicy = policy
        _ = try? await loader.body(of: request)
        await store.flush()
        #expect(store.byteCount == (isKept ? 20_000 : 0))
        #expect(cache.keys.isEmpty == !isOnDisk)
    }

    /// A partial body of an earlier load is not written again for a load that may not write.
    @Test func aPartialBodyThatIsNotResumedIsNotWrittenToDisk() async throws {
        let cache = LoggedDataCache()
        let store = PartialBodyStore(backing: cache)
        store.put(partial(20_000), for: try key(), now: 0)
        let loader = ResumingLoader(
            ScriptedLoader { _ in .failure(ImageError(.connectionFailed, message: "No line.")) }, store: store)
        var request = try request()
        request.cachePolicy = .memoryOnly
        _ = try? await loader.load(request)
        await store.flush()
        #expect(store.byteCount == 20_000)
        #expect(cache.keys.isEmpty)
    }

    @Test func onlyNetworkFailuresAreResumed() async throws {
        let network = Breaking(count: 20_000, code: .badResponse)
        var request = try request()
        request.retries = 3
        let asked = request
        let error = try await imageError { _ = try await ResumingLoader(network).body(of: asked) }
        #expect(error.code == .badResponse)
        #expect(network.asked.events.count == 1)
    }

    /// Every other attempt fails before its response, and the others break after 20,000 bytes.
    private struct Unreliable: DataLoading {
        let attempts = EventLog<DataRequest>()

        func load(_ request: DataRequest) async throws -> DataResponse {
            attempts.append(request)
            let failure = ImageError(.connectionLost, message: "It broke off.")
            guard attempts.count.isMultiple(of: 2) else { throw failure }
            return .interrupted(request) { failure }
        }
    }

    @Test(arguments: [
        (RetryPolicy.default, nil, 4), (.aggressive, nil, 6), (.conservative, nil, 3), (.default, 0, 1), (.aggressive, 1, 2),
        (.conservative, 7, 8),
    ])
    func retriesAndResumptionsShareOneCount(policy: RetryPolicy, retries: Int?, attempts: Int) async throws {
        let network = Unreliable()
        let loader = ResumingLoader(RetryingLoader(network, policy: policy, clock: RecordingClock()))
        var request = try request()
        request.retries = retries
        let asked = request
        #expect(try await imageError { _ = try await loader.body(of: asked) }.code == .connectionLost)
        #expect(network.attempts.count == attempts)
    }

    @Test func aRequestForTheWholeHasTheRetriesThatTheOneForTheRestLeft() async throws {
        let store = PartialBodyStore()
        store.put(partial(20_000), for: try key(), now: 0)
        let attempts = Lock(0)
        let network = ScriptedLoader { _ in
            let attempt = attempts.withLock { attempts in
                attempts += 1
                return attempts
            }
            let other = HTTPResponse(status: .partialContent, headerFields: [.contentRange: "bytes 10000-39999/40000"])
            return attempt == 2 ? .response(other, chunks: []) : .failure(ImageError(.connectionFailed, message: "No line."))
        }
        var request = try request()
        request.retries = 2
        _ = try? await ResumingLoader(RetryingLoader(network, clock: RecordingClock()), store: store).load(request)
        #expect(network.requests.map { $0.headerFields[.range] == nil } == [false, false, true, true])
    }

    @Test func aBodyOverTheLimitIsNotStored() async throws {
        let store = PartialBodyStore()
        _ = try? await ResumingLoader(Breaking(count: 20_000, code: .tooLarge), store: store).body(of: try request())
        #expect(store.byteCount == 0)
    }

    /// The server starts every response and breaks it.
    @Test(arguments: [1, 16 << 10])
    func aServerThatBreaksEveryResponseGetsNoMoreRequestsThanRetriesAllow(_ chunk: Int) async throws {
        let server = try LoopbackServer { request, connection in
            let start = request["Range"].flatMap { Int($0.dropFirst(6).dropLast()) } ?? 0
            var fields = [(name: "ETag", value: "\"v\""), (name: "Accept-Ranges", value: "bytes")]
            fields.append((name: "Content-Length", value: "\(1_000_000 - start)"))
            if start > 0 { fields.append((name: "Content-Range", value: "bytes \(start)-999999/1000000")) }
            try connection.writeHeaders(start > 0 ? 206 : 200, headers: fields)
            try connection.write([UInt8](repeating: 1, count: chunk))
            connection.close()
        }
        let loader = ResumingLoader(CurlLoader())
        for number in 0..<10 {
            var request = try server.request("/\(number)")
            request.retries = 3
            #expect(try await imageError { _ = try await loader.body(of: request) }.code == .connectionLost)
        }
        #expect(server.requests.value == 40)
    }
}
