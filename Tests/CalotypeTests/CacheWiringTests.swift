import Calotype
import CalotypeTesting
import Foundation
import HTTPTypes
import LoopbackHTTP
import Testing

/// The caches of a standard loader over real HTTP: one image in all of them, clearing, stand-ins, resumption and the
/// network monitor.
@Suite(.timeLimit(.minutes(1))) struct CachesOfAStandardLoader {
    private let memory = LoggedMemoryCache()
    private let disk = LoggedDataCache()

    private func loader(_ change: (inout StandardConfiguration) -> Void = { _ in }) -> ImageLoader {
        makeStandardLoader(memory: memory, disk: disk, change)
    }

    private static func server(_ control: String = "max-age=60") throws -> LoopbackServer {
        let png = try servedPNG()
        return try LoopbackServer(serving: { _ in
            .init(200, headers: [("Cache-Control", control), ("Vary", "Accept-Language"), ("ETag", "\"1\"")], body: png)
        })
    }

    /// A loader with a shared tier, which has loaded and stored an image.
    private func loader(of request: ImageRequest, sharing shared: LoggedDataCache) async throws -> ImageLoader {
        let loader = loader { $0.dataCache = TieredDataCache(local: disk, shared: shared) }
        _ = try await loader.image(for: request)
        try await loader.flush()
        return loader
    }

    /// GAPS N9, FEATURES 7.4.
    @Test func loadsWorkWhereTheCacheDirectoryCannotBeMade() async throws {
        let server = try Self.server()
        defer { server.stop() }
        let file = FileManager.default.temporaryDirectory.appending(path: "calotype-\(UUID().uuidString)")
        try Data("mine".utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let warnings = EventLog<String>()
        let directory = file.appending(path: "cache")
        let cache = DiskCache(.init(directory: directory, onWarning: { warnings.append("\($0)") }))
        let loader = makeStandardLoader(memory: memory, disk: cache)
        for _ in 0..<3 {
            memory.removeAll()
            #expect(try await loader.response(for: imageRequest(server)).tier == .network)
            try await loader.flush()
        }
        #expect(warnings.count == 1)
    }

    /// GAPS N3: the transfer is complete, and the coded data is not.
    @Test(arguments: [false, true]) func codedBytesThatEndEarlyAreNotStored(replacingGoodOnes: Bool) async throws {
        let png = try servedPNG()
        // A gzip header and one stored block (RFC 1951, 3.2.4), without the rest of its bytes and the checksum.
        let size = UInt16(png.count)
        let gzip: [UInt8] =
            [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3, 1] + [size, ~size].flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
        let good = Lock(replacingGoodOnes)
        let server = try LoopbackServer(serving: { _ in
            if good.withLock(\.self) { return .init(200, headers: [("Cache-Control", "max-age=0")], body: png) }
            let headers = [("Cache-Control", "max-age=600"), ("Content-Encoding", "gzip")]
            return .init(200, headers: headers, body: gzip + png.dropLast(5))
        })
        defer { server.stop() }
        let loader = loader()
        if replacingGoodOnes { _ = try await loader.data(for: imageRequest(server)) }
        try await loader.flush()
        let stored = disk.keys.count
        good.withLock { $0 = false }
        var request = imageRequest(server)
        request.options.cachePolicy = .reload
        for _ in 0..<2 {
            let failure = await #expect(throws: LoadFailure.self) { try await loader.data(for: request) }
            #expect(failure?.error?.code == .badResponse)
            try await loader.flush()
        }
        #expect(disk.keys.count == stored)
        if replacingGoodOnes { #expect(try await loader.cache.data(for: imageRequest(server))?.data == Data(png)) }
    }

    // MARK: One image (FEATURES 1.14)

    @Test func aStoredResponseIsFoundFreshOrStaleWithoutTheNetwork() async throws {
        let server = try Self.server("max-age=0")
        defer { server.stop() }
        let loader = loader()
        #expect(try await !loader.cache.contains(imageRequest(server)))
        _ = try await loader.image(for: imageRequest(server))
        try await loader.flush()
        memory.removeAll()
        let entry = try #require(try await loader.cache.data(for: imageRequest(server)))
        #expect(Array(entry.data) == (try servedPNG()) && entry.head.headerFields[.eTag] == "\"1\"")
        #expect(try await loader.cache.tier(of: imageRequest(server)) == .disk)
        #expect(server.requests.value == 1)
    }

    @Test func aTestSetsTheTimeByWhichResponsesBecomeStale() async throws {
        let server = try Self.server("max-age=60")
        defer { server.stop() }
        let time = Lock(Date())
        let loader = loader { $0.now = { time.withLock { $0 } } }
        for (seconds, requests) in [(0.0, 1), (59, 1), (2, 2)] {
            time.withLock { $0 += seconds }
            memory.removeAll()
            _ = try await loader.image(for: imageRequest(server))
            try await loader.flush()
            #expect(server.requests.value == requests)
        }
    }

    @Test func storedBytesAreServedWithoutARequestForTheirAge() async throws {
        let server = try Self.server()
        defer { server.stop() }
        let loader = loader()
        try await loader.cache.store(Data(try servedPNG(red: 50)), for: imageRequest(server))
        let response = try await loader.response(for: imageRequest(server))
        #expect(response.tier == .disk && TestImages.pixel(of: response.image, x: 0, y: 0)[0] == 50)
        try await loader.cache.store(Data(try servedPNG(red: 60)), for: imageRequest(server), maximumAge: .zero)
        #expect(TestImages.pixel(of: try await loader.image(for: imageRequest(server)), x: 0, y: 0)[0] == 200)
        #expect(server.requests.value == 1)
    }

    @Test func removingARequestRemovesItsResponse() async throws {
        let server = try Self.server()
        defer { server.stop() }
        let loader = loader()
        _ = try await loader.image(for: imageRequest(server))
        try await loader.flush()
        try await loader.cache.remove(imageRequest(server))
        #expect(try await !loader.cache.contains(imageRequest(server)))
        #expect(try await loader.response(for: imageRequest(server)).tier == .network)
    }

    @Test func removingAURLRemovesEveryVariantForEveryUser() async throws {
        let server = try Self.server()
        defer { server.stop() }
        let loader = loader()
        var requests = [imageRequest(server), imageRequest(server, size: PixelSize(10))]
        for (name, value) in [(HTTPField.Name.acceptLanguage, "de"), (.acceptLanguage, "fr"), (.authorization, "secret")] {
            requests.append(imageRequest(server))
            requests[requests.count - 1].options.headers = [name: value]
        }
        for request in requests { _ = try await loader.image(for: request) }
        _ = try await loader.image(for: imageRequest(server, "/other.png"))
        try await loader.flush()
        #expect(disk.keys.count == 5)
        try await loader.cache.removeAllVariants(of: URL(string: server.url("/image.png"))!)
        for request in requests { #expect(try await !loader.cache.contains(request)) }
        #expect(memory.keys.count == 1 && disk.keys.count == 1)
    }

    @Test func aSharedTierIsSearchedAndRemovedFromToo() async throws {
        let (server, shared) = (try Self.server(), LoggedDataCache())
        defer { server.stop() }
        let loader = try await loader(of: imageRequest(server), sharing: shared)
        memory.removeAll()
        try await disk.removeAll()
        #expect(try await loader.cache.tier(of: imageRequest(server)) == .disk)
        try await loader.cache.remove(imageRequest(server))
        #expect(disk.keys.isEmpty && shared.keys.isEmpty)
    }

    // MARK: Clearing (FEATURES 1.10)

    /// The response is complete only after the caches were cleared.
    @Test func aFetchInFlightStoresNothingAfterAClear() async throws {
        let (png, gate, arrived) = (try servedPNG(), try LoopbackServer.Gate(), EventLog<Void>())
        let server = try LoopbackServer { _, connection in
            arrived.append(())
            try connection.wait(for: gate)
            try connection.respond(.init(200, headers: [("Cache-Control", "max-age=60")], body: png))
        }
        defer { server.stop() }
        let loader = loader()
        let task = loader.task(for: imageRequest(server))
        await arrived.wait(forCount: 1)
        try await loader.clearCaches()
        gate.open()
        _ = try await task.response
        try await loader.flush()
        #expect(memory.keys.isEmpty && disk.keys.isEmpty)
        _ = try await loader.image(for: imageRequest(server))
        try await loader.flush()
        #expect(!memory.keys.isEmpty && !disk.keys.isEmpty)
    }

    @Test func aTransferThatBreaksAfterAClearIsNotResumed() async throws {
        let (ranges, gate, arrived) = (EventLog<String?>(), try LoopbackServer.Gate(), EventLog<Void>())
        let file = try servedPNG() + [UInt8](repeating: 0, count: 64 << 10)
        let server = try LoopbackServer { request, connection in
            ranges.append(request["Range"])
            arrived.append(())
            try connection.wait(for: gate)
            let headers = [("ETag", "\"v\""), ("Accept-Ranges", "bytes"), ("Content-Length", "\(file.count)")]
            try connection.respond(.init(200, headers: headers, body: Array(file.prefix(32 << 10))))
            connection.close()
        }
        defer { server.stop() }
        let loader = loader { $0.options.retries = 0 }
        let task = loader.task(for: imageRequest(server))
        await arrived.wait(forCount: 1)
        try await loader.clearCaches()
        gate.open()
        await #expect(throws: LoadFailure.self) { try await task.response }
        await #expect(throws: LoadFailure.self) { try await loader.image(for: imageRequest(server)) }
        #expect(ranges.events == [nil, nil])
    }

    @Test func clearingEmptiesTheSharedTier() async throws {
        let (server, shared) = (try Self.server(), LoggedDataCache())
        defer { server.stop() }
        let loader = try await loader(of: imageRequest(server), sharing: shared)
        #expect(!shared.keys.isEmpty)
        try await loader.clearCaches()
        #expect(disk.keys.isEmpty && shared.keys.isEmpty)
    }

    // MARK: Stand-ins (FEATURES 6.6)

    @Test func aTargetShowsALargerCachedImageUntilTheExactOneIsThere() async throws {
        let reds = Lock<[UInt8]>([50, 200])
        let server = try LoopbackServer(serving: { _ in
            .init(200, body: (try? servedPNG(red: reds.withLock { $0.removeFirst() })) ?? [])
        })
        defer { server.stop() }
        let loader = loader { $0.dataCache = nil }
        _ = try await loader.image(for: imageRequest(server))
        try await loader.flush()
        let (view, done) = (RecordingView(), EventLog<Void>())
        let target = ImageTarget(view, loader: loader)
        await target.setImage(imageRequest(server, size: PixelSize(10))) { _ in done.append(()) }
        await done.wait(forCount: 1)
        let images = view.shown.filter { if case .image = $0 { true } else { false } }
        #expect(images == [.image(red: 50, .none), .image(red: 200, .none)])
    }

    // MARK: Resumption (FEATURES 4.7)

    /// Each loader has its own memory, as after a restart of the process.
    @Test(arguments: [false, true]) func anotherLoaderResumesADownloadFromADataCacheOfAnyKind(isTiered: Bool) async throws {
        let (ranges, file) = (EventLog<String?>(), try servedPNG() + [UInt8](repeating: 0, count: 64 << 10))
        let server = try LoopbackServer { request, connection in
            ranges.append(request["Range"])
            var headers = [("ETag", "\"v\""), ("Accept-Ranges", "bytes")]
            if let start = request["Range"]?.dropFirst(6).dropLast(), let start = Int(start) {
                headers.append(("Content-Range", "bytes \(start)-\(file.count - 1)/\(file.count)"))
                return try connection.respond(.init(206, headers: headers, body: Array(file[start...])))
            }
            headers.append(("Content-Length", "\(file.count)"))
            try connection.respond(.init(200, headers: headers, body: Array(file.prefix(32 << 10))))
            connection.close()
        }
        defer { server.stop() }
        func restarted() -> ImageLoader {
            loader {
                $0.options.retries = 0
                if isTiered { $0.dataCache = TieredDataCache(local: disk, shared: LoggedDataCache()) }
            }
        }
        await #expect(throws: LoadFailure.self) { try await restarted().image(for: imageRequest(server)) }
        while !disk.keys.contains(where: { $0.variant == "partial" }) { await Task.yield() }
        #expect(try await restarted().image(for: imageRequest(server)).size.width == 40)
        #expect(ranges.events == [nil, "bytes=\(32 << 10)-"])
    }

    // MARK: The network monitor (FEATURES 3.5, 4.8)

    @Test func theStandardLoaderWatchesTheNetworkOnlyOnceItIsUsed() async throws {
        let monitor = NetworkMonitor()
        let server = try Self.server()
        defer { server.stop() }
        let loader = loader { $0.networkMonitor = monitor }
        _ = try await loader.image(for: ImageRequest(.bytes(Data(try servedPNG()), id: "local")))
        try await loader.flush()
        #expect(!monitor.isWatching)
        _ = try await loader.image(for: imageRequest(server))
        try await loader.flush()
        #expect(monitor.isWatching)
        #expect(StandardConfiguration().networkMonitor === NetworkMonitor.shared)
    }

    @Test func lowDataFetchesNothingOverAMeteredNetworkAndServesWhatIsStored() async throws {
        let png = Data(try servedPNG())
        let network = ScriptedLoader { _ in
            .response(HTTPResponse(status: .ok, headerFields: [.cacheControl: "max-age=0"]), chunks: [png])
        }
        let monitor = NetworkMonitor(status: NetworkStatus())
        let loader = ImageLoader.standard(.lowData) {
            #expect($0.networkMonitor != nil)
            ($0.memoryCache, $0.dataCache, $0.network, $0.networkMonitor) = (nil, disk, network, monitor)
        }
        let stored = ImageRequest(url: URL(string: "http://example.org/stored.png")!)
        _ = try await loader.image(for: stored)
        try await loader.flush()
        monitor.setExpensive(true)
        #expect(try await loader.response(for: stored).tier == .disk)
        let other = ImageRequest(url: URL(string: "http://example.org/other.png")!)
        await #expect {
            try await loader.image(for: other)
        } throws: { ($0 as? LoadFailure)?.error?.code == .expensiveNetwork }
        #expect(network.requests.count == 1)
        monitor.setExpensive(false)
        #expect(try await loader.response(for: other).tier == .network)
    }

    @Test func theReportOfNoNetworkIsNotTrustedForAnImageThatIsNotStored() async throws {
        let png = Data(try servedPNG())
        for hasCache in [true, false] {
            let loader = loader {
                $0.network = ScriptedLoader { _ in .body(png) }
                $0.networkMonitor = NetworkMonitor(status: NetworkStatus(isReachable: false))
                if !hasCache { $0.dataCache = nil }
            }
            let request = ImageRequest(url: URL(string: "http://example.org/\(hasCache).png")!)
            #expect(try await loader.response(for: request).tier == .network)
        }
    }

    @Test func theBandwidthLimitOfARunningLoaderCanBeChanged() async throws {
        let (png, clock) = (Data(try servedPNG()), ManualClock())
        let limit = BandwidthLimit(bytesPerSecond: 1, clock: clock)
        let loader = loader {
            ($0.memoryCache, $0.dataCache, $0.network) = (nil, nil, ScriptedLoader { _ in .body(png) })
            $0.bandwidthLimit = limit
        }
        let slow = loader.task(for: ImageRequest(url: URL(string: "http://example.org/a.png")!))
        await clock.waitForSleeps(1)
        limit.bytesPerSecond = 0
        _ = try await loader.image(for: URL(string: "http://example.org/b.png")!)
        try await loader.flush()
        #expect(clock.requestedSleeps.count == 1)
        slow.cancel()
    }
}
