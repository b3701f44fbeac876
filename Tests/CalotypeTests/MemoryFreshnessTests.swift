import Calotype
import CalotypeTesting
import Foundation
import HTTPTypes
import LoopbackHTTP
import Testing

/// Images in memory follow the freshness of their originals in the preset for servers, and by option (FEATURES 5.11).
@Suite(.timeLimit(.minutes(1))) struct MemoryFollowsFreshness {
    private typealias Response = LoopbackServer.Response

    private let requests = EventLog<String?>()

    private func server(_ fields: [(String, String)]) throws -> LoopbackServer {
        let (png, requests) = (try servedPNG(), requests)
        return try LoopbackServer(serving: { request in
            requests.append(request["If-None-Match"])
            let headers = fields + [("ETag", "\"1\"")]
            return request["If-None-Match"] == nil ? Response(200, headers: headers, body: png) : Response(304, headers: headers)
        })
    }

    private func tiers(
        _ server: LoopbackServer, disk: LoggedDataCache? = LoggedDataCache(), storage: DiskStorage = .originalData,
        follows: Bool = true, processors: [any Processing] = []
    ) async throws -> [CacheTier] {
        let loader = ImageLoader.standard(.standard) {
            ($0.memoryCache, $0.dataCache) = (MemoryCache(), disk)
            $0.options.diskStorage = storage
            $0.options.memoryFollowsFreshness = follows
        }
        var tiers: [CacheTier] = []
        for _ in 0..<2 {
            let request = ImageRequest(url: URL(string: server.url("/a.png"))!, processors: processors)
            tiers.append(try await loader.response(for: request).tier)
            try await loader.flush()
        }
        return tiers
    }

    @Test(
        "An image that is not fresh is asked for",
        arguments: [
            [("Cache-Control", "max-age=0")], [("Cache-Control", "no-cache")],
            [("Cache-Control", "max-age=600"), ("Age", "600")],
            [("Expires", "Thu, 01 Jan 1970 00:00:00 GMT")], [],
        ] as [[(String, String)]], [DiskStorage.originalData, .automatic])
    func aStaleImageIsAskedFor(_ fields: [(String, String)], _ storage: DiskStorage) async throws {
        let server = try server(fields)
        defer { server.stop() }
        #expect(try await tiers(server, storage: storage) == [.network, .disk])
        #expect(requests.events == [nil, "\"1\""])
    }

    @Test("What must not be stored is fetched each time, and without a data cache everything stale is")
    func whatMustNotBeStoredIsFetched() async throws {
        for (control, disk) in [("no-store", LoggedDataCache()), ("max-age=0", nil)] {
            let server = try server([("Cache-Control", control)])
            defer { server.stop() }
            #expect(try await tiers(server, disk: disk) == [.network, .network])
        }
    }

    @Test(
        "A fresh image comes from memory, also with processors", arguments: [DiskStorage.originalData, .automatic], [true, false])
    func aFreshImageComesFromMemory(_ storage: DiskStorage, _ hasDisk: Bool) async throws {
        let server = try server([("Cache-Control", "max-age=600")])
        defer { server.stop() }
        let processors: [any Processing] = [.grayscale(), .pixelate(block: 2)]
        for list in [[], processors] {
            #expect(
                try await tiers(server, disk: hasDisk ? LoggedDataCache() : nil, storage: storage, processors: list)
                    == [.network, .memory])
        }
    }

    @Test("Without the option an image in memory is served at any age") func byDefaultMemoryIsServed() async throws {
        let server = try server([("Cache-Control", "no-store")])
        defer { server.stop() }
        #expect(try await tiers(server, follows: false) == [.network, .memory])
    }

    @Test func theServerPresetFollows() async throws {
        let server = try server([("Cache-Control", "max-age=0")])
        defer { server.stop() }
        let loader = ImageLoader.standard(.server) {
            ($0.memoryCache, $0.dataCache) = (MemoryCache(), LoggedDataCache())
            $0.sourcePolicy = nil
        }
        for tier in [CacheTier.network, .disk] {
            #expect(try await loader.response(for: URL(string: server.url("/a.png"))!).tier == tier)
            try await loader.flush()
        }
    }

    @Test("Local images, and those that the app stores, do not become stale") func otherImagesStay() async throws {
        let loader = ImageLoader.standard(.memoryOnly) {
            $0.memoryCache = MemoryCache()
            $0.options.memoryFollowsFreshness = true
        }
        let bytes = ImageRequest(.bytes(Data(try servedPNG()), id: "a"))
        _ = try await loader.image(for: bytes)
        #expect(try await loader.response(for: bytes).tier == .memory)
        let url = URL(string: "https://example.org/stored.png")!
        try await loader.cache.store(try TestImages.solid(red: 7), for: ImageRequest(url: url))
        #expect(try await loader.response(for: url).tier == .memory)
    }
}
