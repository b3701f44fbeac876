import Calotype
import CalotypeTesting
import Foundation
import LoopbackHTTP
import Testing

/// The lifetime that a load sets combines with that of the response (FEATURES 1.21).
@Suite(.timeLimit(.minutes(1))) struct DiskLifetimes {
    private let requests = EventLog<String?>()

    /// Loads an image after 0, 50, 100 and 110 s.
    private func load(
        _ control: String, lifetime: Int?, _ storage: DiskStorage, _ policy: HTTPCachePolicy = .standard
    ) async throws -> [CacheTier] {
        let (png, requests) = (try servedPNG(), requests)
        let time = Lock(0.0)
        let server = try LoopbackServer(serving: { request in
            requests.append(request["If-None-Match"])
            let fields = [("ETag", "\"v1\""), ("Cache-Control", control)]
            return request["If-None-Match"] == nil ? .init(200, headers: fields, body: png) : .init(304, headers: fields)
        })
        defer { server.stop() }
        let loader = makeStandardLoader(disk: LoggedDataCache()) {
            $0.options.diskStorage = storage
            $0.httpCachePolicy = policy
            $0.now = { Date().addingTimeInterval(time.withLock { $0 }) }
        }
        var request = imageRequest(server, size: PixelSize(width: 20, height: 10))
        request.options.diskLifetime = lifetime.map { .seconds($0) }
        var tiers: [CacheTier] = []
        // The engine dates a finished image by the system's clock, so that a later load would see the time jump.
        for seconds in [0.0, 50, 100] + (storage == .originalData ? [110] : []) {
            time.withLock { $0 = seconds }
            tiers.append(try await loader.response(for: request).tier)
            try await loader.flush()
        }
        return tiers
    }

    private static let storages: [DiskStorage] = [.originalData, .processedImages]

    @Test(arguments: storages, ["max-age=600", "max-age=600, immutable", "max-age=20, stale-while-revalidate=600"])
    func anOlderResponseIsRevalidated(_ storage: DiskStorage, _ control: String) async throws {
        #expect(try await load(control, lifetime: 30, storage).prefix(3) == [.network, .disk, .disk])
        #expect(requests.events == [nil, "\"v1\"", "\"v1\""])
    }

    @Test(arguments: storages)
    func theShorterLifetimeHolds(_ storage: DiskStorage) async throws {
        _ = try await load("max-age=600", lifetime: 80, storage)
        #expect(requests.events == [nil, "\"v1\""])
        _ = try await load("max-age=80", lifetime: 600, storage)
        #expect(requests.events == [nil, "\"v1\"", nil, "\"v1\""])
        _ = try await load("max-age=600", lifetime: nil, storage)
        #expect(requests.events.count == 5)
    }

    @Test func itHoldsWhereThePolicyUsesResponsesOfAnyAge() async throws {
        _ = try await load("max-age=0", lifetime: 80, .originalData, .aggressive)
        #expect(requests.events == [nil, "\"v1\""])
    }
}
