import Calotype
import CalotypeTesting
import Foundation
import HTTPTypes
import LoopbackHTTP
import Testing

/// A stale image is served after the first failed attempt, or after two seconds of silence, while the
/// retries go on in the background (FEATURES 5.12).
@Suite(.timeLimit(.minutes(1))) struct StaleImagesStandIn {
    private typealias Response = LoopbackServer.Response

    /// How the server answers the second and all later requests.
    enum Trouble: CaseIterable, Sendable {
        case refused, closed, silent, unavailable, brokenBody, stoppedBody
    }

    private let disk = LoggedDataCache()
    private let clock = ManualClock()

    private func loader(_ storage: DiskStorage = .originalData, retryDelay: Duration = .seconds(600)) -> ImageLoader {
        makeStandardLoader(disk: disk) {
            $0.options.diskStorage = storage
            $0.retryPolicy = RetryPolicy(maximumRetries: 3, baseDelay: retryDelay, multiplier: 1)
            $0.hostBackoff = nil
            $0.clock = clock
        }
    }

    /// Serves an image once; then fails.
    private func server(_ trouble: Trouble, _ control: String, _ gate: LoopbackServer.Gate? = nil) throws -> LoopbackServer {
        let png = try servedPNG()
        let served = Lock(false)
        return try LoopbackServer { _, connection in
            let isFirst = served.withLock { served in
                defer { served = true }
                return !served
            }
            // Without a validator a broken transfer is not resumed.
            let headers = [("Cache-Control", control)]
            if isFirst { return try connection.respond(Response(200, headers: headers, body: png)) }
            switch trouble {
            case .refused, .closed: connection.close()
            case .silent: connection.waitForDisconnect()
            case .unavailable: try connection.respond(Response(503))
            case .brokenBody, .stoppedBody:
                try connection.writeHeaders(200, headers: headers + [("Content-Length", "\(png.count)")])
                if trouble == .stoppedBody, let gate { try connection.wait(for: gate) }
                try connection.write(Array(png.prefix(png.count / 2)))
                if trouble == .brokenBody { connection.close() } else { connection.waitForDisconnect() }
            }
        }
    }

    @Test(arguments: Trouble.allCases, [DiskStorage.originalData, .automatic])
    func theStoredImageIsShownAfterOneAttempt(_ trouble: Trouble, _ storage: DiskStorage) async throws {
        let gate = try LoopbackServer.Gate()
        let server = try server(trouble, "max-age=0, stale-if-error=600", gate)
        defer { server.stop() }
        let loader = loader(storage)
        let request = imageRequest(server, size: PixelSize(width: 20, height: 10))
        _ = try await loader.image(for: request)
        try await loader.flush()
        if trouble == .refused { server.stop() }
        let task = loader.task(for: request)
        if trouble == .silent || trouble == .stoppedBody {
            await clock.waitForSleeps(1)
            try await server.requests.wait(forCount: 2)
            if trouble == .stoppedBody {
                gate.open()
                for await event in task.events { if case .progress = event { break } }
                clock.advance(by: .seconds(2))
                // Something arrived in those two seconds, so that two others begin.
                await clock.waitForSleeps(2)
            }
            clock.advance(by: .seconds(2))
        }
        #expect(try await task.response.tier == .disk)
        // The request that was sent, and the first one of the revalidation in the background.
        if trouble != .refused { try await server.requests.wait(forCount: 3) }
        // The transport itself sends a request again whose reused connection is closed.
        #expect(trouble == .refused || server.requests.value <= (trouble == .closed ? 4 : 3))
    }

    /// The requests that reach the host after the first image, until the stale one is delivered and in all: a retry
    /// never delays the image. A body that breaks is not requested again from its start.
    @Test(arguments: [(Trouble.refused, 0, 0), (.unavailable, 1, 5), (.silent, 1, 5), (.brokenBody, 1, 2)])
    func theRequestsToATroubledHostAreCounted(_ trouble: Trouble, untilDelivered: Int, inAll: Int) async throws {
        // Holds the requests after the one that fails, so that none of them is needed for the image.
        let held = try LoopbackServer.Gate()
        let number = Lock(0)
        let png = try servedPNG()
        let server = try LoopbackServer { _, connection in
            let request = number.withLock { number in
                number += 1
                return number
            }
            let headers = [("Cache-Control", "max-age=0, stale-if-error=600")]
            if request == 1 { return try connection.respond(Response(200, headers: headers, body: png)) }
            if request > 1 + untilDelivered { try connection.wait(for: held) }
            switch trouble {
            case .unavailable: try connection.respond(Response(503))
            case .silent: connection.waitForDisconnect()
            default:
                try connection.writeHeaders(200, headers: headers + [("Content-Length", "\(png.count)")])
                try connection.write(Array(png.prefix(png.count / 2)))
                connection.close()
            }
        }
        defer { server.stop() }
        let loader = loader(retryDelay: .zero)
        var request = imageRequest(server)
        _ = try await loader.image(for: request)
        try await loader.flush()
        if trouble == .refused { server.stop() }
        // The transport measures it with the system's clock.
        if trouble == .silent { request.options.timeout = .milliseconds(200) }
        #expect(try await loader.response(for: request).tier == .disk)
        held.open()
        while loader.activity != ImageLoader.Activity() { await Task.yield() }
        #expect(server.requests.value == 1 + inAll)
    }

    @Test(
        "A stale image that must not be served waits for the retries, and then fails", arguments: ["must-revalidate", "no-cache"])
    func aForbiddenStaleImageDoesNotStandIn(_ directive: String) async throws {
        let server = try server(.closed, "max-age=0, \(directive)")
        defer { server.stop() }
        let loader = loader(retryDelay: .zero)
        _ = try await loader.image(for: imageRequest(server))
        try await loader.flush()
        let failure = await #expect(throws: LoadFailure.self) { try await loader.image(for: imageRequest(server)) }
        #expect(failure?.error?.code == .connectionLost && server.requests.value >= 5)
    }

    @Test("A status after which no stale image may be served is retried", arguments: [500, 503, 404])
    func aStatusIsNoFailureToReachTheServer(_ status: Int) async throws {
        let png = try servedPNG()
        let answers = Lock([200, status, status])
        let server = try LoopbackServer { _, connection in
            let next = answers.withLock { $0.isEmpty ? 200 : $0.removeFirst() }
            try connection.respond(Response(next, headers: [("Cache-Control", "max-age=0")], body: next == 200 ? png : []))
        }
        defer { server.stop() }
        let loader = loader(retryDelay: .zero)
        _ = try await loader.image(for: imageRequest(server))
        try await loader.flush()
        if status == 404 {
            await #expect(throws: LoadFailure.self) { try await loader.image(for: imageRequest(server)) }
            #expect(server.requests.value == 2)
        } else {
            #expect(try await loader.response(for: imageRequest(server)).tier == .network)
            #expect(server.requests.value == 4)
        }
    }

    @Test("The retries go on in the background, and bring the new image", arguments: [DiskStorage.originalData, .automatic])
    func theRetriesGoOn(_ storage: DiskStorage) async throws {
        let (old, new) = (try servedPNG(red: 1), try servedPNG(red: 2))
        let count = Lock(0)
        let server = try LoopbackServer { _, connection in
            let number = count.withLock { count in
                count += 1
                return count
            }
            if (2...4).contains(number) { return connection.close() }
            let headers = [("Cache-Control", number == 1 ? "max-age=0" : "max-age=600")]
            try connection.respond(Response(200, headers: headers, body: number == 1 ? old : new))
        }
        defer { server.stop() }
        let loader = loader(storage, retryDelay: .zero)
        let request = imageRequest(server, size: PixelSize(width: 20, height: 10))
        func red() async throws -> UInt8 { TestImages.pixel(of: try await loader.image(for: request), x: 0, y: 0)[0] }
        #expect(try await red() == 1)
        try await loader.flush()
        #expect(try await red() == 1)
        try await server.requests.wait(forCount: 5)
        while loader.activity != ImageLoader.Activity() { await Task.yield() }
        try await loader.flush()
        #expect(try await red() == 2)
    }

    @Test func aStaleImageDoesNotWaitForASlot() async throws {
        let server = try server(.silent, "max-age=0")
        defer { server.stop() }
        let loader = loader()
        _ = try await loader.image(for: imageRequest(server))
        try await loader.flush()
        let others = (0..<6).map { loader.task(for: imageRequest(server, "/other\($0)")) }
        try await server.requests.wait(forCount: 7)
        async let response = loader.response(for: imageRequest(server))
        await clock.waitForSleeps(1)
        clock.advance(by: .seconds(2))
        #expect(try await response.tier == .disk)
        #expect(server.requests.value == 7)
        for task in others { task.cancel() }
        try await server.requests.wait(forCount: 8)
    }

    @Test func aSlowImageThatArrivesIsWaitedFor() async throws {
        let (old, new) = (try servedPNG(red: 1), try servedPNG(red: 2))
        let gates = [try LoopbackServer.Gate(), try LoopbackServer.Gate()]
        let served = Lock(false)
        let server = try LoopbackServer { _, connection in
            let isFirst = served.withLock { served in
                defer { served = true }
                return !served
            }
            let headers = [("Cache-Control", "max-age=0")]
            if isFirst { return try connection.respond(Response(200, headers: headers, body: old)) }
            try connection.writeHeaders(200, headers: headers + [("Content-Length", "\(new.count)")])
            try connection.wait(for: gates[0])
            try connection.write(Array(new.prefix(10)))
            try connection.wait(for: gates[1])
            try connection.write(Array(new.dropFirst(10)))
        }
        defer { server.stop() }
        let loader = loader()
        _ = try await loader.image(for: imageRequest(server))
        try await loader.flush()
        let task = loader.task(for: imageRequest(server))
        await clock.waitForSleeps(1)
        gates[0].open()
        for await event in task.events { if case .progress = event { break } }
        clock.advance(by: .seconds(2))
        // Something arrived in those two seconds, so that two others begin.
        await clock.waitForSleeps(2)
        gates[1].open()
        let response = try await task.response
        #expect(response.tier == .network && TestImages.pixel(of: response.image, x: 0, y: 0)[0] == 2)
        #expect(server.requests.value == 2)
    }
}
