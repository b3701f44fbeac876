import CalotypeTesting
import ImageCore
import ImageNetworkingFoundation
import LoopbackHTTP
import Testing
import Timing

/// Each limit ends a load within a tenth of its own length.
@Suite(.timeLimit(.minutes(1)))
struct URLSessionTimeLimits {
    private static let limit = Duration.milliseconds(700)

    /// Loads the body, and returns the error that ends that in time.
    private func errorAtTheLimit(
        _ server: LoopbackServer, _ change: (inout DataRequest) -> Void
    ) async throws -> ImageError {
        var request = DataRequest(url: try #require(URL(string: server.url("/a"))))
        change(&request)
        var ended: ImageError?
        let taken = try await timeTaken(limit: Self.limit) {
            do {
                for try await _ in try await URLSessionLoader().load(request).body {}
            } catch let error as ImageError {
                ended = error
            }
        }
        #expect(taken >= Self.limit * 0.99 && taken <= Self.limit * 1.1, "It took \(taken).")
        return try #require(ended)
    }

    @Test func aSilentServerEndsAtTheTimeout() async throws {
        let server = try LoopbackServer { _, connection in connection.waitForDisconnect() }
        let error = try await errorAtTheLimit(server) { $0.timeout = Self.limit }
        #expect(error.code == .timedOut)
        #expect(
            error.message == "“127.0.0.1” sent nothing for 0.7 s, the timeout, before the response to \(server.url("/a")) was "
                + "complete. Raise the timeout to wait longer.")
    }

    @Test func aBodyThatStallsEndsAtTheTimeout() async throws {
        let server = try LoopbackServer { _, connection in
            try connection.writeHeaders(200, headers: [("Content-Length", "2")])
            try connection.write([1])
            connection.waitForDisconnect()
        }
        #expect(try await errorAtTheLimit(server) { $0.timeout = Self.limit }.code == .timedOut)
    }

    /// FEATURES 4.14.
    @Test func aSlowBodyThatMakesProgressIsComplete() async throws {
        let server = try LoopbackServer { _, connection in try connection.trickle(bytes: 20) }
        let url = try #require(URL(string: server.url("/a")))
        let body = try await URLSessionLoader().load(DataRequest(url: url, timeout: .milliseconds(500))).body
        var count = 0
        for try await chunk in body { count += chunk.count }
        #expect(count == 20)
    }

    @Test func aSilentServerEndsAtTheDeadline() async throws {
        let server = try LoopbackServer { _, connection in connection.waitForDisconnect() }
        #expect(try await errorAtTheLimit(server) { $0.deadline = Deadline(after: Self.limit) }.code == .deadlineExceeded)
    }

    @Test func aSlowBodyEndsAtTheDeadline() async throws {
        let server = try LoopbackServer { _, connection in try connection.trickle() }
        #expect(try await errorAtTheLimit(server) { $0.deadline = Deadline(after: Self.limit) }.code == .deadlineExceeded)
    }
}
