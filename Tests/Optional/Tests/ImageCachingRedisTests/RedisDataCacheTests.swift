import CalotypeTesting
import HTTPTypes
import ImageCaching
import ImageCore
import ImageLoading
import ImageNetworking
import LoopbackHTTP
import Testing

@testable import ImageCachingRedis

/// The shared store against a real server, in all its states.
@Suite(.timeLimit(.minutes(2))) struct RedisDataCacheTests {
    private final class Surroundings: Sendable {
        let seconds = Lock(1_000.0)
        let warnings = Lock<[String]>([])
    }

    private func cache(
        _ socket: String, prefix: String = "test:", password: String? = nil, _ surroundings: Surroundings = Surroundings(),
        change: (inout RedisDataCache.Configuration) -> Void = { _ in }
    ) -> RedisDataCache {
        var configuration = RedisDataCache.Configuration(address: .socket(socket), password: password)
        configuration.prefix = prefix
        configuration.timeout = .seconds(60)
        configuration.now = { surroundings.seconds.withLock { $0 } }
        configuration.onWarning = { text in surroundings.warnings.withLock { $0.append(text) } }
        change(&configuration)
        return RedisDataCache(configuration)
    }

    private func key(_ name: String, variant: String? = nil) -> DataKey {
        DataKey(resource: ResourceKey("https://example.org/\(name)"), variant: variant)
    }

    private func entry(_ data: Data = Data("body".utf8)) -> DataEntry {
        DataEntry(data: data, head: HTTPResponse(status: .ok, headerFields: [.eTag: "\"1\""]), storedAt: 12.5)
    }

    /// Sends a command to the server without the cache.
    private func ask(_ server: RedisServer, _ words: String...) throws -> String {
        let connection = RedisConnection(.init(address: .socket(server.socket)))
        return try unsafe connection.command(words.map { .text($0) }) { unsafe String(decoding: $0, as: UTF8.self) }
    }

    @Test func itPassesTheConformanceChecks() async throws {
        let server = try RedisServer()
        let number = Lock(0)
        try await checkDataCachingConformance {
            let prefix = number.withLock { number in
                number += 1
                return "check\(number):"
            }
            return cache(server.socket, prefix: prefix)
        }
    }

    @Test func bodiesOfAnyBytesAndSizesCanBeRead() async throws {
        let server = try RedisServer()
        let cache = cache(server.socket)
        let bodies = [
            Data(), Data([0, 13, 10, 0]), Data((0..<2_000_000).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 9) }),
        ]
        for (i, body) in bodies.enumerated() {
            try await cache.store(entry(body), for: key("\(i)"))
            let found = try await cache.entry(for: key("\(i)"))
            #expect(found?.data == body)
            #expect(found?.head == entry().head)
            #expect(found?.storedAt == 12.5)
        }
        #expect(cache.statistics.hits == 3)
        #expect(cache.statistics.stores == 3)
    }

    @Test func keysDoNotContainTheURLAndValuesHaveATimeToLive() async throws {
        let server = try RedisServer()
        let cache = cache(server.socket) { $0.timeToLive = .seconds(100) }
        try await cache.store(entry(), for: key("secret"))
        let script = "local k = redis.call('KEYS', '*') return k[1] .. ' ' .. redis.call('PTTL', k[1])"
        let answer = try ask(server, "EVAL", script, "0").split(separator: " ")
        #expect(answer.first.map(String.init) == "test:" + key("secret").digest)
        let left = try #require(answer.last.flatMap { Int($0) })
        #expect(left > 90_000 && left <= 100_000)
    }

    @Test func aValueOfAnotherProgramIsAMiss() async throws {
        let server = try RedisServer()
        let cache = cache(server.socket)
        let name = "test:" + key("a").digest
        for value in ["", "nonsense", String(repeating: "x", count: 5_000)] {
            _ = try ask(server, "SET", name, value)
            #expect(try await cache.entry(for: key("a")) == nil)
        }
        _ = try ask(server, "DEL", name)
        _ = try ask(server, "RPUSH", name, "1")
        #expect(try await cache.entry(for: key("a")) == nil)
        // An error reply is not a failure that pauses requests forever.
        try await cache.store(entry(), for: key("b"))
        #expect(try await cache.entry(for: key("b")) != nil)
        // A value that was copied to another key.
        _ = try ask(server, "COPY", "test:" + key("b").digest, "test:" + key("c").digest)
        #expect(try await cache.entry(for: key("c")) == nil)
    }

    @Test func anEntryThatIsTooLargeIsNotStoredAndTheOldOneIsRemoved() async throws {
        let server = try RedisServer()
        let cache = cache(server.socket) { $0.maximumEntryBytes = 1_000 }
        try await cache.store(entry(), for: key("a"))
        try await cache.store(entry(Data(count: 1_000)), for: key("a"))
        #expect(try await cache.entry(for: key("a")) == nil)
        #expect(cache.statistics.refusals == 1)
    }

    @Test func removingAllKeepsKeysWithOtherPrefixes() async throws {
        let server = try RedisServer()
        let (one, two) = (cache(server.socket, prefix: "a*b:"), cache(server.socket, prefix: "axb:"))
        for i in 0..<2_500 { try await one.store(entry(), for: key("\(i)")) }
        try await two.store(entry(), for: key("kept"))
        try await one.removeAll()
        #expect(try await one.entry(for: key("7")) == nil)
        #expect(try await two.entry(for: key("kept")) != nil)
    }

    /// FEATURES 1.14.
    @Test func everythingOfASourceIsRemovedWhateverItsVariant() async throws {
        let server = try RedisServer()
        let cache = cache(server.socket, prefix: "a*b:")
        let own = [
            key("a"), key("a", variant: "http"), DataKey(resource: key("a").resource.varied(by: ["x"]), variant: "http 1"),
        ]
        for key in own + [key("b")] { try await cache.store(entry(), for: key) }
        try await cache.removeEntries(of: key("a").resource)
        for key in own { #expect(try await cache.entry(for: key) == nil) }
        #expect(try await cache.entry(for: key("b")) != nil)
    }

    @Test func aFullServerServesWhatItHas() async throws {
        let server = try RedisServer()
        let surroundings = Surroundings()
        let cache = cache(server.socket, surroundings)
        try await cache.store(entry(), for: key("a"))
        _ = try ask(server, "CONFIG", "SET", "maxmemory-policy", "noeviction")
        _ = try ask(server, "CONFIG", "SET", "maxmemory", "1")
        for i in 0..<5 { try await cache.store(entry(), for: key("\(i)")) }
        #expect(cache.statistics.refusals == 5 && cache.statistics.failures == 5)
        #expect(try await cache.entry(for: key("a")) != nil)
        try await cache.removeEntry(for: key("a"))
        #expect(try await cache.entry(for: key("a")) == nil)
        #expect(surroundings.warnings.withLock { $0 }.isEmpty)
        _ = try ask(server, "CONFIG", "SET", "maxmemory", "0")
        try await cache.store(entry(), for: key("b"))
        #expect(try await cache.entry(for: key("b")) != nil)
    }

    @Test func aWrongPasswordOnlyCostsHits() async throws {
        let server = try RedisServer(password: "open sesame")
        let right = cache(server.socket, password: "open sesame")
        try await right.store(entry(), for: key("a"))
        #expect(try await right.entry(for: key("a")) != nil)
        let surroundings = Surroundings()
        let wrong = cache(server.socket, password: "wrong", surroundings)
        for _ in 0..<5 { #expect(try await wrong.entry(for: key("a")) == nil) }
        #expect(surroundings.warnings.withLock { $0 }.count == 1)
        #expect(surroundings.warnings.withLock { $0 }.first?.contains("WRONGPASS") == true)
    }

    @Test func anUnreachableServerCausesMissesOneWarningAndFewAttempts() async throws {
        let surroundings = Surroundings()
        let cache = cache("/nonexistent/redis.sock", surroundings)
        for i in 0..<20 {
            try await cache.store(entry(), for: key("\(i)"))
            #expect(try await cache.entry(for: key("\(i)")) == nil)
            // A removal that is not confirmed must not look as if it were.
            await #expect(throws: ImageError.self) { try await cache.removeEntry(for: key("\(i)")) }
        }
        await #expect(throws: ImageError.self) { try await cache.removeAll() }
        await #expect(throws: ImageError.self) { try await cache.removeEntries(of: key("0").resource) }
        #expect(cache.statistics.failures == 3)
        #expect(surroundings.warnings.withLock { $0 }.count == 1)
        // After the pause there is one trial, and then a longer pause.
        surroundings.seconds.withLock { $0 += 1 }
        for _ in 0..<5 { #expect(try await cache.entry(for: key("0")) == nil) }
        #expect(cache.statistics.failures == 4)
        surroundings.seconds.withLock { $0 += 1 }
        #expect(try await cache.entry(for: key("0")) == nil)
        #expect(cache.statistics.failures == 4)
        #expect(surroundings.warnings.withLock { $0 }.count == 1)
    }

    @Test func aServerThatIsRestartedIsUsedAgain() async throws {
        let first = try RedisServer()
        let surroundings = Surroundings()
        let cache = cache(first.socket, surroundings)
        try await cache.store(entry(), for: key("a"))
        first.end()
        for _ in 0..<8 { #expect(try await cache.entry(for: key("a")) == nil) }
        #expect(surroundings.warnings.withLock { $0 }.count == 1)
        let second = try RedisServer(in: first.folder)
        surroundings.seconds.withLock { $0 += 1 }
        try await cache.store(entry(), for: key("b"))
        #expect(try await cache.entry(for: key("b"))?.data == entry().data)
        withExtendedLifetime(second) {}
    }

    @Test func requestsToAServerThatDoesNotReplyAreSoonPaused() async throws {
        let server = try RedisServer()
        let surroundings = Surroundings()
        try await self.cache(server.socket).store(entry(), for: key("a"))
        let cache = cache(server.socket, surroundings) { $0.timeout = .milliseconds(50) }
        /// Repeats the lookup until a reply comes in time, since a busy machine may take longer.
        func found() async throws -> DataEntry {
            while true {
                surroundings.seconds.withLock { $0 += 100 }
                // A late reply is not used for a later command.
                #expect(try await cache.entry(for: key("b")) == nil)
                if let entry = try await cache.entry(for: key("a")) { return entry }
            }
        }
        #expect(try await found().data == entry().data)
        let failures = cache.statistics.failures
        server.stall()
        for _ in 0..<50 { #expect(try await cache.entry(for: key("a")) == nil) }
        server.resume()
        // Three timeouts of 0.05 s; without the pause there would be fifty.
        #expect(cache.statistics.failures == failures + 3)
        #expect(try await found().data == entry().data)
    }

    @Test(
        arguments: [
            "nonsense\r\n", "HTTP/1.1 400 Bad Request\r\n\r\n", "$-7\r\n", "$99999999999999999999\r\n", "*1000000000\r\n",
            "$5\r\nab", "*2\r\n$1\r\n7\r\n$3\r\nabc\r\n", "*1\r\n*1\r\n*1\r\n", ":7\r\n", "", "$20000000\r\n",
        ])
    func malformedRepliesOnlyCostHits(_ answer: String) async throws {
        // The server sends this reply to any command, and closes the connection.
        let server = try LoopbackServer(connecting: { connection in
            _ = connection.read()
            try connection.write(answer)
            if answer.hasPrefix("$2") { for _ in 0..<400 { try connection.write([UInt8](repeating: 7, count: 50_000)) } }
        })
        let cache = cacheOnLoopback(server.port)
        #expect(try await cache.entry(for: key("a")) == nil)
        try await cache.store(entry(), for: key("a"))
        try? await cache.removeEntry(for: key("a"))
        try? await cache.removeAll()
        server.stop()
    }

    @Test func aSlowReplyEndsAtTheTimeLimit() async throws {
        let seconds = Lock(0.0)
        let server = try LoopbackServer(connecting: { connection in
            _ = connection.read()
            try connection.write("$1000000\r\n")
            // Each byte arrives within the limit of one wait.
            for _ in 0..<1_000_000 {
                seconds.withLock { $0 += 0.9 }
                try connection.write([7])
            }
        })
        let cache = cacheOnLoopback(server.port) { $0.now = { seconds.withLock { $0 } } }
        #expect(try await cache.entry(for: key("a")) == nil)
        #expect(cache.statistics.failures == 1)
        server.stop()
    }

    @Test func anEndlessListOfKeysIsAnError() async throws {
        let pages = Lock(0)
        let server = try LoopbackServer(connecting: { connection in
            while connection.read() != nil {
                let page = pages.withLock { pages in
                    pages += 1
                    return pages
                }
                guard page < 50 else { return }
                try connection.write("*2\r\n$1\r\n7\r\n*0\r\n")
            }
        })
        let cache = cacheOnLoopback(server.port) { $0.timeout = .seconds(60) }
        await #expect(throws: ImageError.self) { try await cache.removeAll() }
        #expect(pages.withLock { $0 } == 50)
        server.stop()
    }

    private func cacheOnLoopback(_ port: Int, change: (inout RedisDataCache.Configuration) -> Void = { _ in })
        -> RedisDataCache
    {
        var configuration = RedisDataCache.Configuration(address: .host("127.0.0.1", port: port))
        configuration.timeout = .seconds(1)
        configuration.maximumEntryBytes = 1_000_000
        configuration.connections = 1
        configuration.tolerance = 100
        change(&configuration)
        return RedisDataCache(configuration)
    }

    @Test func asTheSharedTierItIsWrittenReadAndPromoted() async throws {
        let server = try RedisServer()
        func tiers(_ local: MemoryTier) -> TieredDataCache { TieredDataCache(local: local, shared: cache(server.socket)) }
        let (here, there) = (MemoryTier(), MemoryTier())
        try await tiers(here).store(entry(), for: key("a"))
        #expect(try await tiers(there).entry(for: key("a"))?.data == entry().data)
        #expect(await there.count == 1)
        server.end()
        #expect(try await tiers(there).entry(for: key("a"))?.data == entry().data)
        #expect(try await tiers(MemoryTier()).entry(for: key("a")) == nil)
    }

    // MARK: Loads

    /// A loader with its own local tier over the server, as one of several machines.
    private func loader(_ shared: RedisDataCache, _ local: LoggedDataCache = LoggedDataCache(), network: ScriptedLoader)
        -> ImageLoader
    {
        let tiers = TieredDataCache(local: local, shared: shared)
        let responses = HTTPCache(store: tiers)
        let partial = PartialBodyStore(backing: tiers)
        let fetching = CachedLoader(ResumingLoader(network, store: partial, minimumBytes: 1), cache: responses)
        var configuration = ImageLoader.Configuration(dataLoader: fetching, decoder: ScriptedDecoder(), dataCache: tiers)
        configuration.responseCache = responses
        configuration.otherStores = [partial]
        return ImageLoader(configuration)
    }

    private func network() -> ScriptedLoader {
        ScriptedLoader { _ in
            .response(HTTPResponse(status: .ok, headerFields: [.cacheControl: "max-age=600"]), chunks: [Data([7])])
        }
    }

    private func image(_ name: String) -> ImageRequest { ImageRequest(url: URL(string: "http://example.org/\(name)")!) }

    @Test func oneMachineServesWhatAnotherFetchedUntilItIsRemovedOrCleared() async throws {
        let server = try RedisServer()
        let (one, two) = (network(), network())
        let here = loader(cache(server.socket), network: one)
        for name in ["a", "b", "c"] { _ = try await here.image(for: image(name)) }
        try await here.flush()
        func there() -> ImageLoader { loader(cache(server.socket), network: two) }
        #expect(try await there().response(for: image("a")).tier == .disk)
        try await here.cache.remove(image("a"))
        #expect(try await there().response(for: image("a")).tier == .network)
        try await here.cache.removeAllVariants(of: URL(string: "http://example.org/b")!)
        #expect(try await there().response(for: image("b")).tier == .network)
        #expect(try await there().response(for: image("c")).tier == .disk)
        try await here.clearCaches()
        #expect(try await there().response(for: image("c")).tier == .network)
    }

    @Test func noLoadFailsWhileTheServerIsKilledStalledFullOrRestarted() async throws {
        let first = try RedisServer()
        let surroundings = Surroundings()
        let (network, shared) = (network(), cache(first.socket, surroundings) { $0.timeout = .milliseconds(50) })
        func load(_ name: String) async throws {
            let loader = loader(shared, network: network)
            #expect(try await loader.response(for: image(name)).tier == .network)
            try await loader.flush()
        }
        try await load("before")
        _ = try ask(first, "CONFIG", "SET", "maxmemory", "1")
        try await load("full")
        first.stall()
        for number in 0..<5 { try await load("stalled-\(number)") }
        first.resume()
        first.end()
        for number in 0..<5 { try await load("killed-\(number)") }
        await #expect(throws: ImageError.self) { try await loader(shared, network: network).clearCaches() }
        let second = try RedisServer(in: first.folder)
        surroundings.seconds.withLock { $0 += 1_000 }
        try await load("restarted")
        #expect(try await loader(cache(second.socket), network: network).response(for: image("restarted")).tier == .disk)
    }

    /// Sends six bytes, and loses the connection.
    private struct BreakingLoader: DataLoading {
        let fields: HTTPFields

        func load(_ request: DataRequest) async throws -> DataResponse {
            let chunks = Lock([Data([7, 1, 2, 3, 4, 5])])
            let body = ByteStream {
                if let chunk = chunks.withLock({ $0.popLast() }) { return chunk }
                throw ImageError(.connectionLost, message: "Gone.")
            }
            return DataResponse(url: request.url, head: HTTPResponse(status: .ok, headerFields: fields), body: body)
        }
    }

    @Test func anotherMachineResumesADownload() async throws {
        let server = try RedisServer()
        let shared = cache(server.socket)
        let fields: HTTPFields = [.eTag: "\"1\"", .acceptRanges: "bytes", .contentLength: "10"]
        let network = ScriptedLoader { request in
            if request.headerFields[.range] == "bytes=6-" {
                var rest = fields
                (rest[.contentRange], rest[.contentLength]) = ("bytes 6-9/10", "4")
                return .response(HTTPResponse(status: .partialContent, headerFields: rest), chunks: [Data(count: 4)])
            }
            return .forward(BreakingLoader(fields: fields))
        }
        var request = image("a")
        request.options.retries = 0
        let wanted = request
        await #expect(throws: LoadFailure.self) { try await loader(shared, network: network).image(for: wanted) }
        while shared.statistics.stores == 0 { await Task.yield() }
        #expect(try await loader(shared, network: network).data(for: request).data == Data([7, 1, 2, 3, 4, 5, 0, 0, 0, 0]))
        #expect(network.requests.last?.headerFields[.range] == "bytes=6-")
    }
}

private actor MemoryTier: DataCaching {
    private var entries: [DataKey: DataEntry] = [:]
    var count: Int { entries.count }
    func entry(for key: DataKey) -> DataEntry? { entries[key] }
    func store(_ entry: DataEntry, for key: DataKey) { entries[key] = entry }
    func removeEntry(for key: DataKey) { entries[key] = nil }
    func removeAll() { entries = [:] }
}
