import CalotypeSystem
import CalotypeTesting
import HTTPTypes
import ImageCore
import ImageNetworking
import ImageNetworkingCurl
import LoopbackHTTP
import NetworkTestKit
import Testing
import Timing

/// Each limit ends a load within a tenth of its own length.
@Suite(.timeLimit(.minutes(1)))
struct CurlLoaderTimeLimits {
    private static let limit = Duration.milliseconds(700)
    private let loader = CurlLoader()

    /// Loads the body, and returns the error that ends that in time.
    private func errorAtTheLimit(_ request: DataRequest, tolerance: Double = 0.1) async throws -> ImageError {
        var ended: ImageError?
        let taken = try await timeTaken(limit: Self.limit) {
            ended = try await imageError { _ = try await loader.body(of: request) }
        }
        #expect(taken >= Self.limit * 0.99 && taken <= Self.limit * (1 + tolerance), "It took \(taken).")
        return try #require(ended)
    }

    @Test func aSilentServerEndsAtTheTimeout() async throws {
        let server = try LoopbackServer { _, connection in connection.waitForDisconnect() }
        #expect(try await errorAtTheLimit(try server.request(timeout: Self.limit)).code == .timedOut)
        try await server.disconnections.wait(forCount: 1)
    }

    /// The timeout begins again with each part (FEATURES 3.4, 4.14).
    @Test func aSlowResponseThatMakesProgressIsComplete() async throws {
        let server = try LoopbackServer { _, connection in
            try connection.write("HTTP/1.1 200 OK\r\n")
            for number in 0..<3 {
                usleep(100_000)
                try connection.write("X-Field-\(number): a\r\n")
            }
            try connection.write("Transfer-Encoding: chunked\r\n\r\n")
            for _ in 0..<6 {
                usleep(100_000)
                try connection.writeChunk([1])
            }
            try connection.writeChunk([])
        }
        #expect(try await loader.body(of: try server.request(timeout: .milliseconds(300))).count == 6)
    }

    @Test func aRedirectIsProgress() async throws {
        let server = try LoopbackServer(serving: { request in
            usleep(200_000)
            return request.path == "/end" ? .init(200, body: [1]) : .init(302, headers: [("Location", "/end")])
        })
        #expect(try await loader.body(of: try server.request(timeout: .milliseconds(300))).count == 1)
    }

    @Test(arguments: [0, 3])
    func aStallInTheBodyEndsAtTheTimeout(_ chunks: Int) async throws {
        let server = try LoopbackServer { _, connection in
            try connection.writeHeaders(200, headers: [("Transfer-Encoding", "chunked")])
            for _ in 0..<chunks {
                try connection.writeChunk([1])
                usleep(200_000)
            }
            connection.waitForDisconnect()
        }
        let response = try await loader.load(try server.request(timeout: Self.limit))
        var received = 0
        var last = ContinuousClock.now
        let error = try await imageError {
            for try await chunk in response.body {
                received += chunk.count
                last = .now
            }
        }
        let silence = ContinuousClock.now - last
        #expect(received == chunks && error.code == .timedOut)
        #expect(silence >= Self.limit * 0.6 && silence <= Self.limit * 1.3, "It took \(silence).")
        try await server.disconnections.wait(forCount: 1)
    }

    @Test func aServerThatAcceptsNoConnectionEndsAtTheTimeout() async throws {
        let listener = try SilentListener()
        #expect(try await errorAtTheLimit(DataRequest(url: listener.url, timeout: Self.limit)).code == .timedOut)
    }

    @Test func aSilentTLSHandshakeEndsAtTheTimeout() async throws {
        let server = try LoopbackServer(connecting: { $0.waitForDisconnect() })
        let url = try #require(URL(string: "https://127.0.0.1:\(server.port)/"))
        #expect(try await errorAtTheLimit(DataRequest(url: url, timeout: Self.limit)).code == .timedOut)
    }

    /// More than the sockets hold: the request is not sent completely.
    @Test func aServerThatDoesNotReadTheRequestEndsAtTheTimeout() async throws {
        let server = try LoopbackServer(connecting: { connection in
            // Reading would be progress, and so would be the peeking of `waitForDisconnect`.
            sleep(2)
            connection.reset()
        })
        var request = try server.request(timeout: Self.limit)
        (request.method, request.body) = (.post, Data(count: mostInSockets() + (1 << 20)))
        // The silence begins when the sockets are full.
        #expect(try await errorAtTheLimit(request, tolerance: 0.5).code == .timedOut)
    }

    /// The reader, or a bandwidth limit, holds the body back (FEATURES 4.14).
    @Test(arguments: [false, true])
    func aReaderThatPausesIsNotATimeout(_ isThrottled: Bool) async throws {
        let server = try LoopbackServer(serving: { _ in .init(200, body: [UInt8](repeating: 1, count: 1_000_000)) })
        let request = try server.request(timeout: .milliseconds(200))
        if isThrottled {
            let limited = ThrottledLoader(loader, limit: BandwidthLimit(bytesPerSecond: 1_500_000))
            #expect(try await limited.body(of: request).count == 1_000_000)
        } else {
            let response = try await loader.load(request)
            try await Task.sleep(for: .milliseconds(500))
            #expect(try await response.body.collected().count == 1_000_000)
        }
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
        let loader = CurlLoader(limits: limits)
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
