import CalotypeTesting
import ImageCore
import NetworkTestKit
import Testing

@Suite struct AttemptLimits {
    private func request(_ clock: ManualClock, timeout: Int, deadline: Int?) throws -> DataRequest {
        var request = DataRequest(
            url: try #require(URL(string: "https://example.org/a.png")), timeout: .seconds(timeout))
        request.deadline = deadline.map { Deadline(after: .seconds($0), clock: clock) }
        return request
    }

    @Test func anAttemptEndsAtItsTimeoutWhenTheDeadlineIsLater() throws {
        let limit = try AttemptLimit(try request(ManualClock(), timeout: 30, deadline: 60))
        #expect(limit.duration == .seconds(30))
        #expect(limit.error.code == .timedOut)
        #expect(
            limit.error.message
                == "“example.org” did not send the whole response to https://example.org/a.png within the timeout of 30 s. "
                + "Raise the timeout to wait longer.")
    }

    @Test func anAttemptEndsAtTheDeadlineWhenThatIsSooner() throws {
        let clock = ManualClock()
        let request = try request(clock, timeout: 30, deadline: 60)
        clock.advance(by: .seconds(50))
        let limit = try AttemptLimit(request)
        #expect(limit.duration == .seconds(10))
        // Loads that join a fetch may move its deadline: then only the attempt has ended.
        #expect(limit.error.code == .timedOut)
        clock.advance(by: .seconds(10))
        #expect(limit.error.code == .deadlineExceeded)
        #expect(
            limit.error.message
                == "The load of https://example.org/a.png did not end within its deadline of 60 s. Raise the deadline to wait longer."
        )
    }

    @Test func withoutADeadlineTheTimeoutIsTheLimit() throws {
        let request = try request(ManualClock(), timeout: 30, deadline: nil)
        #expect(try AttemptLimit(request).duration == .seconds(30))
        #expect(try request.timeUntilDeadline() == nil)
    }

    @Test func noAttemptStartsAfterTheDeadline() throws {
        let clock = ManualClock()
        let request = try request(clock, timeout: 30, deadline: 60)
        clock.advance(by: .seconds(60))
        #expect(throws: ImageError.self) { try AttemptLimit(request) }
        #expect(throws: ImageError.self) { try request.timeUntilDeadline() }
    }

    @Test func aTimeoutAtTheDeadlineIsReportedAsTheDeadline() throws {
        let clock = ManualClock()
        let request = try request(clock, timeout: 30, deadline: 60)
        let (late, lost) = (ImageError(.timedOut, message: "Late."), ImageError(.connectionLost, message: "Lost."))
        #expect(request.replacingTimeoutAtDeadline(late) as? ImageError == late)
        clock.advance(by: .seconds(60))
        let named = request.replacingTimeoutAtDeadline(late) as? ImageError
        #expect(named?.code == .deadlineExceeded && named?.causes == ["Late."])
        #expect(request.replacingTimeoutAtDeadline(lost) as? ImageError == lost)
    }
}
