import Calotype
import ProjectFiles
import CalotypeTesting
import Foundation
import HTTPTypes
import LoopbackHTTP
import Testing
import Timing

/// The loaders of a standard configuration: their order, and the settings that they receive.
@Suite(.timeLimit(.minutes(1)))
struct NetworkWiring {
    private struct PassthroughInterceptor: RequestInterceptor {
        func intercept(_ request: DataRequest, next: Next) async throws -> DataResponse { try await next(request) }
    }

    private func makeStandard(_ change: (inout StandardConfiguration) -> Void) -> StandardConfiguration {
        var configuration = StandardConfiguration()
        configuration.dataCache = LoggedDataCache()
        configuration.retryPolicy = nil
        change(&configuration)
        return configuration
    }

    private func failure(_ configuration: StandardConfiguration, _ url: String) async throws -> ImageError.Code? {
        let loader = ImageLoader(configuration.makeConfiguration())
        do {
            _ = try await loader.data(for: ImageRequest(url: try #require(URL(string: url))))
            return nil
        } catch { return (error as? LoadFailure)?.error?.code }
    }

    /// The types of the loaders of a web request, the outermost first.
    private func chain(_ loader: any DataLoading) -> [String] {
        let children = Mirror(reflecting: loader).children
        let next = children.compactMap { child in
            (child.value as? any DataLoading) ?? (child.value as? [String: any DataLoading])?["https"]
        }
        return ["\(type(of: loader))"] + (next.first.map(chain) ?? [])
    }

    @Test func theOrderOfTheLoadersIsThatOfTheGuide() throws {
        let all = makeStandard {
            $0.interceptors = [PassthroughInterceptor()]
            $0.sourcePolicy = .publicWeb
            $0.networkMonitor = NetworkMonitor(status: NetworkStatus())
            $0.bandwidthLimit = BandwidthLimit(bytesPerSecond: 1)
            $0.retryPolicy = .default
            $0.networkInterceptors = [PassthroughInterceptor()]
        }
        let guide = try String(contentsOf: ProjectFiles.root.appending(path: "docs/Networking.md"), encoding: .utf8)
        let rows = guide.split(separator: "\n").filter { $0.hasPrefix("| `") }
        #expect(chain(all.makeConfiguration().dataLoader) == rows.map { String($0.split(separator: "`")[1]) })
    }

    @Test func theDefaultConfigurationHasNoOptionalLoaders() {
        let loader = StandardConfiguration().makeConfiguration().dataLoader
        #expect(
            chain(loader) == [
                "SchemeRouter", "NetworkAwareLoader", "CachedLoader", "ResumingLoader", "RetryingLoader", "HostBackoffLoader",
                "CurlLoader",
            ])
    }

    /// The limit is higher than the default of the transport.
    @Test func theLimitOfFetchesPerHostReachesTheTransport() async throws {
        let (count, arrivals, gate) = (12, EventLog<Void>(), try LoopbackServer.Gate())
        defer { gate.open() }
        let server = try LoopbackServer { _, connection in
            arrivals.append(())
            try connection.wait(for: gate)
            try connection.respond(.init(200, body: [1]))
        }
        defer { server.stop() }
        let loader = ImageLoader(
            makeStandard {
                $0.dataCache = nil
                $0.limits.fetchesPerHost = count
            }.makeConfiguration())
        try await withThrowingTaskGroup { group in
            for index in 0..<count {
                let request = ImageRequest(url: try #require(URL(string: server.url("/\(index)"))))
                group.addTask { _ = try await loader.data(for: request) }
            }
            await arrivals.wait(forCount: count)
            gate.open()
            try await group.waitForAll()
        }
        #expect(server.connections.value == count)
    }

    @Test func theLimitOfResponseBytesAppliesToEverySource() async throws {
        let server = try LoopbackServer(serving: { _ in .init(200, body: Array(repeating: 1, count: 1001)) })
        defer { server.stop() }
        let file = FileManager.default.temporaryDirectory.appending(path: "limit-\(UUID().uuidString)")
        try Data(count: 1001).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        for url in [server.url("/"), file.absoluteString, "data:;base64," + Data(count: 1001).base64EncodedString(), "own:a"] {
            for limit in [1000, 1001] {
                let small = makeStandard {
                    $0.dataCache = nil
                    $0.schemes = ["own": ScriptedLoader { _ in .body(Data(count: 1001)) }]
                    $0.limits.maximumResponseBytes = limit
                }
                #expect(try await failure(small, url) == (limit == 1000 ? .tooLarge : nil), "\(url) with \(limit)")
            }
        }
    }

    /// A trace identifier differs for each request and does not select another response.
    @Test func aNeutralHeaderIsNotPartOfTheCacheKey() async throws {
        let png = Data(try servedPNG())
        let network = ScriptedLoader { _ in
            .response(HTTPResponse(status: .ok, headerFields: [.cacheControl: "max-age=60"]), chunks: [png])
        }
        let traced = makeStandard {
            $0.network = network
            $0.neutralHeaders.insert("X-Trace")
        }
        let loader = ImageLoader(traced.makeConfiguration())
        for trace in ["1", "2"] {
            var request = ImageRequest(url: try #require(URL(string: "http://example.org/a")))
            request.options.headers = [try #require(HTTPField.Name("X-Trace")): trace]
            _ = try await loader.data(for: request)
            try await loader.flush()
        }
        #expect(network.requests.count == 1)
    }

    /// Only the transport can check the address, because the text of the URL is allowed.
    @Test(arguments: [nil, CurlLoader()])
    func aHostNameOfThisMachineIsForbiddenForACustomTransportToo(_ own: CurlLoader?) async throws {
        let server = try LoopbackServer(serving: { _ in .init(200, body: [1]) })
        defer { server.stop() }
        let strict = makeStandard {
            $0.sourcePolicy = SourcePolicy()
            $0.network = own
        }
        #expect(try await failure(strict, "http://localhost:\(server.port)/a") == .sourceForbidden)
        #expect(server.connections.value == 0)
    }

    @Test func aTransportWithItsOwnPolicyKeepsIt() async throws {
        let server = try LoopbackServer(serving: { _ in .init(200, body: [1]) })
        defer { server.stop() }
        var configuration = CurlLoader.Configuration()
        configuration.sourcePolicy = SourcePolicy()
        configuration.sourcePolicy?.allowsPrivateAddresses = true
        let own = CurlLoader(configuration)
        let strict = makeStandard {
            $0.sourcePolicy = SourcePolicy()
            $0.network = own
        }
        #expect(try await failure(strict, "http://localhost:\(server.port)/a") == nil)
    }

    @Test(arguments: [nil, HTTPCachePolicy.off])
    func withoutACacheALoadThatForbidsExpensiveNetworksFailsToo(_ policy: HTTPCachePolicy?) async throws {
        let network = ScriptedLoader { _ in .body(Data([1])) }
        let restricted = makeStandard {
            $0.network = network
            $0.networkMonitor = NetworkMonitor(status: NetworkStatus(isExpensive: true))
            $0.options.allowsExpensiveNetwork = false
            if let policy { $0.httpCachePolicy = policy } else { $0.dataCache = nil }
        }
        #expect(try await failure(restricted, "http://example.org/a") == .expensiveNetwork)
        #expect(network.requests.isEmpty)
    }

    @Test func aCustomWebLoaderChecksTheNetworkStatusToo() async throws {
        let network = ScriptedLoader { _ in .body(Data([1])) }
        let offline = makeStandard {
            $0.schemes = ["HTTP": network, "own": network]
            $0.networkMonitor = NetworkMonitor(status: NetworkStatus(isReachable: false))
            $0.whenOffline = .fail
        }
        #expect(try await failure(offline, "http://example.org/a") == .offline)
        #expect(network.requests.isEmpty)
        #expect(try await failure(offline, "own:a") == nil)
    }

    /// Sends 20,000 bytes from the start of the requested range, and then fails.
    private struct DisconnectingLoader: DataLoading {
        func load(_ request: DataRequest) async throws -> DataResponse {
            var head = HTTPResponse(
                status: .ok, headerFields: [.eTag: "\"1\"", .acceptRanges: "bytes", .contentLength: "1000000"])
            if let start = request.headerFields[.range]?.dropFirst(6).dropLast() {
                head.status = .partialContent
                head.headerFields[.contentRange] = "bytes \(start)-999999/1000000"
            }
            let chunks = Lock([Data(count: 20_000)])
            let body = ByteStream {
                if let chunk = chunks.withLock({ $0.popLast() }) { return chunk }
                throw ImageError(.connectionLost, message: "Gone.")
            }
            return DataResponse(url: request.url, head: head, body: body)
        }
    }

    /// All loaders are present, and each passes the deadline on.
    @Test(.timeLimit(.minutes(1))) func theDeadlineReachesTheTransport() async throws {
        let server = try LoopbackServer { _, connection in connection.waitForDisconnect() }
        defer { server.stop() }
        let all = makeStandard {
            $0.interceptors = [PassthroughInterceptor()]
            $0.networkMonitor = NetworkMonitor(status: NetworkStatus())
            $0.bandwidthLimit = BandwidthLimit(bytesPerSecond: 1_000_000)
            $0.retryPolicy = .default
            $0.networkInterceptors = [PassthroughInterceptor()]
        }
        let limit = Duration.milliseconds(700)
        let loader = all.makeConfiguration().dataLoader
        var request = DataRequest(url: try #require(URL(string: server.url("/a"))))
        request.deadline = Deadline(after: limit)
        var code: ImageError.Code?
        let taken = await timeTaken(limit: limit) {
            do { _ = try await loader.load(request) } catch { code = (error as? ImageError)?.code }
        }
        #expect(code == .deadlineExceeded && server.requests.value == 1)
        #expect(taken >= limit * 0.99 && taken <= limit * 1.1, "It took \(taken).")
    }

    /// FEATURES 4.14: without a network a load waits for its timeout once.
    @Test(.timeLimit(.minutes(1))) func aWaitForANetworkTakesTheTimeoutOnce() async throws {
        let limit = Duration.milliseconds(700)
        let loader = ImageLoader.standard {
            ($0.memoryCache, $0.dataCache) = (nil, nil)
            $0.networkMonitor = NetworkMonitor(status: NetworkStatus(isReachable: false))
            $0.whenOffline = .wait
            $0.options.timeout = limit
        }
        let url = try #require(URL(string: "http://example.org/a"))
        var code: ImageError.Code?
        let taken = await timeTaken(limit: limit) {
            do { _ = try await loader.image(for: url) } catch { code = (error as? LoadFailure)?.error?.code }
        }
        #expect(code == .offline)
        #expect(taken >= limit * 0.99 && taken <= limit * 1.2, "It took \(taken).")
    }

    /// What is stored are the decoded bytes, without the fields of the coded ones (FEATURES 4.12).
    @Test func anImageThatTheServerCompressedIsLoadedAndStored() async throws {
        let png = try servedPNG()
        // One stored block of raw deflate (RFC 1951, section 3.2.4).
        let size = [UInt8(png.count & 0xFF), UInt8(png.count >> 8)]
        let compressed = [1] + size + size.map { ~$0 } + png
        let server = try LoopbackServer(serving: { _ in
            .init(
                200, headers: [("Content-Encoding", "deflate"), ("Cache-Control", "max-age=60"), ("ETag", "\"1\"")],
                body: compressed)
        })
        let disk = LoggedDataCache()
        for _ in 0..<2 {
            let loader = makeStandardLoader(disk: disk)
            let response = try await loader.response(for: imageRequest(server))
            #expect(response.image.size.width == 40)
            #expect(try await loader.data(for: imageRequest(server)).data == Data(png))
        }
        #expect(server.requests.value == 1)
    }

    /// An interceptor decides that an error carries an image; docs/Networking.md has it.
    @Test func anImageThatComesWithAnErrorCanBeShown() async throws {
        struct ImagesOfErrors: RequestInterceptor {
            func intercept(_ request: DataRequest, next: Next) async throws -> DataResponse {
                var response = try await next(request)
                if response.head.status == .notFound { response.head.status = .ok }
                return response
            }
        }
        let png = try servedPNG()
        let server = try LoopbackServer(serving: { _ in .init(404, headers: [("Cache-Control", "max-age=60")], body: png) })
        let loader = makeStandardLoader(disk: LoggedDataCache()) { $0.networkInterceptors = [ImagesOfErrors()] }
        for _ in 0..<2 { #expect(try await loader.image(for: imageRequest(server)).size.width == 40) }
        #expect(server.requests.value == 1)
    }

    @Test func theEngineReceivesTheStatusOfTheMonitor() async {
        let monitor = NetworkMonitor(status: NetworkStatus(isConstrained: true))
        let monitored = makeStandard { $0.networkMonitor = monitor }.makeConfiguration()
        var updates = monitored.networkUpdates?().makeAsyncIterator()
        #expect(await updates?.next() == NetworkStatus(isConstrained: true))
    }
}
