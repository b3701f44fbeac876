import Calotype
import CalotypeTesting
import Foundation
import HTTPTypes
import LoopbackHTTP
import Testing

/// The standard configuration end to end: a server on loopback, libcurl, the built-in decoders and the engine.
@Suite(.timeLimit(.minutes(1))) struct StandardLoader {
    private let memory = LoggedMemoryCache()
    private let disk = LoggedDataCache()

    private func loader(_ change: (inout StandardConfiguration) -> Void = { _ in }) -> ImageLoader {
        makeStandardLoader(memory: memory, disk: disk, change)
    }

    private func failure(_ loader: ImageLoader, _ request: ImageRequest) async -> ImageError? {
        do {
            _ = try await loader.image(for: request)
            return nil
        } catch {
            return error.error
        }
    }

    /// Expects that no load runs and that nothing is cached.
    private func expectIdleAndEmptyCaches(_ loader: ImageLoader) async {
        while loader.activity != ImageLoader.Activity() { await Task.yield() }
        #expect(memory.keys.isEmpty && disk.keys.isEmpty)
    }

    @Test func aThumbnailIsDecodedNoLargerThanItsProcessorsRequire() async throws {
        let large = try TestImages.solid(width: 1600, height: 1200, red: 90)
        let file = try JPEGEncoder().encode(large, as: .jpeg, options: EncodeOptions())
        let loader = loader()
        var request = ImageRequest(.bytes(file, id: "large"))
        request.options.processors = [.crop(aspectRatio: 1, to: 1), .flip(.horizontal), .resize(width: 100), .blur(radius: 1)]
        let image = try await loader.image(for: request)
        #expect(image.size == PixelSize(width: 100, height: 100))
        #expect(TestImages.pixel(of: image, x: 50, y: 50)[0] == 90)
        // The full image is not cached.
        #expect(memory.keys.count == 1)
    }

    @Test func anImageIsServedByHTTPThenByTheMemoryCacheThenByTheDataCache() async throws {
        let png = try servedPNG()
        let server = try LoopbackServer(serving: { _ in
            .init(200, headers: [("Content-Type", "image/png"), ("Cache-Control", "max-age=60")], body: png)
        })
        defer { server.stop() }
        let loader = loader()
        let cold = try await loader.response(for: imageRequest(server))
        #expect(cold.tier == .network && cold.metrics.byteCount == png.count)
        #expect(cold.image.size == PixelSize(width: 40, height: 20) && cold.image.format == .png)
        #expect(TestImages.pixel(of: cold.image, x: 3, y: 3) == [200, 0, 0, 255])
        #expect(try await loader.response(for: imageRequest(server)).tier == .memory)
        try await loader.flush()
        memory.removeAll()
        #expect(try await loader.response(for: imageRequest(server)).tier == .disk)
        #expect(server.requests.value == 1)
    }

    @Test func withoutANetworkAStoredResponseIsServedHoweverOld() async throws {
        let png = Data(try servedPNG())
        let network = ScriptedLoader { request in
            guard request.url.lastPathComponent == "stored.png" else {
                return .failure(ImageError(.connectionFailed, message: "No route to the host."))
            }
            return .response(HTTPResponse(status: .ok, headerFields: [.cacheControl: "max-age=0"]), chunks: [png])
        }
        let monitor = NetworkMonitor(status: NetworkStatus())
        let loader = loader {
            $0.network = network
            $0.networkMonitor = monitor
        }
        let stored = ImageRequest(url: URL(string: "http://example.org/stored.png")!)
        _ = try await loader.image(for: stored)
        try await loader.flush()
        memory.removeAll()
        monitor.report(NetworkStatus(isReachable: false))
        #expect(try await loader.response(for: stored).tier == .disk)
        #expect(await failure(loader, ImageRequest(url: URL(string: "http://example.org/other.png")!))?.code == .offline)
        // The system may be wrong, so an image that is not stored is tried once.
        #expect(network.requests.map(\.url.lastPathComponent) == ["stored.png", "other.png"])
    }

    @Test func withoutANetworkALoadFailsOrWaitsAsConfigured() async throws {
        let png = Data(try servedPNG())
        let monitor = NetworkMonitor(status: NetworkStatus(isReachable: false))
        let request = ImageRequest(url: URL(string: "http://example.org/image.png")!)
        func loader(_ whenOffline: NetworkAwareLoader.OfflineBehavior) -> ImageLoader {
            self.loader {
                $0.network = ScriptedLoader { _ in .body(png) }
                $0.networkMonitor = monitor
                $0.whenOffline = whenOffline
            }
        }
        #expect(await failure(loader(.fail), request)?.code == .offline)
        let waiting = loader(.wait)
        let task = waiting.task(for: request)
        while waiting.activity.running == 0 { await Task.yield() }
        monitor.report(NetworkStatus())
        #expect(try await task.response.tier == .network)
    }

    @Test func aHundredConcurrentLoadsSendOneRequest() async throws {
        let png = try servedPNG()
        let server = try LoopbackServer(serving: { _ in .init(200, body: png) })
        defer { server.stop() }
        let loader = loader()
        let tasks = (0..<100).map { _ in loader.task(for: imageRequest(server)) }
        for task in tasks { #expect(try await task.response.image.size.width == 40) }
        #expect(server.requests.value == 1)
    }

    @Test func aTargetSizeAndProcessorsApplyToAFetchedImage() async throws {
        let png = try servedPNG()
        let server = try LoopbackServer(serving: { _ in .init(200, body: png) })
        defer { server.stop() }
        var sized = imageRequest(server)
        sized.options.targetSize = PixelSize(width: 10, height: 10)
        sized.options.processors = [.crop(x: 0, y: 0, width: 4, height: 4)]
        #expect(try await loader().image(for: sized).size == PixelSize(width: 4, height: 4))
    }

    @Test func aBadResponseIsATypedErrorAndIsNotCached() async throws {
        let png = try servedPNG()
        let server = try LoopbackServer { request, connection in
            switch request.path {
            case "/missing": try connection.respond(.init(404, body: png))
            case "/page": try connection.respond(.init(200, body: Array("<html>not an image</html>".utf8)))
            case "/empty": try connection.respond(.init(200))
            case "/half": try connection.respond(.init(200, body: Array(png.prefix(png.count / 2))))
            case "/loop": try connection.respond(.init(302, headers: [("Location", "/loop")]))
            case "/endless":
                try connection.writeHeaders(200, headers: [("Transfer-Encoding", "chunked")])
                while true { try connection.writeChunk([UInt8](repeating: 7, count: 10_000)) }
            default:
                // Announces more bytes than it sends.
                try connection.writeHeaders(200, headers: [("Content-Length", "100000")])
                try connection.write(Array(png))
                connection.close()
            }
        }
        defer { server.stop() }
        let loader = loader { $0.options.maximumResponseBytes = 1_000_000 }
        let expectations: [(String, ImageError.Code, LoadStage)] = [
            ("/missing", .httpStatus, .network), ("/page", .unknownFormat, .decode), ("/empty", .emptyFile, .decode),
            ("/half", .truncated, .decode), ("/loop", .tooManyRedirects, .network), ("/endless", .tooLarge, .network),
            ("/cut", .connectionLost, .network),
        ]
        for (path, code, stage) in expectations {
            let error = try #require(await failure(loader, imageRequest(server, path)), "\(path) must fail")
            #expect(error.code == code && error.stage == stage, "\(path): \(error)")
            #expect(error.message.hasSuffix(".") && error.source == server.url(path))
        }
        await expectIdleAndEmptyCaches(loader)
    }

    @Test func aRefusedConnectionAndATimeoutAreTypedErrors() async throws {
        let gate = try LoopbackServer.Gate()
        let server = try LoopbackServer { _, connection in try connection.wait(for: gate) }
        let loader = loader()
        var stalled = imageRequest(server)
        stalled.options.timeout = .milliseconds(150)
        #expect(await failure(loader, stalled)?.code == .timedOut)
        server.stop()
        #expect(await failure(loader, imageRequest(server))?.code == .connectionFailed)
        await expectIdleAndEmptyCaches(loader)
    }

    @Test func cancellingDuringTheBodyClosesTheConnectionAndCachesNothing() async throws {
        let png = try servedPNG()
        let server = try LoopbackServer { _, connection in
            try connection.writeHeaders(200, headers: [("Content-Length", "\(png.count)")])
            try connection.write(Array(png.prefix(10)))
            connection.waitForDisconnect()
        }
        defer { server.stop() }
        let loader = loader()
        let events = EventLog<LoadEvent>()
        let handle = loader.task(for: imageRequest(server)) { events.append($0) }
        await events.wait(forCount: 1)
        handle.cancel()
        try await server.disconnections.wait(forCount: 1)
        await expectIdleAndEmptyCaches(loader)
    }

    @Test func filesAndDataURLsAreSourcesToo() async throws {
        let png = try servedPNG()
        let file = FileManager.default.temporaryDirectory.appending(path: "calotype-\(UUID().uuidString).jpg")
        try Data(png).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let loader = loader()
        #expect(try await loader.image(for: file).format == .png)
        try await loader.flush()
        let data = URL(string: "data:image/png;base64,\(Data(png).base64EncodedString())")!
        #expect(try await loader.image(for: data).size.width == 40)
        try await loader.flush()
        let missing = ImageRequest(url: file.appending(path: "nothing"))
        #expect(await failure(loader, missing)?.code == .fileUnreadable)
        #expect(await failure(loader, ImageRequest(url: URL(string: "gopher://example.org/1")!))?.code == .unsupportedScheme)
        #expect(disk.keys.isEmpty)
    }

    @Test func aCustomDecoderAndSchemeTakePrecedence() async throws {
        let png = try servedPNG()
        let loader = loader {
            $0.decoders = [ScriptedDecoder()]
            $0.schemes = ["test": ScriptedLoader { _ in .body(Data(png)) }]
        }
        #expect(try await loader.image(for: URL(string: "test://anything")!).format == ScriptedDecoder.format)
    }

    @Test func aTransientFailureIsRetried() async throws {
        let png = try servedPNG()
        let server = try LoopbackServer(serving: { _ in .init(200, body: png) })
        defer { server.stop() }
        let attempts = Lock(0)
        let flaky = ScriptedLoader { _ in
            let count = attempts.withLock { attempts in
                attempts += 1
                return attempts
            }
            return count < 3 ? .failure(ImageError(.connectionLost, message: "Gone.")) : .body(Data(png))
        }
        var policy = RetryPolicy.default
        policy.baseDelay = .zero
        let loader = loader { [policy] in
            $0.network = flaky
            $0.retryPolicy = policy
        }
        #expect(try await loader.image(for: imageRequest(server)).size.width == 40)
        try await loader.flush()
        var once = imageRequest(server, "/other.png")
        once.options.retries = 0
        attempts.withLock { $0 = 0 }
        #expect(await failure(loader, once)?.code == .connectionLost)
        #expect(flaky.requests.count == 4)
    }

    /// Each signature is valid for one request. Outside of the cache and the retries, it would be part of the cache
    /// key.
    @Test func aNetworkInterceptorSignsEveryAttemptAndDoesNotChangeTheCacheKey() async throws {
        let png = try servedPNG()
        let signatures = EventLog<String>()
        let server = try LoopbackServer(serving: { request in
            signatures.append(request["Authorization"] ?? "-")
            return signatures.events.count == 1
                ? .init(503) : .init(200, headers: [("Cache-Control", "max-age=60")], body: png)
        })
        defer { server.stop() }
        let count = Lock(0)
        let signing = SigningInterceptor { _ in
            let number = count.withLock { count in
                count += 1
                return count
            }
            return [.authorization: "\(number)"]
        }
        var policy = RetryPolicy.default
        policy.baseDelay = .zero
        let loader = loader { [policy] in
            $0.retryPolicy = policy
            $0.networkInterceptors = [signing]
        }
        #expect(try await loader.response(for: imageRequest(server)).tier == .network)
        try await loader.flush()
        memory.removeAll()
        #expect(try await loader.response(for: imageRequest(server)).tier == .disk)
        #expect(signatures.events == ["1", "2"])
    }

    /// The limit applies to the network only.
    @Test(.timeLimit(.minutes(1))) func bytesOfAnEarlierLoadAreNotThrottled() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "rate-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let cache = DiskCache(.init(directory: folder))
        let url = try #require(URL(string: "http://example.org/a.png"))
        let fields: HTTPFields = [.eTag: "\"v1\"", .contentLength: "40000", .acceptRanges: "bytes"]
        let partial = DataEntry(
            data: Data(count: 20_000), head: HTTPResponse(status: .ok, headerFields: fields),
            storedAt: Date().timeIntervalSince1970)
        try await cache.store(partial, for: DataKey(resource: ImageRequest(url: url).resource, variant: "partial"))
        let rest = HTTPResponse(status: .partialContent, headerFields: [.contentRange: "bytes 20000-39999/40000"])
        var configuration = StandardConfiguration()
        configuration.dataCache = cache
        configuration.bandwidthLimit = BandwidthLimit(bytesPerSecond: 1)
        configuration.network = ScriptedLoader { _ in .response(rest, chunks: [Data(count: 20_000)]) }
        var chunks = try await configuration.makeConfiguration().dataLoader.load(DataRequest(url: url)).body.makeAsyncIterator()
        #expect(try await chunks.next()?.count == 20_000)
    }

    @Test func aLoaderWhoseCachesWereClearedResumesNoDownload() async throws {
        let ranges = EventLog<String?>()
        let file = try servedPNG() + [UInt8](repeating: 0, count: 64 << 10)
        let server = try LoopbackServer { request, connection in
            ranges.append(request["Range"])
            let headers = [("ETag", "\"v\""), ("Accept-Ranges", "bytes"), ("Content-Length", "\(file.count)")]
            try connection.respond(.init(200, headers: headers, body: Array(file.prefix(32 << 10))))
            connection.close()
        }
        defer { server.stop() }
        let loader = loader { $0.options.retries = 0 }
        _ = await failure(loader, imageRequest(server))
        _ = await failure(loader, imageRequest(server))
        try await loader.clearCaches()
        _ = await failure(loader, imageRequest(server))
        #expect(ranges.events == [nil, "bytes=\(32 << 10)-", nil])
    }

    @Test(arguments: [
        (RetryPolicy.default, nil, nil, 4), (.aggressive, nil, nil, 6), (.conservative, nil, nil, 3), (.aggressive, 2, nil, 3),
        (.aggressive, nil, 1, 2), (.default, nil, 5, 6), (.conservative, 1, 9, 10), (.default, 5, 0, 1),
    ])
    func theRetriesOfALayerOverrideThoseOfThePolicy(policy: RetryPolicy, global: Int?, request: Int?, attempts: Int) async throws
    {
        let network = ScriptedLoader { _ in .failure(ImageError(.connectionLost, message: "Gone.")) }
        var policy = policy
        policy.baseDelay = .zero
        let loader = loader { [policy] in
            $0.network = network
            $0.retryPolicy = policy
            $0.options.retries = global
        }
        var imageRequest = ImageRequest(url: URL(string: "http://example.org/a.png")!)
        imageRequest.options.retries = request
        #expect(await failure(loader, imageRequest)?.code == .connectionLost)
        #expect(network.requests.count == attempts)
    }

    @Test(arguments: [(RetryPolicy.default, nil, 4), (.aggressive, nil, 6), (.conservative, nil, 3), (.aggressive, 2, 3)])
    func aLoaderOfSingleModulesMakesTheRetriesOfItsPolicy(policy: RetryPolicy, request: Int?, attempts: Int) async throws {
        let network = ScriptedLoader { _ in .failure(ImageError(.connectionLost, message: "Gone.")) }
        var policy = policy
        policy.baseDelay = .zero
        let loader = ImageLoader(
            ImageLoader.Configuration(dataLoader: RetryingLoader(network, policy: policy), decoder: ScriptedDecoder()))
        var imageRequest = ImageRequest(url: URL(string: "http://example.org/a.png")!)
        imageRequest.options.retries = request
        #expect(await failure(loader, imageRequest)?.code == .connectionLost)
        #expect(network.requests.count == attempts)
    }

    @Test func theServerPresetForbidsFilesDataURLsAndPrivateAddresses() async throws {
        let png = try servedPNG()
        let server = try LoopbackServer(serving: { _ in .init(200, body: png) })
        defer { server.stop() }
        let loader = ImageLoader.standard(.server) {
            $0.memoryCache = memory
            $0.dataCache = disk
        }
        for source in [server.url("/x.png"), "file:///etc/passwd", "data:image/png;base64,AAAA", "http://[::1]/x.png"] {
            #expect(await failure(loader, ImageRequest(url: URL(string: source)!))?.code == .sourceForbidden, "\(source)")
        }
        #expect(server.requests.value == 0)
        await expectIdleAndEmptyCaches(loader)
    }

    /// The old loader must be released outside of the lock, or the access to the new one would deadlock.
    @Test(.timeLimit(.minutes(1))) func aLoadThatEndsWithTheOldSharedLoaderMayAccessTheNewOne() async throws {
        ImageLoader.shared = loader { $0.schemes = ["test": ScriptedLoader(gate: Gate()) { _ in .body(Data()) }] }
        let (ends, end) = AsyncStream.makeStream(of: ImageLoader.self)
        _ = ImageLoader.shared.task(for: ImageRequest(url: URL(string: "test://a")!)) { event in
            guard case .finished(.failure(.cancelled)) = event else { return }
            end.yield(ImageLoader.shared)
            end.finish()
        }
        let next = loader()
        await Task { ImageLoader.shared = next }.value
        var found: [ImageLoader] = []
        for await loader in ends { found.append(loader) }
        #expect(found.count == 1 && found[0] === next)
    }
}
