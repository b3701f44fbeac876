import CalotypeTesting
import HTTPTypes
import ImageCore
import ImageLoading
import Testing

/// FEATURES 1.14: one image in the caches, from one place. The HTTP cache is tested with the standard wiring.
@Suite(.timeLimit(.minutes(1))) struct CacheOfALoader {
    private func request(_ name: String, width: Int? = nil) -> ImageRequest {
        var request = ImageRequest(url: url(name))
        if let width { request.options.targetSize = PixelSize(width: width, height: width) }
        return request
    }

    @Test func anImageIsLookedUpInMemoryAndItsBytesOnDisk() async throws {
        let bench = Bench()
        let cache = bench.loader.cache
        #expect(try await !cache.contains(request("x")))
        #expect(cache.image(for: request("x")) == nil)
        #expect(try await cache.data(for: request("x")) == nil)
        _ = try await bench.loader.image(for: request("x"))
        try await bench.loader.flush()
        #expect(cache.image(for: request("x")).map(red) == 7)
        #expect(try await cache.data(for: request("x"))?.data == Data([7]))
        #expect(try await cache.tier(of: request("x")) == .memory)
        // Another size is made from the bytes.
        #expect(cache.image(for: request("x", width: 2)) == nil)
        #expect(try await cache.tier(of: request("x", width: 2)) == .disk)
        #expect(bench.network.requests.count == 1)
    }

    @Test func theCachePolicyOfTheRequestHasNoEffect() async throws {
        let bench = Bench()
        _ = try await bench.loader.image(for: request("x"))
        var reload = request("x")
        reload.options.cachePolicy = .noCache
        #expect(bench.loader.cache.image(for: reload) != nil)
        #expect(try await bench.loader.cache.contains(reload))
    }

    @Test func aPreviewInTheMemoryCacheIsNoImage() async throws {
        let bench = Bench()
        var preview = try TestImages.solid(red: 3)
        preview.isPreview = true
        bench.memory.store(preview, for: ImageKey(resource: request("x").resource), priority: .normal)
        #expect(bench.loader.cache.image(for: request("x")) == nil)
        #expect(try await bench.loader.cache.tier(of: request("x")) == nil)
    }

    @Test func aStoredImageIsServedByLaterLoads() async throws {
        let bench = Bench {
            $0.encoder = RedEncoder()
            $0.processedFormat = ScriptedDecoder.format
        }
        var small = request("x", width: 2)
        small.options.diskStorage = .automatic
        try await bench.loader.cache.store(try TestImages.solid(width: 2, height: 2, red: 5), for: small)
        #expect(try await bench.loader.response(for: small).tier == .memory)
        bench.memory.removeAll()
        #expect(try await bench.loader.cache.tier(of: small) == .disk)
        let again = try await bench.loader.response(for: small)
        #expect(again.tier == .disk && red(again.image) == 5)
        #expect(bench.network.requests.isEmpty)
    }

    @Test func storedBytesReplaceWhatWasMadeFromEarlierOnes() async throws {
        let bench = Bench()
        _ = try await bench.loader.image(for: request("x"))
        _ = try await bench.loader.image(for: request("x", width: 2))
        try await bench.loader.flush()
        try await bench.loader.cache.store(Data([8]), for: request("x"))
        #expect(red(try await bench.loader.image(for: request("x", width: 2))) == 8)
        #expect(red(try await bench.loader.image(for: request("x"))) == 8)
        #expect(bench.network.requests.count == 1)
    }

    @Test func removingARequestRemovesItsImageAndItsBytesOnly() async throws {
        let bench = Bench()
        for request in [request("x"), request("x", width: 2), request("y")] { _ = try await bench.loader.image(for: request) }
        try await bench.loader.flush()
        let cache = bench.loader.cache
        try await cache.remove(request("x"))
        #expect(try await !cache.contains(request("x")))
        #expect(cache.image(for: request("x", width: 2)) != nil)
        #expect(try await cache.tier(of: request("y")) == .memory)
        #expect(try await bench.loader.response(for: request("x")).tier == .network)
    }

    @Test func removingARequestRemovesItsFinishedImageFromDisk() async throws {
        let bench = Bench {
            $0.encoder = RedEncoder()
            $0.processedFormat = ScriptedDecoder.format
            $0.options.diskStorage = .processedImages
        }
        for width in [2, 3] { _ = try await bench.loader.image(for: request("x", width: width)) }
        try await bench.loader.flush()
        bench.memory.removeAll()
        try await bench.loader.cache.remove(request("x", width: 2))
        #expect(try await bench.loader.cache.tier(of: request("x", width: 2)) == nil)
        #expect(try await bench.loader.cache.tier(of: request("x", width: 3)) == .disk)
    }

    @Test func removingAURLRemovesEverySizeAndEveryUsersBytes() async throws {
        let bench = Bench()
        var signed = request("x")
        signed.options.headers = [.authorization: "secret"]
        let requests = [request("x"), request("x", width: 2), signed]
        for request in requests + [request("y")] { _ = try await bench.loader.image(for: request) }
        try await bench.loader.flush()
        try await bench.loader.cache.removeAllVariants(of: url("x"))
        for request in requests { #expect(try await !bench.loader.cache.contains(request)) }
        #expect(try await bench.loader.cache.contains(request("y")))
        #expect(bench.memory.keys.count == 1 && bench.disk.keys.count == 1)
    }

    @Test func aLocalSourceIsInTheMemoryCacheOnly() async throws {
        let bench = Bench()
        let local = ImageRequest(.bytes(Data([4]), id: "local"))
        _ = try await bench.loader.image(for: local)
        let cache = bench.loader.cache
        #expect(try await cache.tier(of: local) == .memory)
        try await cache.store(Data([5]), for: local)
        #expect(bench.disk.keys.isEmpty)
        try await cache.remove(local)
        #expect(try await !cache.contains(local))
    }

    @Test func anInvalidOptionIsAnError() async throws {
        var invalid = request("x")
        invalid.options.timeout = .zero
        let cache = Bench().loader.cache
        #expect(cache.image(for: invalid) == nil)
        await #expect(throws: LoadFailure.self) { try await cache.contains(invalid) }
        await #expect(throws: LoadFailure.self) { try await cache.remove(invalid) }
    }

    @Test func everyTierIsEmptiedAlsoIfOneFails() async throws {
        struct Stubborn: ResponseCaching {
            func lookUp(_ request: DataRequest) -> ResponseLookup { .miss(nil) }
            func removeResponse(for request: DataRequest) {}
            func store(_ entry: DataEntry, for request: DataRequest) {}
            func removeResponses(of resource: ResourceKey) throws { throw ImageError(.plugInFailed, message: "No.") }
            func removeAll() throws { throw ImageError(.plugInFailed, message: "No.") }
        }
        let bench = Bench { $0.responseCache = Stubborn() }
        try await bench.disk.store(
            DataEntry(data: Data([1]), storedAt: 1), for: DataKey(resource: ImageRequest(url: url("x")).resource))
        await #expect(throws: ImageError.self) { try await bench.loader.clearCaches() }
        #expect(bench.disk.keys.isEmpty)
        await #expect(throws: ImageError.self) { try await bench.loader.cache.removeAllVariants(of: url("x")) }
        // If the data cache fails too, the error is that of the first.
        struct Unwritable: DataCaching {
            func entry(for key: DataKey) -> DataEntry? { nil }
            func store(_ entry: DataEntry, for key: DataKey) {}
            func removeEntry(for key: DataKey) {}
            func removeAll() throws { throw ImageError(.fileUnwritable, message: "No.") }
        }
        let failing = Bench {
            $0.responseCache = Stubborn()
            $0.dataCache = Unwritable()
        }
        let error = await #expect(throws: ImageError.self) { try await failing.loader.clearCaches() }
        #expect(error?.code == .plugInFailed)
    }
}

/// FEATURES 1.10: loads that began before the caches were cleared store nothing.
@Suite(.timeLimit(.minutes(1))) struct ClearingDuringLoads {
    @Test func aLoadInFlightStoresNothingAfterAClear() async throws {
        let bench = Bench.held()
        let task = bench.loader.task(for: ImageRequest(url: url("x")))
        await bench.network.gate.waitForArrivals(1)
        try await bench.loader.clearCaches()
        bench.network.gate.open()
        #expect(red(try await task.response.image) == 7)
        try await bench.loader.flush()
        await bench.waitUntilIdle()
        #expect(bench.memory.keys.isEmpty && bench.disk.keys.isEmpty)
        // A load that begins now stores its image.
        _ = try await bench.loader.image(for: url("x"))
        try await bench.loader.flush()
        #expect(!bench.memory.keys.isEmpty && !bench.disk.keys.isEmpty)
    }

    @Test func aClearWaitsForAStoreThatRunsAndRemovesItsEntry() async throws {
        let disk = LoggedDataCache(storeGate: Gate())
        let bench = Bench(disk: disk)
        _ = try await bench.loader.image(for: url("x"))
        await disk.storeGate.waitForArrivals(1)
        let clear = Task { try await bench.loader.clearCaches() }
        while !bench.memory.keys.isEmpty { await Task.yield() }
        disk.storeGate.open()
        try await clear.value
        await bench.waitUntilIdle()
        #expect(disk.keys.isEmpty)
    }
}
