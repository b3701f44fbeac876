import CalotypeTesting
import HTTPTypes
import ImageCore
import ImageLoading
import Testing

/// URLs with one cache key are one image to the engine (FEATURES 1.15). The image is red by the token of its URL.
@Suite(.timeLimit(.minutes(1))) struct CacheKeyLoads {
    private static func network(_ gate: Gate = Gate(isOpen: true)) -> ScriptedLoader {
        ScriptedLoader(gate: gate) { .body(Data([UInt8($0.url.query ?? "") ?? 0])) }
    }

    private let bench = Bench(network: Self.network())

    private func source(_ token: Int, _ key: String? = "cat") -> ImageSource { .url(url("cat?\(token)"), cacheKey: key) }

    private func request(_ token: Int, _ key: String? = "cat", _ policy: CachePolicy? = nil) -> ImageRequest {
        var request = ImageRequest(source(token, key))
        request.options.cachePolicy = policy
        return request
    }

    @Test func loadsOfOneKeyShareTheFetchOfTheFirst() async throws {
        let bench = Bench(network: Self.network(Gate()))
        let tasks = [1, 2, 3].map { bench.loader.task(for: request($0)) } + [bench.loader.task(for: request(4, "dog"))]
        await bench.network.waitForRequests(2)
        bench.network.gate.open()
        var reds: [UInt8] = []
        for task in tasks { reds.append(red(try await task.response.image)) }
        #expect(reds == [1, 1, 1, 4])
        #expect(bench.network.requests.compactMap(\.cacheKey).sorted() == ["cat", "dog"])
        await bench.waitUntilIdle()
    }

    /// A token that has expired fails the loads of its URL, and no others.
    @Test(arguments: [nil, PixelSize(10)]) func aLoadDoesNotEndWithTheRefusalOfAnotherURL(size: PixelSize?) async throws {
        let bench = Bench(
            network: ScriptedLoader(gate: Gate()) {
                $0.url.query == "1" ? .response(HTTPResponse(status: .forbidden), chunks: []) : .body(Data([2]))
            })
        let expired = bench.loader.task(for: request(1))
        await bench.network.gate.waitForArrivals(1)
        var valid = request(2)
        if let size { valid.options.targetSize = size }
        let others = (0..<3).map { _ in bench.loader.task(for: valid) }
        while bench.loader.activity.loads < 4 { await Task.yield() }
        bench.network.gate.open()
        let failure = await #expect(throws: LoadFailure.self) { try await expired.response }
        #expect(failure?.status == 403)
        for other in others { #expect(red(try await other.image) == 2) }
        #expect(bench.network.requests.map(\.url.query) == ["1", "2"])
    }

    @Test func loadsOfOneKeyShareMemory() async throws {
        _ = try await bench.loader.image(for: request(1))
        #expect(try await bench.loader.response(for: request(2)).tier == .memory)
        #expect(bench.loader.cachedImage(for: request(3)).map(red) == 1)
        #expect(bench.loader.cachedImage(for: request(1, nil)) == nil && bench.loader.cachedImage(for: request(1, "dog")) == nil)
    }

    @Test func loadsOfOneKeyShareTheDataCache() async throws {
        _ = try await bench.loader.image(for: request(1))
        try await bench.loader.flush()
        #expect(try await bench.loader.response(for: request(2, "cat", .diskOnly)).tier == .disk)
        #expect(try await bench.loader.data(for: request(3)).data == Data([1]))
        _ = try await bench.loader.info(for: request(4))
        #expect(bench.network.requests.count == 1)
        #expect(red(try await bench.loader.image(for: request(5, nil))) == 5)
    }

    @Test func aPrefetchServesALoadByAnotherURL() async throws {
        let prefetcher = ImagePrefetcher(loader: bench.loader)
        prefetcher.start([request(1)])
        await prefetcher.waitUntilIdle()
        #expect(try await bench.loader.response(for: request(2)).tier == .memory)
    }

    @Test func fallbacksAndSmallVersionsHaveKeys() async throws {
        let bench = Bench(network: ScriptedLoader { $0.url.query == "0" ? .body(Data([0xFF])) : .body(Data([9])) })
        _ = try await bench.loader.image(for: request(1, "small"))
        var request = request(0, "large")
        (request.fallbacks, request.lowResolution) = ([source(2, "cat")], source(3, "small"))
        var other = request
        other.fallbacks = [source(4, "cat")]
        #expect(request == other)
        #expect(red(try await bench.loader.image(for: request)) == 9)
        #expect(bench.loader.cachedImage(for: self.request(5)) != nil)
        #expect(bench.loader.cachedImage(for: self.request(0, "large")) == nil)
        // A handle looks for the small version, which is in memory.
        _ = try await bench.loader.task(for: request) { _ in }.response
        #expect(bench.network.requests.map(\.url.query) == ["1", "0", "2", "0"])
    }

    enum Removal: CaseIterable {
        case request, variants, key
    }

    @Test(arguments: Removal.allCases)
    func removingAKeyRemovesWhatItsURLsBrought(_ removal: Removal) async throws {
        let cache = bench.loader.cache
        for key in ["cat", "dog", nil] { _ = try await bench.loader.image(for: request(1, key)) }
        try await bench.loader.flush()
        #expect(try await cache.contains(request(2)))
        switch removal {
        case .request: try await cache.remove(request(3))
        case .variants: try await cache.removeAllVariants(of: request(3))
        case .key: try await cache.removeAllVariants(ofCacheKey: "cat")
        }
        #expect(try await !cache.contains(request(1)))
        for key in ["dog", nil] { #expect(try await cache.tier(of: request(1, key)) == .memory) }
        try await cache.removeAllVariants(ofCacheKey: "")
        #expect(bench.disk.keys.count == 2)
    }

    @Test func whatIsStoredForAKeyIsFound() async throws {
        try await bench.loader.cache.store(Data([5]), for: request(1))
        #expect(red(try await bench.loader.image(for: request(2))) == 5)
        #expect(bench.network.requests.isEmpty)
    }
}
