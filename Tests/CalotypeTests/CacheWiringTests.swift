import Calotype
import CalotypeTesting
import Foundation
import HTTPTypes
import LoopbackHTTP
import Testing

/// The caches of a standard loader over real HTTP: one image in all of them, clearing, stand-ins, resumption and the network monitor.
@Suite(.timeLimit(.minutes(1))) struct CachesOfAStandardLoader {
    private let memory = LoggedMemoryCache()
    private let disk = LoggedDataCache()

    private func loader(_ change: (inout StandardConfiguration) -> Void = { _ in }) -> ImageLoader {
        .standard {
            $0.memoryCache = memory
            $0.dataCache = disk
            $0.retryPolicy = nil
            change(&$0)
        }
    }

    private static func png(red: UInt8 = 200, width: Int = 40) throws -> [UInt8] {
        Array(
            try PNGEncoder().encode(try TestImages.solid(width: width, height: 20, red: red), as: .png, options: EncodeOptions()))
    }

    private func request(_ server: LoopbackServer, _ path: String = "/image.png", size: Int? = nil) -> ImageRequest {
        var request = ImageRequest(url: URL(string: server.url(path))!)
        if let size { request.options.targetSize = PixelSize(width: size, height: size) }
        return request
    }

    private static func server(_ control: String = "max-age=60") throws -> LoopbackServer {
        let png = try png()
        return try LoopbackServer(serving: { _ in
            .init(200, headers: [("Cache-Control", control), ("Vary", "Accept-Language"), ("ETag", "\"1\"")], body: png)
        })
    }

    // MARK: One image (FEATURES 1.14)

    @Test func aStoredResponseIsFoundFreshOrStaleWithoutTheNetwork() async throws {
        let server = try Self.server("max-age=0")
        defer { server.stop() }
        let loader = loader()
        #expect(try await !loader.cache.contains(request(server)))
        _ = try await loader.image(for: request(server))
        try await loader.flush()
        memory.removeAll()
        let entry = try #require(try await loader.cache.data(for: request(server)))
        #expect(Array(entry.data) == (try Self.png()) && entry.head.headerFields[.eTag] == "\"1\"")
        #expect(try await loader.cache.tier(of: request(server)) == .disk)
        #expect(server.requests.value == 1)
    }

    @Test func storedBytesAreServedWithoutARequestForTheirAge() async throws {
        let server = try Self.server()
        defer { server.stop() }
        let loader = loader()
        try await loader.cache.store(Data(try Self.png(red: 50)), for: request(server))
        let response = try await loader.response(for: request(server))
        #expect(response.tier == .disk && TestImages.pixel(of: response.image, x: 0, y: 0)[0] == 50)
        try await loader.cache.store(Data(try Self.png(red: 60)), for: request(server), maximumAge: .zero)
        #expect(TestImages.pixel(of: try await loader.image(for: request(server)), x: 0, y: 0)[0] == 200)
        #expect(server.requests.value == 1)
    }

    @Test func removingARequestRemovesItsResponse() async throws {
        let server = try Self.server()
        defer { server.stop() }
        let loader = loader()
        _ = try await loader.image(for: request(server))
        try await loader.flush()
        try await loader.cache.remove(request(server))
        #expect(try await !loader.cache.contains(request(server)))
        #expect(try await loader.response(for: request(server)).tier == .network)
    }

    @Test func removingAURLRemovesEveryVariantForEveryUser() async throws {
        let server = try Self.server()
        defer { server.stop() }
        let loader = loader()
        var requests = [request(server), request(server, size: 10)]
        for (name, value) in [(HTTPField.Name.acceptLanguage, "de"), (.acceptLanguage, "fr"), (.authorization, "secret")] {
            requests.append(request(server))
            requests[requests.count - 1].options.headers = [name: value]
        }
        for request in requests { _ = try await loader.image(for: request) }
        _ = try await loader.image(for: request(server, "/other.png"))
        try await loader.flush()
        // Five responses, and the list of the variants.
        #expect(disk.keys.count == 6)
        try await loader.cache.removeAllVariants(of: URL(string: server.url("/image.png"))!)
        for request in requests { #expect(try await !loader.cache.contains(request)) }
        #expect(memory.keys.count == 1 && disk.keys.count == 1)
    }

    @Test func aSharedTierIsSearchedAndRemovedFromToo() async throws {
        let server = try Self.server()
        defer { server.stop() }
        let shared = LoggedDataCache()
        let loader = loader { $0.dataCache = TieredDataCache(local: disk, shared: shared) }
        _ = try await loader.image(for: request(server))
        try await loader.flush()
        memory.removeAll()
        try await disk.removeAll()
        #expect(try await loader.cache.tier(of: request(server)) == .disk)
        try await loader.cache.remove(request(server))
        #expect(disk.keys.isEmpty && shared.keys.isEmpty)
    }

    // MARK: Clearing (FEATURES 1.10)

    /// The response is complete only after the caches were cleared.
    @Test func aFetchInFlightStoresNothingAfterAClear() async throws {
        let (png, gate, arrived) = (try Self.png(), try LoopbackServer.Gate(), EventLog<Void>())
        let server = try LoopbackServer { _, connection in
            arrived.append(())
            try connection.wait(for: gate)
            try connection.respond(.init(200, headers: [("Cache-Control", "max-age=60")], body: png))
        }
        defer { server.stop() }
        let loader = loader()
        let task = loader.task(for: request(server))
        await arrived.wait(forCount: 1)
        try await loader.clearCaches()
        gate.open()
        _ = try await task.response
        try await loader.flush()
        #expect(memory.keys.isEmpty && disk.keys.isEmpty)
        _ = try await loader.image(for: request(server))
        #expect(!memory.keys.isEmpty && !disk.keys.isEmpty)
    }

    @Test func aTransferThatBreaksAfterAClearIsNotResumed() async throws {
        let (ranges, gate, arrived) = (EventLog<String?>(), try LoopbackServer.Gate(), EventLog<Void>())
        let file = try Self.png() + [UInt8](repeating: 0, count: 64 << 10)
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
        let task = loader.task(for: request(server))
        await arrived.wait(forCount: 1)
        try await loader.clearCaches()
        gate.open()
        await #expect(throws: LoadFailure.self) { try await task.response }
        await #expect(throws: LoadFailure.self) { try await loader.image(for: request(server)) }
        #expect(ranges.events == [nil, nil])
    }

    @Test func clearingEmptiesTheSharedTier() async throws {
        let server = try Self.server()
        defer { server.stop() }
        let shared = LoggedDataCache()
        let loader = loader { $0.dataCache = TieredDataCache(local: disk, shared: shared) }
        _ = try await loader.image(for: request(server))
        try await loader.flush()
        #expect(!shared.keys.isEmpty)
        try await loader.clearCaches()
        #expect(disk.keys.isEmpty && shared.keys.isEmpty)
    }

    // MARK: Stand-ins (FEATURES 6.6)

    @Test func aTargetShowsALargerCachedImageUntilTheExactOneIsThere() async throws {
        let reds = Lock<[UInt8]>([50, 200])
        let server = try LoopbackServer(serving: { _ in
            .init(200, body: (try? Self.png(red: reds.withLock { $0.removeFirst() })) ?? [])
        })
        defer { server.stop() }
        let loader = loader { $0.dataCache = nil }
        _ = try await loader.image(for: request(server))
        let (view, done) = (RecordingView(), EventLog<Void>())
        let target = ImageTarget(view, loader: loader)
        await target.setImage(request(server, size: 10)) { _ in done.append(()) }
        await done.wait(forCount: 1)
        let images = view.shown.filter { if case .image = $0 { true } else { false } }
        #expect(images == [.image(red: 50, .none), .image(red: 200, .none)])
    }

    // MARK: Resumption (FEATURES 4.7)

    /// Each loader has its own memory, as after a restart of the process.
    @Test(arguments: [false, true]) func anotherLoaderResumesADownloadFromADataCacheOfAnyKind(isTiered: Bool) async throws {
        let (ranges, file) = (EventLog<String?>(), try Self.png() + [UInt8](repeating: 0, count: 64 << 10))
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
        await #expect(throws: LoadFailure.self) { try await restarted().image(for: request(server)) }
        while !disk.keys.contains(where: { $0.variant == "partial" }) { await Task.yield() }
        #expect(try await restarted().image(for: request(server)).size.width == 40)
        #expect(ranges.events == [nil, "bytes=\(32 << 10)-"])
    }

    // MARK: The network monitor (FEATURES 3.5, 4.8)

    @Test func theStandardLoaderWatchesTheNetworkOnlyOnceItIsUsed() async throws {
        let monitor = NetworkMonitor()
        let server = try Self.server()
        defer { server.stop() }
        let loader = loader { $0.networkMonitor = monitor }
        _ = try await loader.image(for: ImageRequest(.bytes(Data(try Self.png()), id: "local")))
        #expect(!monitor.isWatching)
        _ = try await loader.image(for: request(server))
        #expect(monitor.isWatching)
        #expect(StandardConfiguration().networkMonitor === NetworkMonitor.shared)
    }

    @Test func lowDataFetchesNothingOverAMeteredNetworkAndServesWhatIsStored() async throws {
        let png = Data(try Self.png())
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
        let png = Data(try Self.png())
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
        let (png, clock) = (Data(try Self.png()), ManualClock())
        let limit = BandwidthLimit(bytesPerSecond: 1, clock: clock)
        let loader = loader {
            ($0.memoryCache, $0.dataCache, $0.network) = (nil, nil, ScriptedLoader { _ in .body(png) })
            $0.bandwidthLimit = limit
        }
        let slow = loader.task(for: ImageRequest(url: URL(string: "http://example.org/a.png")!))
        await clock.waitForSleeps(1)
        limit.bytesPerSecond = 0
        _ = try await loader.image(for: URL(string: "http://example.org/b.png")!)
        #expect(clock.requestedSleeps.count == 1)
        slow.cancel()
    }
}
