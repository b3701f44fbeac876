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
            error.message == "“127.0.0.1” did not send the whole response to \(server.url("/a")) within the timeout of 0.7 s. "
                + "Raise the timeout to wait longer.")
    }

    @Test func aSlowBodyEndsAtTheTimeout() async throws {
        let server = try LoopbackServer { _, connection in try connection.trickle() }
        #expect(try await errorAtTheLimit(server) { $0.timeout = Self.limit }.code == .timedOut)
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
