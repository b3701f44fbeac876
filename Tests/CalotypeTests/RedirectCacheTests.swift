import Calotype
import CalotypeTesting
import Foundation
import HTTPTypes
import LoopbackHTTP
import Testing

/// An image behind a redirect is cached as well as one without (FEATURES 5.10).
@Suite(.timeLimit(.minutes(1))) struct CachedRedirects {
    private typealias Response = LoopbackServer.Response

    private static let size = PixelSize(width: 20, height: 10)
    private let disk = LoggedDataCache()
    private let requests = EventLog<String>()

    /// A server that redirects every path but those under `/final`, where the last answer is served for its tag.
    ///
    /// - Parameters:
    ///   - targets: where the first redirects lead; the last is repeated.
    ///   - final: the fields of the image, with its entity tag.
    private func server(
        _ status: Int, _ fields: [(String, String)], to targets: [String], final: [(String, String)]
    ) throws -> LoopbackServer {
        let (png, requests) = (try servedPNG(), requests)
        let left = Lock(targets)
        let tag = final.first { $0.0 == "ETag" }?.1
        return try LoopbackServer(serving: { request in
            requests.append(request.path)
            if !request.path.hasPrefix("/final") {
                let target = left.withLock { $0.count > 1 ? $0.removeFirst() : $0[0] }
                return Response(status, headers: fields + [("Location", target)])
            }
            if let tag, request["If-None-Match"] == tag { return Response(304, headers: final) }
            return Response(200, headers: final, body: png)
        })
    }

    /// Loads an image several times. Returns the tiers.
    private func load(
        _ server: LoopbackServer, _ count: Int, storage: DiskStorage = .originalData,
        now: @escaping @Sendable (Int) -> Double = { _ in 0 }
    ) async throws -> [CacheTier] {
        let number = Lock(0)
        let loader = makeStandardLoader(disk: disk) {
            $0.options.diskStorage = storage
            $0.now = { Date().addingTimeInterval(now(number.withLock { $0 })) }
        }
        var tiers: [CacheTier] = []
        for _ in 0..<count {
            tiers.append(try await loader.response(for: imageRequest(server, size: Self.size)).tier)
            try await loader.flush()
            number.withLock { $0 += 1 }
        }
        return tiers
    }

    private static let storages: [DiskStorage] = [.originalData, .processedImages, .automatic]

    @Test("A URL with a new signature is confirmed by a strong tag", arguments: storages)
    func aStrongTagConfirms(_ storage: DiskStorage) async throws {
        let server = try server(
            302, [], to: ["/final?sig=1", "/final?sig=2", "/final?sig=3"],
            final: [("ETag", "\"v1\""), ("Cache-Control", "max-age=600")])
        defer { server.stop() }
        #expect(try await load(server, 3, storage: storage) == [.network, .disk, .disk])
        #expect(requests.count == 6)
    }

    @Test(
        "Another place, or a weak tag, confirms nothing", arguments: [("/final?sig=2", "W/\"v1\""), ("/final/other", "\"v1\"")])
    func anotherPlaceConfirmsNothing(_ target: String, _ tag: String) async throws {
        let server = try server(302, [], to: ["/final?sig=1", target], final: [("ETag", tag), ("Cache-Control", "max-age=600")])
        defer { server.stop() }
        #expect(try await load(server, 2) == [.network, .network])
    }

    @Test(
        "A redirect that may be stored is reused as long as it is fresh",
        arguments: [
            (302, ["Cache-Control": "max-age=600"], true), (307, ["Cache-Control": "private, max-age=600"], true),
            (303, ["Expires": "Fri, 31 Dec 2100 00:00:00 GMT"], true), (301, [:], true), (308, [:], true),
            (301, ["Vary": "Accept-Encoding"], true), (302, [:], false), (307, [:], false),
            (301, ["Cache-Control": "no-store"], false),
            (301, ["Cache-Control": "no-cache"], false), (301, ["Cache-Control": "max-age=0"], false),
            (302, ["Cache-Control": "max-age=600", "Age": "600"], false), (301, ["Vary": "Accept"], false),
            (301, ["Vary": "*"], false),
        ] as [(Int, [String: String], Bool)], storages)
    func aFreshRedirectIsReused(_ redirect: (Int, [String: String], Bool), _ storage: DiskStorage) async throws {
        let server = try server(
            redirect.0, redirect.1.map { ($0, $1) }, to: ["/final"],
            final: [("ETag", "\"v1\""), ("Cache-Control", "max-age=600")])
        defer { server.stop() }
        #expect(try await load(server, 3, storage: storage) == [.network, .disk, .disk])
        #expect(requests.count == (redirect.2 ? 2 : 6))
    }

    @Test("The shorter of the lifetimes holds", arguments: [(60, 600), (600, 60)], storages)
    func theShorterLifetimeHolds(_ lifetimes: (Int, Int), _ storage: DiskStorage) async throws {
        let server = try server(
            302, [("Cache-Control", "max-age=\(lifetimes.0)")], to: ["/final"],
            final: [("ETag", "\"v1\""), ("Cache-Control", "max-age=\(lifetimes.1)")])
        defer { server.stop() }
        // At 50 s both are fresh, and at 100 s one is not.
        #expect(try await load(server, 3, storage: storage) { [0, 50, 100][$0] } == [.network, .disk, .disk])
        #expect(requests.count == 4)
    }

    @Test("Of several redirects the shortest-lived counts", arguments: [true, false])
    func everyHopCounts(_ isFresh: Bool) async throws {
        let (png, requests) = (try servedPNG(), requests)
        let server = try LoopbackServer(serving: { request in
            requests.append(request.path)
            switch request.path {
            case "/image.png": return Response(301, headers: [("Location", "/second")])
            case "/second":
                return Response(302, headers: [("Location", "/final"), ("Cache-Control", isFresh ? "max-age=60" : "max-age=0")])
            default: return Response(200, headers: [("Cache-Control", "max-age=600")], body: png)
            }
        })
        defer { server.stop() }
        _ = try await load(server, 2)
        #expect(requests.count == (isFresh ? 3 : 6))
    }

    @Test("Only-if-cached finds what is behind a redirect", arguments: storages)
    func cacheOnlyFindsIt(_ storage: DiskStorage) async throws {
        let server = try server(
            302, [("Cache-Control", "max-age=600")], to: ["/final"], final: [("Cache-Control", "max-age=600")])
        defer { server.stop() }
        _ = try await load(server, 1, storage: storage)
        let loader = makeStandardLoader(disk: disk) { $0.options.diskStorage = storage }
        var request = imageRequest(server, size: Self.size)
        request.options.cachePolicy = .cacheOnly
        #expect(try await loader.response(for: request).tier == .disk)
    }
}
