import CalotypeTesting
import HTTPTypes
import ImageCore
import NetworkTestKit
import Testing

@testable import ImageNetworking

@Suite(.timeLimit(.minutes(1))) struct ResumeDeadlines {
    private let clock = RecordingClock()

    private func request() throws -> DataRequest {
        var request = DataRequest(url: try #require(URL(string: "http://a/b")), timeout: .seconds(4), retries: 100)
        request.deadline = Deadline(after: .seconds(10), clock: clock)
        return request
    }

    /// Sends 20,000 bytes of a large body for each request, and then nothing until the timeout.
    private struct Slow: DataLoading {
        let clock: RecordingClock
        var code = ImageError.Code.timedOut
        let requests = EventLog<DataRequest>()

        func load(_ request: DataRequest) async throws -> DataResponse {
            requests.append(request)
            return .interrupted(request) {
                try await clock.sleep(for: request.timeout)
                return ImageError(code, message: "It broke off.")
            }
        }
    }

    @Test func attemptsToResumeASlowBodyEndAtTheDeadline() async throws {
        let (network, store) = (Slow(clock: clock), PartialBodyStore())
        let loader = ResumingLoader(RetryingLoader(network, clock: clock), store: store)
        let request = try request()
        let error = try await imageError { _ = try await loader.body(of: request) }
        #expect(error.code == .deadlineExceeded && error.causes == ["It broke off."])
        // Each attempt has the whole timeout, the last one the remaining time.
        #expect(network.requests.events.map(\.timeout) == [.seconds(4), .seconds(4), .seconds(2)])
        #expect(clock.now.offset == .seconds(10))
        // The next load resumes.
        #expect(store.byteCount == 60_000)
    }

    @Test func noResumptionStartsAfterTheDeadline() async throws {
        let (network, store) = (Slow(clock: clock, code: .connectionLost), PartialBodyStore())
        let loader = ResumingLoader(network, store: store)
        let request = try request()
        let error = try await imageError { _ = try await loader.body(of: request) }
        #expect(error.code == .deadlineExceeded && error.causes == ["It broke off."])
        #expect(network.requests.events.map(\.timeout) == [.seconds(4), .seconds(4), .seconds(4)])
        #expect(store.byteCount == 60_000)
    }
}
