import CalotypeTesting
import ImageCore
import NetworkTestKit
import Testing

@Suite(.timeLimit(.minutes(1))) struct AttemptTimers {
    private func request(_ clock: ManualClock, timeout: Int, deadline: Int?) throws -> DataRequest {
        var request = DataRequest(
            url: try #require(URL(string: "https://example.org/a.png")), timeout: .seconds(timeout))
        request.deadline = deadline.map { Deadline(after: .seconds($0), clock: clock) }
        return request
    }

    @Test func anAttemptEndsAfterItsTimeoutWithoutProgress() async throws {
        let clock = ManualClock()
        let timer = try AttemptTimer(try request(clock, timeout: 30, deadline: nil), clock: clock)
        let error = Task { try await timer.waitForLimit() }
        await clock.waitForSleeps(1)
        clock.advance(by: .seconds(20))
        timer.noteProgress()
        clock.advance(by: .seconds(20))
        await clock.waitForSleeps(2)
        // A reader that holds the body back.
        timer.setPaused(true)
        clock.advance(by: .seconds(60))
        await clock.waitForSleeps(3)
        timer.setPaused(false)
        clock.advance(by: .seconds(30))
        let ended = try await error.value
        #expect(clock.requestedSleeps == [.seconds(30), .seconds(10), .seconds(30)])
        #expect(ended.code == .timedOut)
        #expect(
            ended.message == "“example.org” sent nothing for 30 s, the timeout, before the response to https://example.org/a.png "
                + "was complete. Raise the timeout to wait longer.")
    }

    @Test func anAttemptEndsAtTheDeadlineWhateverItsProgress() async throws {
        let clock = ManualClock()
        let request = try request(clock, timeout: 30, deadline: 60)
        let timer = try AttemptTimer(request, clock: clock)
        let error = Task { try await timer.waitForLimit() }
        for (count, seconds) in [(1, 25), (2, 20)] {
            await clock.waitForSleeps(count)
            clock.advance(by: .seconds(seconds))
            timer.noteProgress()
            clock.advance(by: .seconds(5))
        }
        await clock.waitForSleeps(3)
        clock.advance(by: .seconds(5))
        let ended = try await error.value
        #expect(clock.requestedSleeps == [.seconds(30), .seconds(25), .seconds(5)])
        #expect(ended.code == .deadlineExceeded)
        #expect(
            ended.message
                == "The load of https://example.org/a.png did not end within its deadline of 60 s. Raise the deadline to wait longer."
        )
    }

    @Test func theTimeoutOfAnAttemptIsAtMostTheTimeUntilTheDeadline() throws {
        let clock = ManualClock()
        let request = try request(clock, timeout: 30, deadline: 60)
        #expect(try request.withTimeoutUntilDeadline().timeout == .seconds(30))
        clock.advance(by: .seconds(50))
        #expect(try request.withTimeoutUntilDeadline().timeout == .seconds(10))
        clock.advance(by: .seconds(10))
        #expect(throws: ImageError.self) { try request.withTimeoutUntilDeadline() }
        #expect(throws: ImageError.self) { try request.timeUntilDeadline() }
        #expect(throws: ImageError.self) { try AttemptTimer(request) }
        let unlimited = try self.request(clock, timeout: 30, deadline: nil)
        #expect(try unlimited.withTimeoutUntilDeadline().timeout == .seconds(30))
        #expect(try unlimited.timeUntilDeadline() == nil)
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
