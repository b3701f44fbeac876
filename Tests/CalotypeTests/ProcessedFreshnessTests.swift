import Calotype
import CalotypeTesting
import Foundation
import HTTPTypes
import LoopbackHTTP
import Testing

/// Finished images on disk follow the rules for the responses that they were made from (FEATURES 5.1 and 5.8).
@Suite(.timeLimit(.minutes(1))) struct FinishedImagesFollowHTTP {
    private typealias Response = LoopbackServer.Response

    private static let size = PixelSize(width: 20, height: 10)
    private let disk = LoggedDataCache()
    private let requests = EventLog<LoopbackServer.Request>()

    private func loader(
        _ preset: StandardConfiguration = StandardConfiguration(), _ change: (inout StandardConfiguration) -> Void = { _ in }
    ) -> ImageLoader {
        makeStandardLoader(preset, disk: disk) {
            $0.options.diskStorage = .automatic
            change(&$0)
        }
    }

    /// Serves images, one version after the other; `nil` repeats the version before it. Answers 304 to its entity tag.
    private func server(_ control: String, reds: [UInt8?] = [200], isTagged: Bool = true) throws -> LoopbackServer {
        let requests = requests
        let left = Lock(reds)
        let red = Lock(UInt8(0))
        let images = Dictionary(uniqueKeysWithValues: try Set(reds.compactMap { $0 }).map { ($0, try servedPNG(red: $0)) })
        return try LoopbackServer(serving: { request in
            requests.append(request)
            let next = left.withLock { $0.isEmpty ? nil : $0.removeFirst() }
            let current = red.withLock { red in
                red = next ?? red
                return red
            }
            let tag = "\"\(current)\""
            let headers = [("Cache-Control", control)] + (isTagged ? [("ETag", tag)] : [])
            if isTagged, request["If-None-Match"] == tag { return Response(304, headers: headers) }
            return Response(200, headers: headers, body: images[current] ?? [])
        })
    }

    /// Loads, and waits until everything is stored. Returns the red of the image and where it came from.
    private func load(_ loader: ImageLoader, _ request: ImageRequest) async throws -> (red: UInt8, tier: CacheTier) {
        let response = try await loader.response(for: request)
        try await loader.flush()
        #expect(response.image.size == PixelSize(width: 20, height: 10))
        return (TestImages.pixel(of: response.image, x: 0, y: 0)[0], response.tier)
    }

    private var tags: [String?] { requests.events.map { $0["If-None-Match"] } }
    private var hasFinishedImage: Bool { disk.keys.contains { $0.variant?.hasPrefix("http") == false } }

    @Test("RFC 9111 §5.2.2.5 no-store is never written", arguments: DiskStorage.allCases, ["response", "request"])
    func noStoreIsNeverWritten(_ storage: DiskStorage, _ side: String) async throws {
        let server = try server(side == "response" ? "no-store" : "max-age=600")
        defer { server.stop() }
        let loader = loader { $0.options.diskStorage = storage }
        var request = imageRequest(server, size: Self.size)
        if side == "request" { request.options.headers = [.cacheControl: "no-store"] }
        for _ in 0..<2 { #expect(try await load(loader, request) == (200, .network)) }
        #expect(!disk.calls.contains { if case .store = $0 { true } else { false } })
    }

    @Test("RFC 9111 §4.2 a fresh image is served without a request", arguments: [DiskStorage.processedImages, .automatic, .all])
    func aFreshImageIsServed(_ storage: DiskStorage) async throws {
        let server = try server("max-age=600")
        defer { server.stop() }
        let loader = loader { $0.options.diskStorage = storage }
        #expect(try await load(loader, imageRequest(server, size: Self.size)) == (200, .network))
        for _ in 0..<2 { #expect(try await load(loader, imageRequest(server, size: Self.size)) == (200, .disk)) }
        #expect(requests.count == 1 && hasFinishedImage)
    }

    @Test("RFC 9111 §4.3 an expired image is validated by the tag of its original", arguments: [DiskStorage.automatic, .all])
    func anExpiredImageIsValidated(_ storage: DiskStorage) async throws {
        let server = try server("max-age=0")
        defer { server.stop() }
        let loader = loader { $0.options.diskStorage = storage }
        #expect(try await load(loader, imageRequest(server, size: Self.size)) == (200, .network))
        for _ in 0..<2 { #expect(try await load(loader, imageRequest(server, size: Self.size)) == (200, .disk)) }
        #expect(tags == [nil, "\"200\"", "\"200\""])
    }

    @Test("RFC 9111 §4.3.3 a changed original replaces the image, with one request", arguments: [DiskStorage.automatic, .all])
    func aChangedOriginalReplacesTheImage(_ storage: DiskStorage) async throws {
        let server = try server("no-cache", reds: [1, 2])
        defer { server.stop() }
        let loader = loader { $0.options.diskStorage = storage }
        #expect(try await load(loader, imageRequest(server, size: Self.size)) == (1, .network))
        #expect(try await load(loader, imageRequest(server, size: Self.size)) == (2, .network))
        #expect(try await load(loader, imageRequest(server, size: Self.size)) == (2, .disk))
        #expect(tags == [nil, "\"1\"", "\"2\""])
    }

    @Test("RFC 9111 §4.3.1 an expired image without validators is made again from a full fetch")
    func anImageWithoutValidatorsIsMadeAgain() async throws {
        let server = try server("max-age=0", reds: [1, 2], isTagged: false)
        defer { server.stop() }
        let loader = loader()
        #expect(try await load(loader, imageRequest(server, size: Self.size)) == (1, .network))
        #expect(try await load(loader, imageRequest(server, size: Self.size)) == (2, .network))
        #expect(requests.count == 2)
    }

    @Test("RFC 9111 §4.2.4 an expired image is served while the server is down, unless that is forbidden")
    func anExpiredImageIsServedWhileTheServerIsDown() async throws {
        for (control, isServed) in [("max-age=0", true), ("max-age=0, must-revalidate", false), ("no-cache", false)] {
            try await disk.removeAll()
            let server = try server(control)
            let loader = loader()
            #expect(try await load(loader, imageRequest(server, size: Self.size)) == (200, .network))
            server.stop()
            if isServed {
                #expect(try await load(loader, imageRequest(server, size: Self.size)) == (200, .disk))
            } else {
                await #expect(throws: LoadFailure.self) { try await loader.image(for: imageRequest(server, size: Self.size)) }
            }
        }
    }

    @Test(
        "RFC 9110 §15.5.11 an image that is gone for good is not served later, one that was not found is", arguments: [410, 404])
    func anImageThatIsGoneIsRemoved(_ status: Int) async throws {
        let isGone = Lock(false)
        let png = try servedPNG(red: 7)
        let server = try LoopbackServer(serving: { _ in
            isGone.withLock { $0 } ? Response(status) : Response(200, headers: [("Cache-Control", "max-age=0")], body: png)
        })
        let loader = loader()
        #expect(try await load(loader, imageRequest(server, size: Self.size)) == (7, .network))
        isGone.withLock { $0 = true }
        await #expect(throws: LoadFailure.self) { try await loader.image(for: imageRequest(server, size: Self.size)) }
        #expect(hasFinishedImage == (status == 404))
        server.stop()
        let later = try? await load(loader, imageRequest(server, size: Self.size))
        #expect(later?.red == (status == 404 ? 7 : nil))
    }

    @Test("RFC 5861 §3 an image within stale-while-revalidate is served at once, and revalidated in the background")
    func aStaleImageIsServedAndRevalidated() async throws {
        let server = try server("max-age=0, stale-while-revalidate=600", reds: [1, 2])
        defer { server.stop() }
        let loader = loader()
        #expect(try await load(loader, imageRequest(server, size: Self.size)) == (1, .network))
        #expect(try await load(loader, imageRequest(server, size: Self.size)) == (1, .disk))
        await requests.wait(forCount: 2)
        #expect(tags == [nil, "\"1\""])
        // The original has changed: the entry is removed, and the next load makes the image again.
        while hasFinishedImage { await Task.yield() }
        #expect(try await load(loader, imageRequest(server, size: Self.size)).red == 2)
    }

    @Test func aClearDuringABackgroundRevalidationLeavesNoImage() async throws {
        let mayConfirm = DispatchSemaphore(value: 0)
        let headers = [("Cache-Control", "max-age=0, stale-while-revalidate=600"), ("ETag", "\"1\"")]
        let (png, requests) = (try servedPNG(red: 1), requests)
        let server = try LoopbackServer(serving: { request in
            requests.append(request)
            guard request["If-None-Match"] != nil else { return Response(200, headers: headers, body: png) }
            mayConfirm.wait()
            return Response(304, headers: headers)
        })
        defer { server.stop() }
        let loader = loader()
        #expect(try await load(loader, imageRequest(server, size: Self.size)) == (1, .network))
        #expect(try await load(loader, imageRequest(server, size: Self.size)) == (1, .disk))
        await requests.wait(forCount: 2)
        try await loader.clearCaches()
        mayConfirm.signal()
        while loader.activity.running > 0 { await Task.yield() }
        #expect(disk.keys.isEmpty)
    }

    @Test("RFC 5861 §4 stale-if-error holds for images")
    func staleIfErrorHolds() async throws {
        let isBroken = Lock(false)
        let png = try servedPNG(red: 7)
        let server = try LoopbackServer(serving: { _ in
            isBroken.withLock { $0 }
                ? Response(503) : Response(200, headers: [("Cache-Control", "max-age=0, stale-if-error=600")], body: png)
        })
        defer { server.stop() }
        let loader = loader()
        #expect(try await load(loader, imageRequest(server, size: Self.size)) == (7, .network))
        isBroken.withLock { $0 = true }
        #expect(try await load(loader, imageRequest(server, size: Self.size)) == (7, .disk))
    }

    @Test func thePolicyRevalidateKeepsAnImageThatTheServerConfirms() async throws {
        let server = try server("max-age=600", reds: [1, nil, 2])
        defer { server.stop() }
        let loader = loader()
        #expect(try await load(loader, imageRequest(server, size: Self.size)) == (1, .network))
        var request = imageRequest(server, size: Self.size)
        request.options.cachePolicy = .revalidate
        #expect(try await load(loader, request) == (1, .disk))
        #expect(try await load(loader, request) == (2, .network))
        #expect(tags == [nil, "\"1\"", "\"1\""])
    }

    @Test func onlyIfCachedAcceptsAnExpiredImage() async throws {
        let server = try server("max-age=0")
        defer { server.stop() }
        let loader = loader()
        _ = try await load(loader, imageRequest(server, size: Self.size))
        var only = imageRequest(server, size: Self.size)
        only.options.cachePolicy = [.memoryAndDisk, .onlyIfCached]
        #expect(try await load(loader, only) == (200, .disk))
        #expect(requests.count == 1)
    }

    @Test(
        "The other policies: aggressive never validates, and off stores no image", arguments: [HTTPCachePolicy.aggressive, .off])
    func theOtherPoliciesHoldForImages(_ policy: HTTPCachePolicy) async throws {
        let server = try server("max-age=0")
        defer { server.stop() }
        let loader = loader { $0.httpCachePolicy = policy }
        #expect(try await load(loader, imageRequest(server, size: Self.size)) == (200, .network))
        #expect(try await load(loader, imageRequest(server, size: Self.size)) == (200, policy == .off ? .network : .disk))
        #expect(requests.count == (policy == .off ? 2 : 1) && hasFinishedImage == (policy != .off))
    }

    @Test func anImageOfAForbiddenURLIsNotServed() async throws {
        let server = try server("max-age=600")
        defer { server.stop() }
        _ = try await load(loader(), imageRequest(server, size: Self.size))
        let failure = await #expect(throws: LoadFailure.self) {
            try await loader(.server).image(for: imageRequest(server, size: Self.size))
        }
        #expect(failure?.error?.code == .sourceForbidden)
    }
}
