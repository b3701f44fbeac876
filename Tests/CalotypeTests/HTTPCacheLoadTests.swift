import Calotype
import CalotypeTesting
import Foundation
import HTTPTypes
import LoopbackHTTP
import Testing

/// The HTTP cache of a standard loader, with a server on loopback that counts its requests.
@Suite(.timeLimit(.minutes(1))) struct HTTPCacheOfAStandardLoader {
    private let memory = LoggedMemoryCache()
    private let disk = LoggedDataCache()

    private func loader(_ change: (inout StandardConfiguration) -> Void = { _ in }) -> ImageLoader {
        makeStandardLoader(disk: disk, change)
    }

    /// Serves an image that never changes, and answers 304 to requests with its entity tag.
    private func serverWithEntityTag(_ control: String, requests: EventLog<LoopbackServer.Request> = EventLog()) throws
        -> LoopbackServer
    {
        let png = try servedPNG()
        return try LoopbackServer(serving: { request in
            requests.append(request)
            let headers = [("ETag", "\"v1\""), ("Cache-Control", control)]
            return request["If-None-Match"] == "\"v1\"" ? .init(304, headers: headers) : .init(200, headers: headers, body: png)
        })
    }

    @Test func aFreshResponseIsServedFromDiskWithoutARequest() async throws {
        let server = try serverWithEntityTag("max-age=60")
        defer { server.stop() }
        let loader = loader()
        #expect(try await loader.response(for: imageRequest(server)).tier == .network)
        try await loader.flush()
        for _ in 0..<3 { #expect(try await loader.response(for: imageRequest(server)).tier == .disk) }
        #expect(server.requests.value == 1)
    }

    /// The result of the lookup is passed with the request to the loader that completes it. A 304 reads the stored
    /// body.
    @Test func aLoadLooksUpTheHTTPCacheOnce() async throws {
        let server = try serverWithEntityTag("no-cache")
        defer { server.stop() }
        let loader = loader()
        /// Without the lookups of partial bodies.
        func reads() -> Int { disk.calls.count { if case .read(let key, _) = $0 { key.variant != "partial" } else { false } } }
        _ = try await loader.response(for: imageRequest(server))
        try await loader.flush()
        #expect(reads() == 1)
        _ = try await loader.response(for: imageRequest(server))
        try await loader.flush()
        #expect(reads() == 3)
    }

    @Test func aStaleResponseIsValidatedAndItsBodyIsReused() async throws {
        let requests = EventLog<LoopbackServer.Request>()
        let server = try serverWithEntityTag("no-cache", requests: requests)
        defer { server.stop() }
        let loader = loader()
        _ = try await loader.response(for: imageRequest(server))
        try await loader.flush()
        let again = try await loader.response(for: imageRequest(server))
        #expect(again.tier == .disk && again.image.size == PixelSize(width: 40, height: 20))
        #expect(requests.events.map { $0["If-None-Match"] } == [nil, "\"v1\""])
    }

    @Test func everyLoadRequestsAResponseWithoutCacheDirectives() async throws {
        let png = try servedPNG()
        let server = try LoopbackServer(serving: { _ in .init(200, body: png) })
        defer { server.stop() }
        let loader = loader()
        for _ in 0..<2 {
            #expect(try await loader.response(for: imageRequest(server)).tier == .network)
            try await loader.flush()
        }
        #expect(server.requests.value == 2)
    }

    @Test func theAggressivePolicySendsOneRequest() async throws {
        let png = try servedPNG()
        let server = try LoopbackServer(serving: { _ in .init(200, headers: [("Cache-Control", "max-age=0")], body: png) })
        defer { server.stop() }
        let loader = loader { $0.httpCachePolicy = .aggressive }
        #expect(try await loader.response(for: imageRequest(server)).tier == .network)
        try await loader.flush()
        #expect(try await loader.response(for: imageRequest(server)).tier == .disk)
        #expect(server.requests.value == 1)
    }

    @Test func thePolicyOffStoresNothing() async throws {
        let server = try serverWithEntityTag("max-age=60")
        defer { server.stop() }
        let loader = loader { $0.httpCachePolicy = .off }
        for _ in 0..<2 {
            #expect(try await loader.response(for: imageRequest(server)).tier == .network)
            try await loader.flush()
        }
        #expect(disk.keys.isEmpty)
    }

    @Test func aFreshErrorResponseIsNotRequestedAgain() async throws {
        let server = try LoopbackServer(serving: { _ in .init(404, headers: [("Cache-Control", "max-age=60")]) })
        defer { server.stop() }
        let loader = loader()
        for stage in [LoadStage.network, .originalCache] {
            do {
                _ = try await loader.image(for: imageRequest(server))
                Issue.record("A 404 has no image.")
            } catch {
                #expect(error.error?.code == .httpStatus && error.error?.status == 404 && error.error?.stage == stage)
            }
        }
        #expect(server.requests.value == 1)
    }

    @Test func usersDoNotShareAnImage() async throws {
        let images = ["Bearer ann": try servedPNG(red: 10), "Bearer bob": try servedPNG(red: 90)]
        let server = try LoopbackServer(serving: { request in
            .init(200, headers: [("Cache-Control", "max-age=60")], body: images[request["Authorization"] ?? ""] ?? [])
        })
        defer { server.stop() }
        let loader = loader()
        for round in 0..<2 {
            for (user, red) in [("ann", UInt8(10)), ("bob", 90)] {
                var request = imageRequest(server)
                request.options.headers = [.authorization: "Bearer \(user)"]
                let response = try await loader.response(for: request)
                #expect(TestImages.pixel(of: response.image, x: 0, y: 0)[0] == red)
                #expect(response.tier == (round == 0 ? .network : .disk))
            }
        }
        #expect(server.requests.value == 2)
        #expect(disk.keys.allSatisfy { !"\($0)".contains("Bearer") && !"\($0)".contains("ann") })
    }

    @Test func aStaleResponseIsServedWhileTheServerIsDown() async throws {
        let server = try serverWithEntityTag("max-age=0")
        let loader = loader()
        _ = try await loader.response(for: imageRequest(server))
        try await loader.flush()
        server.stop()
        let response = try await loader.response(for: imageRequest(server))
        #expect(response.tier == .disk && response.image.size.width == 40)
    }

    @Test func onlyIfCachedServesAStaleResponseAndSendsNoRequest() async throws {
        let server = try serverWithEntityTag("max-age=0")
        defer { server.stop() }
        let loader = loader()
        var only = imageRequest(server)
        only.options.cachePolicy = .cacheOnly
        do {
            _ = try await loader.image(for: only)
            Issue.record("Nothing is cached.")
        } catch {
            #expect(error.error?.code == .notCached && error.error?.stage == .originalCache)
        }
        _ = try await loader.response(for: imageRequest(server))
        try await loader.flush()
        #expect(try await loader.response(for: only).tier == .disk)
        #expect(server.requests.value == 1)
    }

    @Test func aReloadSendsNoValidatorAndNoCacheStoresNothing() async throws {
        let requests = EventLog<LoopbackServer.Request>()
        let server = try serverWithEntityTag("max-age=60", requests: requests)
        defer { server.stop() }
        let loader = loader()
        var plain = imageRequest(server)
        plain.options.cachePolicy = .noCache
        _ = try await loader.response(for: plain)
        try await loader.flush()
        #expect(disk.keys.isEmpty)
        _ = try await loader.response(for: imageRequest(server))
        try await loader.flush()
        var reload = imageRequest(server)
        reload.options.cachePolicy = .reload
        #expect(try await loader.response(for: reload).tier == .network)
        try await loader.flush()
        #expect(requests.events.allSatisfy { $0["If-None-Match"] == nil })
        #expect(server.requests.value == 3)
        plain.options.cachePolicy = .memoryAndDisk
        plain.options.storesToDisk = false
        #expect(try await loader.response(for: plain).tier == .disk)
    }

    @Test func aFreshResponseThatIsNoImageIsRemoved() async throws {
        let png = try servedPNG()
        let count = Lock(0)
        let server = try LoopbackServer(serving: { _ in
            let number = count.withLock { count in
                count += 1
                return count
            }
            return .init(200, headers: [("Cache-Control", "max-age=60")], body: number == 1 ? Array("<html>".utf8) : png)
        })
        defer { server.stop() }
        let loader = loader()
        await #expect(throws: LoadFailure.self) { try await loader.image(for: imageRequest(server)) }
        #expect(disk.keys.isEmpty)
        #expect(try await loader.response(for: imageRequest(server)).tier == .network)
    }

    @Test func storedBytesThatAreNoImageAreFetchedAgain() async throws {
        let server = try serverWithEntityTag("max-age=60")
        defer { server.stop() }
        let loader = loader()
        _ = try await loader.response(for: imageRequest(server))
        try await loader.flush()
        let key = try #require(disk.keys.first)
        var entry = try #require(try await disk.entry(for: key))
        entry.data = Data(entry.data.map { _ in 7 })
        try await disk.store(entry, for: key)
        #expect(try await loader.response(for: imageRequest(server)).tier == .network)
        try await loader.flush()
        #expect(try await loader.response(for: imageRequest(server)).tier == .disk)
        #expect(server.requests.value == 2)
    }

    @Test func freshResponsesDoNotWaitForNetworkSlots() async throws {
        let png = try servedPNG()
        let server = try LoopbackServer { request, connection in
            if request.path.hasPrefix("/slow") { return connection.waitForDisconnect() }
            try connection.respond(.init(200, headers: [("Cache-Control", "max-age=60")], body: png))
        }
        defer { server.stop() }
        let loader = loader()
        _ = try await loader.response(for: imageRequest(server))
        try await loader.flush()
        let slow = (0..<6).map { loader.task(for: imageRequest(server, "/slow\($0)")) }
        try await server.requests.wait(forCount: 7)
        #expect(try await loader.response(for: imageRequest(server)).tier == .disk)
        loader.isPaused = true
        #expect(try await loader.response(for: imageRequest(server)).tier == .disk)
        for task in slow { task.cancel() }
    }

    @Test func aResponseThatVariesIsStoredForEachRequest() async throws {
        let images = [try servedPNG(red: 1), try servedPNG(red: 2)]
        let server = try LoopbackServer(serving: { request in
            .init(
                200, headers: [("Cache-Control", "max-age=60"), ("Vary", "Accept-Language")],
                body: images[request["Accept-Language"] == "de" ? 1 : 0])
        })
        defer { server.stop() }
        let loader = loader()
        for tier in [CacheTier.network, .disk] {
            for (language, red) in [("en", UInt8(1)), ("de", 2)] {
                var request = imageRequest(server)
                request.options.headers = [.acceptLanguage: language]
                let response = try await loader.response(for: request)
                #expect(TestImages.pixel(of: response.image, x: 0, y: 0)[0] == red && response.tier == tier)
            }
            try await loader.flush()
        }
        #expect(server.requests.value == 2)
    }

    @Test func staleWhileRevalidateServesTheStaleResponseAndValidatesIt() async throws {
        let requests = EventLog<LoopbackServer.Request>()
        let server = try serverWithEntityTag("max-age=0, stale-while-revalidate=60", requests: requests)
        defer { server.stop() }
        let loader = loader()
        _ = try await loader.response(for: imageRequest(server))
        try await loader.flush()
        #expect(try await loader.response(for: imageRequest(server)).tier == .disk)
        await requests.wait(forCount: 2)
        #expect(requests.events[1]["If-None-Match"] == "\"v1\"")
        #expect(requests.events[1]["Accept"]?.contains("image/png") == true)
    }

    @Test func differentCredentialsOfAnInterceptorAreDifferentCacheKeys() async throws {
        struct Signing: RequestInterceptor {
            let user: String
            func intercept(_ request: DataRequest, next: Next) async throws -> DataResponse {
                var signed = request
                signed.headerFields[.authorization] = user
                return try await next(signed)
            }
        }
        let server = try serverWithEntityTag("max-age=60")
        defer { server.stop() }
        let (ann, bob) = (
            loader { $0.interceptors = [Signing(user: "ann")] }, loader { $0.interceptors = [Signing(user: "bob")] }
        )
        #expect(try await ann.response(for: imageRequest(server)).tier == .network)
        try await ann.flush()
        #expect(try await bob.response(for: imageRequest(server)).tier == .network)
        try await bob.flush()
        #expect(try await ann.response(for: imageRequest(server)).tier == .disk)
        #expect(try await loader().response(for: imageRequest(server)).tier == .network)
        #expect(server.requests.value == 3)
    }

    @Test func aForbiddenURLIsNotServedFromACacheThatAnotherLoaderFilled() async throws {
        let server = try serverWithEntityTag("max-age=60")
        defer { server.stop() }
        _ = try await loader().response(for: imageRequest(server))
        let strict = ImageLoader.standard(.server) {
            $0.memoryCache = nil
            $0.dataCache = disk
        }
        do {
            _ = try await strict.image(for: imageRequest(server))
            Issue.record("The server is on loopback.")
        } catch {
            #expect(error.error?.code == .sourceForbidden)
        }
        #expect(server.requests.value == 1)
    }

    @Test func theDiskCacheFollowsHTTPAfterARestart() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "calotype-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let server = try serverWithEntityTag("max-age=60")
        defer { server.stop() }
        for tier in [CacheTier.network, .disk] {
            let loader = loader { $0.dataCache = DiskCache(.init(directory: folder)) }
            #expect(try await loader.response(for: imageRequest(server)).tier == tier)
            try await loader.flush()
        }
        #expect(server.requests.value == 1)
    }
}
