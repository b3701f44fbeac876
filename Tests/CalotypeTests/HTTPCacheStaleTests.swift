import Calotype
import CalotypeTesting
import Foundation
import HTTPTypes
import LoopbackHTTP
import Testing

/// Stale and varying responses of a standard loader, with a server on loopback (FEATURES 5.3 to 5.5 and 5.7).
@Suite(.timeLimit(.minutes(1))) struct StaleResponsesOfAStandardLoader {
    private typealias Response = LoopbackServer.Response

    private let disk = LoggedDataCache()

    private func loader(_ change: (inout StandardConfiguration) -> Void = { _ in }) -> ImageLoader {
        makeStandardLoader(disk: disk) {
            // Tests hold responses back for as long as the machine takes.
            $0.options.timeout = .seconds(300)
            change(&$0)
        }
    }

    private func retrying() -> ImageLoader {
        loader { $0.retryPolicy = RetryPolicy(maximumRetries: 3, baseDelay: .zero, multiplier: 1) }
    }

    /// Serves an image, then fails as the list says, and then answers as before. A `nil` closes the connection without
    /// a response.
    private func server(_ control: String, failing failures: [Int?], tag: String? = "\"v1\"") throws -> LoopbackServer {
        let png = try servedPNG()
        let left = Lock<[Int?]?>(nil)
        return try LoopbackServer { request, connection in
            let failure = left.withLock { left -> Int?? in
                guard left != nil else {
                    left = failures
                    return nil
                }
                return left!.isEmpty ? nil : .some(left!.removeFirst())
            }
            switch failure {
            case .some(.some(let status)): try connection.respond(Response(status))
            case .some(nil): connection.close()
            case nil:
                let headers = [("Cache-Control", control)] + (tag.map { [("ETag", $0)] } ?? [])
                let isKnown = tag != nil && request["If-None-Match"] == tag
                try connection.respond(Response(isKnown ? 304 : 200, headers: headers, body: isKnown ? [] : png))
            }
        }
    }

    // MARK: Retries

    @Test(
        "A transient failure is retried where the stale response must not be served instead",
        arguments: [500, 503, 408, 429, nil])
    func transientFailuresAreRetried(_ failure: Int?) async throws {
        for control in ["max-age=0", "max-age=0, must-revalidate"] where failure != nil || control.hasSuffix("revalidate") {
            let server = try server(control, failing: [failure, failure])
            defer { server.stop() }
            let loader = retrying()
            _ = try await loader.response(for: imageRequest(server))
            try await loader.flush()
            let again = try await loader.response(for: imageRequest(server))
            // The transport itself sends a request again whose reused connection is closed.
            #expect(again.tier == .disk && again.metrics.retries >= (failure == nil ? 1 : 2))
            // The image, two failures and the 304.
            #expect(server.requests.value == 4)
        }
    }

    // MARK: stale-while-revalidate

    @Test func aStaleHitNeedsNoNetworkSlotAndIsRevalidatedOnce() async throws {
        let png = try servedPNG()
        let requests = EventLog<LoopbackServer.Request>()
        let server = try LoopbackServer { request, connection in
            if request.path.hasPrefix("/slow") { return connection.waitForDisconnect() }
            requests.append(request)
            try connection.respond(
                Response(200, headers: [("Cache-Control", "max-age=0, stale-while-revalidate=600")], body: png))
        }
        defer { server.stop() }
        let loader = loader()
        _ = try await loader.response(for: imageRequest(server))
        try await loader.flush()
        let slow = (0..<40).map { loader.task(for: imageRequest(server, "/slow\($0)")) }
        try await server.requests.wait(forCount: 7)
        #expect(try await loader.response(for: imageRequest(server)).tier == .disk)
        for task in slow { task.cancel() }
        // The response has no validator, so that it is fetched.
        await requests.wait(forCount: 2)
        #expect(requests.events[1]["If-None-Match"] == nil)
    }

    @Test func aPausedLoaderServesAStaleHitAndRevalidatesItLater() async throws {
        let server = try server("max-age=0, stale-while-revalidate=600", failing: [])
        defer { server.stop() }
        let loader = loader()
        _ = try await loader.response(for: imageRequest(server))
        try await loader.flush()
        loader.isPaused = true
        for _ in 0..<3 { #expect(try await loader.response(for: imageRequest(server)).tier == .disk) }
        #expect(server.requests.value == 1)
        loader.isPaused = false
        try await server.requests.wait(forCount: 2)
    }

    @Test func everyStaleHitIsRevalidated() async throws {
        let png = try servedPNG()
        let seen = EventLog<String>()
        let server = try LoopbackServer(serving: { request in
            let headers = [("Cache-Control", "max-age=0, stale-while-revalidate=600"), ("ETag", "\"v1\"")]
            guard request["If-None-Match"] != nil else { return Response(200, headers: headers, body: png) }
            seen.append(request.path)
            return Response(304, headers: headers)
        })
        defer { server.stop() }
        let loader = loader()
        let paths = (0..<40).map { "/\($0).png" }
        for path in paths { _ = try await loader.response(for: imageRequest(server, path)) }
        try await loader.flush()
        for path in paths { #expect(try await loader.response(for: imageRequest(server, path)).tier == .disk) }
        await seen.wait { Set($0) == Set(paths) }
        #expect(seen.count == paths.count)
    }

    @Test(.timeLimit(.minutes(1))) func aLoadIsNotKeptWaitingByTheRevalidationsOfItsHost() async throws {
        let (png, gate) = (try servedPNG(), try LoopbackServer.Gate())
        let server = try LoopbackServer { request, connection in
            let headers = [("Cache-Control", "max-age=0, stale-while-revalidate=600"), ("ETag", "\"v1\"")]
            let isRevalidation = request["If-None-Match"] != nil
            if isRevalidation { try connection.wait(for: gate) }
            try connection.respond(Response(isRevalidation ? 304 : 200, headers: headers, body: isRevalidation ? [] : png))
        }
        defer { server.stop() }
        let loader = loader()
        let paths = (0..<8).map { "/\($0).png" }
        for path in paths { _ = try await loader.response(for: imageRequest(server, path)) }
        try await loader.flush()
        for path in paths { #expect(try await loader.response(for: imageRequest(server, path)).tier == .disk) }
        try await server.requests.wait(forCount: paths.count + 1)
        #expect(try await loader.response(for: imageRequest(server, "/new.png")).tier == .network)
        try await loader.flush()
        gate.open()
        while loader.activity != ImageLoader.Activity() { await Task.yield() }
        #expect(server.requests.value == 2 * paths.count + 1)
    }

    // MARK: Closed connections

    @Test("A connection that is closed without a response is a failure that must-revalidate and no-cache turn into an error")
    func aClosedConnectionIsAFailure() async throws {
        for (control, isServed) in [("max-age=0", true), ("max-age=0, must-revalidate", false), ("no-cache", false)] {
            let server = try server(control, failing: Array(repeating: nil, count: 8))
            defer { server.stop() }
            let loader = loader()
            _ = try await loader.response(for: imageRequest(server))
            try await loader.flush()
            if isServed {
                #expect(try await loader.response(for: imageRequest(server)).tier == .disk)
            } else {
                let failure = await #expect(throws: LoadFailure.self) { try await loader.image(for: imageRequest(server)) }
                #expect(failure?.error?.code == .connectionLost)
            }
        }
    }

    // MARK: Order

    @Test func aGetUnderWayDuringAPutIsNotStored() async throws {
        let gate = try LoopbackServer.Gate()
        let body = Lock("old")
        let reads = EventLog<String>()
        let server = try LoopbackServer { request, connection in
            if request.method == "PUT" {
                body.withLock { $0 = "new" }
                return try connection.respond(Response(204))
            }
            let text = body.withLock { $0 }
            reads.append(text)
            if text == "old" { try connection.wait(for: gate) }
            try connection.respond(Response(200, headers: [("Cache-Control", "max-age=600")], body: Array(text.utf8)))
        }
        defer { server.stop() }
        let loader = CachedLoader(StandardTransport(), cache: HTTPCache(store: disk))
        let url = URL(string: server.url("/image"))!
        func get() async throws -> (Data, CacheTier) {
            let response = try await loader.load(DataRequest(url: url))
            var data = Data()
            for try await chunk in response.body { data.append(chunk) }
            return (data, response.tier)
        }
        async let late = get()
        await reads.wait(forCount: 1)
        _ = try await loader.load(DataRequest(url: url, method: .put, body: Data("new".utf8)))
        gate.open()
        #expect(try await late.0 == Data("old".utf8))
        #expect(try await get() == (Data("new".utf8), .network))
        #expect(try await get() == (Data("new".utf8), .disk))
    }

    @Test func anOlderResponseThatArrivesLaterDoesNotReplaceTheNewerOne() async throws {
        let (images, gate) = ([try servedPNG(red: 1), try servedPNG(red: 2)], try LoopbackServer.Gate())
        let server = try LoopbackServer { request, connection in
            let isLate = request["X-Request-Id"] == "late"
            if isLate { try connection.wait(for: gate) }
            let date = isLate ? "Tue, 14 Nov 2023 22:13:20 GMT" : "Tue, 14 Nov 2023 22:13:30 GMT"
            try connection.respond(
                Response(
                    200, headers: [("Cache-Control", "max-age=2000000000"), ("Date", date)], body: images[isLate ? 0 : 1]))
        }
        defer { server.stop() }
        let loader = loader()
        var first = imageRequest(server)
        first.options.headers = [HTTPField.Name("X-Request-Id")!: "late"]
        let late = loader.task(for: first)
        try await server.requests.wait(forCount: 1)
        _ = try await loader.image(for: imageRequest(server))
        try await loader.flush()
        gate.open()
        #expect(TestImages.pixel(of: try await late.response.image, x: 0, y: 0)[0] == 1)
        try await loader.flush()
        let stored = try await loader.response(for: imageRequest(server))
        #expect(stored.tier == .disk && TestImages.pixel(of: stored.image, x: 0, y: 0)[0] == 2)
    }

    // MARK: Variants and URLs

    @Test func aNewVariantIsRequestedWithoutTheTagsOfTheOthers() async throws {
        let requests = EventLog<LoopbackServer.Request>()
        let images = ["en": try servedPNG(red: 1), "de": try servedPNG(red: 2)]
        let server = try LoopbackServer(serving: { request in
            requests.append(request)
            let language = request["Accept-Language"] == "de" ? "de" : "en"
            let headers = [("Cache-Control", "max-age=60"), ("Vary", "Accept-Language"), ("ETag", "\"\(language)\"")]
            let isKnown = request["If-None-Match"]?.contains("\"\(language)\"") ?? false
            return Response(isKnown ? 304 : 200, headers: headers, body: isKnown ? [] : images[language] ?? [])
        })
        defer { server.stop() }
        let loader = loader()
        for (language, red, tier) in [("en", 1, CacheTier.network), ("de", 2, .network), ("fr", 1, .network), ("fr", 1, .disk)] {
            var request = imageRequest(server)
            request.options.headers = [.acceptLanguage: language]
            let response = try await loader.response(for: request)
            #expect(TestImages.pixel(of: response.image, x: 0, y: 0)[0] == UInt8(red) && response.tier == tier)
            // The next load finds the entry instead of joining this one.
            try await loader.flush()
        }
        #expect(requests.events.map { $0["If-None-Match"] } == [nil, nil, nil])
    }

    @Test func encodingsOfUnreservedCharactersAreOneEntry() async throws {
        let server = try server("max-age=60", failing: [])
        defer { server.stop() }
        let loader = loader()
        _ = try await loader.response(for: imageRequest(server, "/%7Eann/%61.png"))
        try await loader.flush()
        #expect(try await loader.response(for: imageRequest(server, "/~ann/a.png")).tier == .disk)
    }
}
