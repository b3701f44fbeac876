import CalotypeTesting
import HTTPTypes
import ImageCore
import NetworkTestKit
import Testing

@testable import ImageNetworking

@Suite(.timeLimit(.minutes(1))) struct RetryDeadlines {
    private let clock = RecordingClock()

    private func request(deadline: Int, retries: Int? = nil) throws -> DataRequest {
        var request = DataRequest(url: try #require(URL(string: "http://a/b")), timeout: .seconds(3), retries: retries)
        request.deadline = Deadline(after: .seconds(deadline), clock: clock)
        return request
    }

    private func loader(_ network: any DataLoading, _ policy: RetryPolicy = .default) -> RetryingLoader {
        RetryingLoader(network, policy: policy, clock: clock, random: { 0.5 }, now: { 0 })
    }

    /// Sends nothing until the timeout of each request.
    private struct Silent: DataLoading {
        let clock: RecordingClock
        let timeouts = EventLog<Duration>()

        func load(_ request: DataRequest) async throws -> DataResponse {
            timeouts.append(request.timeout)
            try await clock.sleep(for: request.timeout)
            throw ImageError(.timedOut, message: "Nothing came.")
        }
    }

    @Test func endlessRetriesEndAtTheDeadline() async throws {
        let network = ScriptedLoader { _ in .failure(ImageError(.connectionLost, message: "Lost.")) }
        let policy = RetryPolicy(maximumRetries: 100, baseDelay: .milliseconds(200), multiplier: 1)
        let error = try await imageError { _ = try await loader(network, policy).load(try request(deadline: 10)) }
        #expect(error.code == .connectionLost)
        #expect(error.causes.last == "attempt 51 was not made: its delay of 0.2 s ends after the deadline of 10 s")
        #expect((.seconds(9)...(.seconds(10))).contains(clock.now.offset))
    }

    @Test func attemptsWithoutAResponseEndAtTheDeadline() async throws {
        let network = Silent(clock: clock)
        let error = try await imageError { _ = try await loader(network).load(try request(deadline: 10)) }
        #expect(error.code == .deadlineExceeded)
        #expect(error.causes == ["attempt 1: Nothing came.", "attempt 2: Nothing came.", "Nothing came."])
        // Two whole attempts, waits of 1 s and 2 s, and the remaining time.
        #expect(network.timeouts.events == [.seconds(3), .seconds(3), .seconds(1)])
        #expect(clock.now.offset == .seconds(10))
    }

    @Test func aResponseIsReturnedAtOnceWhenItsRetryCouldNotStartInTime() async throws {
        let network = ScriptedLoader { _ in .response(HTTPResponse(status: 503, headerFields: [.retryAfter: "8"]), chunks: []) }
        #expect(try await loader(network).load(try request(deadline: 5)).head.status == 503)
        #expect(network.requests.count == 1 && clock.slept.isEmpty)
    }

    @Test func aRequestWhoseDeadlineHasPassedIsNotSent() async throws {
        let network = ScriptedLoader { _ in .body(Data([1])) }
        let error = try await imageError { _ = try await loader(network).load(try request(deadline: 0)) }
        #expect(error.code == .deadlineExceeded && network.requests.isEmpty)
    }

    @Test func withoutADeadlineEachAttemptHasTheWholeTimeout() async throws {
        let network = Silent(clock: clock)
        var endless = try request(deadline: 1, retries: 2)
        endless.deadline = nil
        let request = endless
        #expect(try await imageError { _ = try await loader(network).load(request) }.code == .timedOut)
        #expect(network.timeouts.events == [.seconds(3), .seconds(3), .seconds(3)])
    }
}
