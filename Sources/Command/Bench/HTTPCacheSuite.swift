internal import Calotype
internal import HTTPTypes
internal import ImageCaching
internal import ImageCore
internal import ImageLoading
internal import ImageNetworking
internal import ImageNetworkingCurl
internal import LoopbackHTTP

extension BenchmarkSuite {
    /// What HTTP's rules cost, and what they save.
    static let httpCache = BenchmarkSuite(name: "httpcache", about: "decisions of the HTTP cache, and loads with it and without")
    {
        effort in
        let bench = try HTTPCacheBench(effort: effort)
        defer { bench.server.stop() }
        return try await bench.decisions() + bench.responses() + bench.pictures()
    }
}

private struct HTTPCacheBench {
    let effort: BenchmarkEffort
    let server: LoopbackServer
    private let clock = ContinuousClock()

    /// A server with one picture, which says 304 to who has it; under `/stale` it must be asked each time.
    init(effort: BenchmarkEffort) throws {
        self.effort = effort
        guard let picture = Gallery.pictures.first(where: { $0.name.hasSuffix(".jpg") }) else {
            throw ImageError(.emptyFile, message: "The gallery is empty.")
        }
        server = try LoopbackServer(serving: { request in
            let control = request.path == "/stale" ? "no-cache" : "max-age=3600"
            let headers = [("ETag", "\"v1\""), ("Content-Type", "image/jpeg"), ("Cache-Control", control)]
            return request["If-None-Match"] == "\"v1\""
                ? .init(304, headers: headers) : .init(200, headers: headers, body: picture.bytes)
        })
    }

    // MARK: Decisions

    func decisions() -> [BenchmarkRow] {
        let now = 1_700_000_000.0
        let fields: HTTPFields = [
            .date: "Tue, 14 Nov 2023 22:13:20 GMT", .cacheControl: "public, max-age=3600, stale-while-revalidate=60",
            .eTag: "\"abcdef\"", .lastModified: "Mon, 13 Nov 2023 22:13:20 GMT", .contentType: "image/jpeg",
            .contentLength: "20000",
        ]
        var varying = fields
        varying[.vary] = "Accept, Accept-Language"
        let request = DataRequest(
            url: Self.url("http://example.org/a.jpg"),
            headerFields: [.accept: "image/avif,image/webp", .acceptLanguage: "en, de"])
        func response(_ fields: HTTPFields) -> StoredResponse {
            StoredResponse(
                HTTPResponse(status: .ok, headerFields: fields), to: request, requestedAt: now, receivedAt: now, byteCount: 20_000
            )
        }
        let (plain, other) = ([response(fields)], [response(varying)])
        let policy = HTTPCachePolicy.standard
        return [
            timed("decision: fresh") { policy.decision(for: request, stored: plain, now: now + 60) },
            timed("decision: stale, with the conditional request") {
                policy.decision(for: request, stored: plain, now: now + 7200)
            },
            timed("decision: fresh, with Vary") { policy.decision(for: request, stored: other, now: now + 60) },
            timed("decision: fresh, head parsed as well") {
                policy.decision(for: request, stored: [response(fields)], now: now + 60)
            },
        ]
    }

    private func timed(_ name: String, _ decide: () -> HTTPCacheDecision) -> BenchmarkRow {
        let count = effort.scaled(100_000)
        let median = effort.synchronousMedian {
            clock.measure { for _ in 0..<count { _ = decide() } } / .nanoseconds(count)
        }
        return BenchmarkRow(suite: "httpcache", name: name, median: median, unit: "ns", peer: nil)
    }

    // MARK: Responses

    /// The loader alone, on a real directory and a real connection.
    func responses() async throws -> [BenchmarkRow] {
        let folder = try TemporaryFolder()
        let disk = DiskCache(.init(directory: folder.url))
        let line = CurlLoader()
        let cached = CachedLoader(line, cache: HTTPCache(store: disk))
        let network = try await perLoad("/fresh", line)
        let fresh = try await perLoad("/fresh", cached)
        let stale = try await perLoad("/stale", cached)
        let peer = BenchmarkRow.Peer(name: "no cache", value: network, ranHere: true, reach: 1)
        return [
            BenchmarkRow(suite: "httpcache", name: "response: fresh, from disk", median: fresh, unit: "µs", peer: peer),
            BenchmarkRow(suite: "httpcache", name: "response: stale, by a 304", median: stale, unit: "µs", peer: peer),
        ]
    }

    private func perLoad(_ path: String, _ loader: any DataLoading) async throws -> Double {
        let request = DataRequest(url: Self.url(server.url(path)))
        let count = effort.scaled(1000)
        return try await effort.median {
            let began = clock.now
            for _ in 0..<count {
                var body = try await loader.load(request).body.makeAsyncIterator()
                while let chunk = try await body.next() { _ = chunk }
            }
            return (clock.now - began) / .microseconds(count)
        }
    }

    // MARK: Pictures

    /// Through the whole engine, decoding included.
    func pictures() async throws -> [BenchmarkRow] {
        let folder = try TemporaryFolder()
        let disk = DiskCache(.init(directory: folder.url))
        let network = try await perPicture("/fresh", nil)
        let stored = try await perPicture("/fresh", disk, .reload)
        let peer = BenchmarkRow.Peer(name: "no cache", value: network, ranHere: true, reach: 1)
        return [
            BenchmarkRow(
                suite: "httpcache", name: "picture: fetched, and stored anew", median: stored, unit: "µs", peer: nil),
            BenchmarkRow(
                suite: "httpcache", name: "picture: fresh, from disk", median: try await perPicture("/fresh", disk), unit: "µs",
                peer: peer),
            BenchmarkRow(
                suite: "httpcache", name: "picture: stale, by a 304", median: try await perPicture("/stale", disk), unit: "µs",
                peer: BenchmarkRow.Peer(name: "fetched, and stored anew", value: stored, ranHere: true, reach: 1)),
        ]
    }

    private func perPicture(_ path: String, _ disk: DiskCache?, _ policy: CachePolicy = .memoryAndDisk) async throws -> Double {
        let loader = ImageLoader.standard {
            $0.memoryCache = nil
            $0.dataCache = disk
        }
        var request = ImageRequest(url: Self.url(server.url(path)))
        request.options.targetSize = PixelSize(width: 60, height: 60)
        request.options.cachePolicy = policy
        let count = effort.scaled(500)
        return try await effort.median {
            let began = clock.now
            for _ in 0..<count { _ = try await loader.image(for: request) }
            return (clock.now - began) / .microseconds(count)
        }
    }

    private static func url(_ text: String) -> URL { URL(string: text) ?? URL(filePath: "/") }
}

extension BenchmarkEffort {
    fileprivate func synchronousMedian(of batch: () -> Double) -> Double {
        _ = batch()
        let values = (0..<(self == .smoke ? 3 : 15)).map { _ in batch() }.sorted()
        return values[values.count / 2]
    }
}
