internal import Calotype
internal import Foundation
internal import HTTPTypes
internal import LoopbackHTTP

extension Suite {
    /// Measures the cost and the savings of HTTP caching.
    static let httpCache = Suite(name: "httpcache", summary: "decisions of the HTTP cache, and loads with it and without") {
        effort, seed in
        let bench = try HTTPCacheBench(effort: effort, seed: seed)
        defer { bench.server.stop() }
        return try await bench.decisions() + bench.responses() + bench.images()
    }
}

private struct HTTPCacheBench {
    let effort: Effort
    let server: LoopbackServer
    private let clock = ContinuousClock()

    /// A server with one JPEG that responds with 304 to a matching condition. Responses under `/stale` must always be
    /// revalidated.
    init(effort: Effort, seed: UInt64) throws {
        self.effort = effort
        let scene = DecodedImage(try Scene(size: PixelSize(width: 480, height: 320), seed: seed).bitmap())
        let jpeg = Array(try Codecs.encoder.encode(scene, as: .jpeg, options: EncodeOptions()))
        server = try LoopbackServer(serving: { request in
            let control = request.path == "/stale" ? "no-cache" : "max-age=3600"
            let headers = [("ETag", "\"v1\""), ("Content-Type", "image/jpeg"), ("Cache-Control", control)]
            return request["If-None-Match"] == "\"v1\""
                ? .init(304, headers: headers) : .init(200, headers: headers, body: jpeg)
        })
    }

    // MARK: Decisions

    func decisions() async throws -> [Row] {
        let now = 1_700_000_000.0
        let fields: HTTPFields = [
            .date: "Tue, 14 Nov 2023 22:13:20 GMT", .cacheControl: "public, max-age=3600, stale-while-revalidate=60",
            .eTag: "\"abcdef\"", .lastModified: "Mon, 13 Nov 2023 22:13:20 GMT", .contentType: "image/jpeg",
            .contentLength: "20000",
        ]
        var varying = fields
        varying[.vary] = "Accept, Accept-Language"
        let request = DataRequest(
            url: try .parsed("http://example.org/a.jpg"),
            headerFields: [.accept: "image/avif,image/webp", .acceptLanguage: "en, de"])
        func response(_ fields: HTTPFields) -> StoredResponse {
            StoredResponse(
                HTTPResponse(status: .ok, headerFields: fields), to: request, requestedAt: now, receivedAt: now
            )
        }
        let (plain, other) = (response(fields), response(varying))
        let policy = HTTPCachePolicy.standard
        return [
            await timed("decision: fresh") { policy.decision(for: request, stored: plain, now: now + 60) },
            await timed("decision: stale, with the conditional request") {
                policy.decision(for: request, stored: plain, now: now + 7200)
            },
            await timed("decision: fresh, with Vary") { policy.decision(for: request, stored: other, now: now + 60) },
            await timed("decision: fresh, headers parsed as well") {
                policy.decision(for: request, stored: response(fields), now: now + 60)
            },
        ]
    }

    private func timed(_ name: String, _ decide: () -> HTTPCacheDecision) async -> Row {
        let count = effort.scaled(100_000)
        let samples = await effort.samples {
            clock.measure { for _ in 0..<count { _ = decide() } } / .nanoseconds(count)
        }
        return Row(suite: "httpcache", name: name, samples: samples, unit: "ns")
    }

    // MARK: Responses

    /// Measures the loader alone, with a real directory and a real connection.
    func responses() async throws -> [Row] {
        let folder = try ScratchFolder()
        defer { folder.remove() }
        let disk = DiskCache(.init(directory: folder.url))
        let network = CurlLoader()
        let cached = CachedLoader(network, cache: HTTPCache(store: disk))
        let uncached = try await perLoad("/fresh", network)
        let fresh = try await perLoad("/fresh", cached)
        let stale = try await perLoad("/stale", cached)
        let peer = Row.Peer(name: "no cache", samples: uncached)
        return [
            Row(suite: "httpcache", name: "response: fresh, from disk", samples: fresh, unit: "µs", peer: peer),
            Row(suite: "httpcache", name: "response: stale, by a 304", samples: stale, unit: "µs", peer: peer),
        ]
    }

    private func perLoad(_ path: String, _ loader: any DataLoading) async throws -> [Double] {
        let request = DataRequest(url: try .parsed(server.url(path)))
        let count = effort.scaled(1000)
        return try await effort.samples {
            let began = clock.now
            for _ in 0..<count {
                var body = try await loader.load(request).body.makeAsyncIterator()
                while let chunk = try await body.next() { _ = chunk }
            }
            return (clock.now - began) / .microseconds(count)
        }
    }

    // MARK: Images

    /// Measures the whole engine, with decoding.
    func images() async throws -> [Row] {
        let folder = try ScratchFolder()
        defer { folder.remove() }
        let disk = DiskCache(.init(directory: folder.url))
        let network = try await perImage("/fresh", nil)
        let stored = try await perImage("/fresh", disk, .reload)
        let peer = Row.Peer(name: "no cache", samples: network)
        return [
            Row(
                suite: "httpcache", name: "image: fetched and stored again", samples: stored, unit: "µs"),
            Row(
                suite: "httpcache", name: "image: fresh, from disk", samples: try await perImage("/fresh", disk), unit: "µs",
                peer: peer),
            Row(
                suite: "httpcache", name: "image: stale, by a 304", samples: try await perImage("/stale", disk), unit: "µs",
                peer: Row.Peer(name: "fetched and stored again", samples: stored)),
        ]
    }

    private func perImage(_ path: String, _ disk: DiskCache?, _ policy: CachePolicy = .memoryAndDisk) async throws -> [Double] {
        let loader = ImageLoader.standard {
            $0.memoryCache = nil
            $0.dataCache = disk
        }
        var request = ImageRequest(url: try .parsed(server.url(path)))
        request.options.targetSize = PixelSize(width: 60, height: 60)
        request.options.cachePolicy = policy
        let count = effort.scaled(500)
        return try await effort.samples {
            let began = clock.now
            for _ in 0..<count { _ = try await loader.image(for: request) }
            return (clock.now - began) / .microseconds(count)
        }
    }
}
