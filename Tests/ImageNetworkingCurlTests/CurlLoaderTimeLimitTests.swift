import CalotypeTesting
import ImageCore
import ImageNetworkingCurl
import LoopbackHTTP
import NetworkTestKit
import Testing
import Timing

/// Each limit ends a load within a tenth of its own length.
@Suite(.timeLimit(.minutes(1)))
struct CurlLoaderTimeLimits {
    private static let limit = Duration.milliseconds(700)
    private let loader = CurlLoader(.withoutIdleTimeout)

    /// Loads the body, and returns the error that ends that in time.
    private func errorAtTheLimit(_ request: DataRequest) async throws -> ImageError {
        var ended: ImageError?
        let taken = try await timeTaken(limit: Self.limit) {
            ended = try await imageError { _ = try await loader.body(of: request) }
        }
        #expect(taken >= Self.limit * 0.99 && taken <= Self.limit * 1.1, "It took \(taken).")
        return try #require(ended)
    }

    @Test func aSilentServerEndsAtTheTimeout() async throws {
        let server = try LoopbackServer { _, connection in connection.waitForDisconnect() }
        #expect(try await errorAtTheLimit(try server.request(timeout: Self.limit)).code == .timedOut)
        try await server.disconnections.wait(forCount: 1)
    }

    @Test func aSlowBodyEndsAtTheTimeout() async throws {
        let server = try LoopbackServer { _, connection in try connection.trickle() }
        #expect(try await errorAtTheLimit(try server.request(timeout: Self.limit)).code == .timedOut)
        try await server.disconnections.wait(forCount: 1)
    }

    @Test func aSilentServerEndsAtTheDeadline() async throws {
        let server = try LoopbackServer { _, connection in connection.waitForDisconnect() }
        var request = try server.request("/a")
        request.deadline = Deadline(after: Self.limit)
        let error = try await errorAtTheLimit(request)
        #expect(error.code == .deadlineExceeded)
        #expect(
            error.message
                == "The load of \(server.url("/a")) did not end within its deadline of 0.7 s. Raise the deadline to wait longer.")
        try await server.disconnections.wait(forCount: 1)
    }

    @Test func aSlowBodyEndsAtTheDeadline() async throws {
        let server = try LoopbackServer { _, connection in try connection.trickle() }
        var request = try server.request()
        request.deadline = Deadline(after: Self.limit)
        #expect(try await errorAtTheLimit(request).code == .deadlineExceeded)
        try await server.disconnections.wait(forCount: 1)
    }

    @Test(arguments: [ImageError.Code.timedOut, .deadlineExceeded])
    func aTransferThatWaitsForAConnectionEndsAtItsLimit(_ code: ImageError.Code) async throws {
        let gate = try LoopbackServer.Gate()
        let server = try LoopbackServer { request, connection in
            if request.target == "/first" { try connection.wait(for: gate) }
            try connection.respond(LoopbackServer.Response(200))
        }
        var limits = CurlLoader.Limits()
        limits.connectionsPerHost = 1
        let loader = CurlLoader(.withoutIdleTimeout, limits: limits)
        let first = try server.request("/first")
        let running = Task { try await loader.body(of: first) }
        try await server.requests.wait(forCount: 1)
        var request = try server.request("/second")
        if code == .timedOut { request.timeout = Self.limit } else { request.deadline = Deadline(after: Self.limit) }
        var ended: ImageError?
        let taken = try await timeTaken(limit: Self.limit) {
            ended = try await imageError { _ = try await loader.load(request) }
        }
        #expect(taken >= Self.limit * 0.99 && taken <= Self.limit * 1.1, "It took \(taken).")
        #expect(ended?.code == code && ended?.causes == ["It waited for a connection."])
        gate.open()
        #expect(try await running.value.isEmpty)
        // The connection is free for the next one.
        _ = try await loader.body(of: try server.request("/third"))
        #expect(server.requests.value == 2 && server.connections.value == 1)
    }

    @Test func aRequestWhoseDeadlineHasPassedIsNotSent() async throws {
        let server = try LoopbackServer(serving: { _ in .init(200) })
        var late = try server.request()
        late.deadline = Deadline(after: .zero)
        let request = late
        #expect(try await imageError { _ = try await loader.load(request) }.code == .deadlineExceeded)
        #expect(server.connections.value == 0)
    }
}
