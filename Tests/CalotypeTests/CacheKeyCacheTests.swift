import Calotype
import CalotypeTesting
import HTTPTypes
import LoopbackHTTP
import Testing

/// A URL with a cache key takes part in HTTP caching like the URL that the key replaces (FEATURES 1.15).
@Suite(.timeLimit(.minutes(1))) struct CacheKeysInTheHTTPCache {
    private let disk = LoggedDataCache()
    private let requests = EventLog<LoopbackServer.Request>()

    private func server(_ fields: [(String, String)]) throws -> LoopbackServer {
        let (png, requests) = (try servedPNG(), requests)
        return try LoopbackServer(serving: { request in
            requests.append(request)
            return request["If-None-Match"] == nil ? .init(200, headers: fields, body: png) : .init(304, headers: fields)
        })
    }

    private func request(_ server: LoopbackServer, _ token: Int, key: String = "cat") -> ImageRequest {
        var request = imageRequest(server, "/\(token).png", size: PixelSize(width: 20, height: 10))
        request.cacheKey = key
        return request
    }

    private func tier(_ loader: ImageLoader, _ request: ImageRequest) async throws -> CacheTier {
        let tier = try await loader.response(for: request).tier
        try await loader.flush()
        return tier
    }

    private static let storages: [DiskStorage] = [.originalData, .processedImages, .all]

    @Test(arguments: storages)
    func aFreshResponseServesTheNextURL(_ storage: DiskStorage) async throws {
        let server = try server([("Cache-Control", "max-age=60")])
        defer { server.stop() }
        let loader = makeStandardLoader(disk: disk) { $0.options.diskStorage = storage }
        #expect(try await tier(loader, request(server, 1)) == .network)
        #expect(try await tier(loader, request(server, 2)) == .disk)
        #expect(try await tier(loader, request(server, 3, key: "dog")) == .network)
        #expect(server.requests.value == 2)
    }

    @Test(arguments: storages)
    func aStaleResponseIsRevalidatedAtThePresentURL(_ storage: DiskStorage) async throws {
        let server = try server([("Cache-Control", "no-cache"), ("ETag", "\"v1\"")])
        defer { server.stop() }
        let loader = makeStandardLoader(disk: disk) { $0.options.diskStorage = storage }
        #expect(try await tier(loader, request(server, 1)) == .network)
        #expect(try await tier(loader, request(server, 2)) == .disk)
        #expect(requests.events.map(\.path) == ["/1.png", "/2.png"])
        #expect(requests.events.map { $0["If-None-Match"] } == [nil, "\"v1\""])
    }

    @Test func aResponseThatMustNotBeStoredIsNot() async throws {
        let server = try server([("Cache-Control", "no-store")])
        defer { server.stop() }
        let loader = makeStandardLoader(disk: disk)
        for token in 1...2 { #expect(try await tier(loader, request(server, token)) == .network) }
    }

    @Test(arguments: [("Vary", "X-Size"), ("X-Any", "1")], ["X-Size", "Authorization"])
    func usersAndVariantsStayApart(_ field: (String, String), _ name: String) async throws {
        let server = try server([("Cache-Control", "max-age=60"), field])
        defer { server.stop() }
        let loader = makeStandardLoader(disk: disk)
        var (ann, bob) = (request(server, 1), request(server, 2))
        ann.options.headers = [HTTPField.Name(name)!: "ann"]
        bob.options.headers = [HTTPField.Name(name)!: "bob"]
        #expect(try await tier(loader, ann) == .network)
        #expect(try await tier(loader, bob) == .network)
        #expect(try await tier(loader, ann) == .disk)
        // One removal forgets both.
        try await loader.cache.removeAllVariants(ofCacheKey: "cat")
        #expect(disk.keys.isEmpty)
    }

    @Test func aChangeByAnUnsafeMethodRemovesTheResponseOfTheKey() async throws {
        let server = try server([("Cache-Control", "max-age=60")])
        defer { server.stop() }
        let loader = makeStandardLoader(disk: disk)
        var plain = request(server, 1)
        plain.cacheKey = nil
        for request in [request(server, 1), plain] { #expect(try await tier(loader, request) == .network) }
        var post = request(server, 1)
        post.method = .post
        _ = try await tier(loader, post)
        for request in [request(server, 2), plain] { #expect(try await tier(loader, request) == .network) }
    }
}
