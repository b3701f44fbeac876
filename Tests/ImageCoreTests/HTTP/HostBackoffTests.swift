import Testing

@testable import ImageCore

/// Pauses of 1, 2 and 4 s after three failures.
private let policy: HostBackoff.Policy = {
    var policy = HostBackoff.Policy()
    policy.failureThreshold = 3
    (policy.baseDelay, policy.maximumDelay) = (.seconds(1), .seconds(4))
    return policy
}()

@Suite struct HostBackoffs {
    private struct MustWait: Error {}

    private func ticket(of backoff: inout HostBackoff, at now: Duration = .zero) throws -> HostBackoff.Ticket {
        guard case .send(let ticket) = backoff.decide(now: now) else { throw MustWait() }
        return ticket
    }

    private func end(_ outcome: HostBackoff.Outcome, at now: Duration = .zero, _ backoff: inout HostBackoff) throws {
        let ticket = try ticket(of: &backoff, at: now)
        backoff.release(ticket)
        backoff.record(outcome, of: ticket, now: now)
    }

    @Test func theHostGetsNoRequestInThePauseForWhichItAsked() throws {
        var backoff = HostBackoff(policy)
        try end(.refused(.seconds(10)), &backoff)
        #expect(backoff.decide(now: .seconds(4)) == .pause(.seconds(6)))
        _ = try ticket(of: &backoff, at: .seconds(10))
        #expect(backoff.decide(now: .seconds(10)) == .queue(.seconds(4)))
    }

    @Test func afterAPauseEachSuccessAllowsOneMoreRequestAtATime() throws {
        var backoff = HostBackoff(policy)
        try end(.refused(.seconds(10)), &backoff)
        for count in 1...32 {
            let tickets = try (0..<count).map { _ in try ticket(of: &backoff, at: .seconds(10)) }
            #expect(backoff.decide(now: .seconds(10)) == .queue(.seconds(4)))
            for ticket in tickets { backoff.release(ticket) }
            #expect(!backoff.isAtRest)
            backoff.record(.success, of: tickets[0], now: .seconds(10))
        }
        #expect(backoff.isAtRest)
        for _ in 0..<100 { _ = try ticket(of: &backoff, at: .seconds(10)) }
    }

    @Test func aRequestThatHangsHoldsOthersForTheLongestDelay() throws {
        var backoff = HostBackoff(policy)
        try end(.refused(.seconds(10)), &backoff)
        let hanging = try ticket(of: &backoff, at: .seconds(10))
        #expect(backoff.decide(now: .seconds(13)) == .queue(.seconds(1)))
        try end(.success, at: .seconds(14), &backoff)
        backoff.release(hanging)
        for _ in 0..<2 { _ = try ticket(of: &backoff, at: .seconds(14)) }
        #expect(backoff.decide(now: .seconds(14)) == .queue(.seconds(4)))
    }

    @Test func failuresInARowPauseTheHostForDelaysThatDoubleUpToTheMaximum() throws {
        var backoff = HostBackoff(policy)
        for outcome in [HostBackoff.Outcome.failure, .failure, .success, .failure, .unknown, .failure] {
            try end(outcome, &backoff)
        }
        #expect(!backoff.isFailing)
        var now = Duration.zero
        for delay in [1, 2, 4, 4] {
            try end(.failure, at: now, &backoff)
            #expect(backoff.isFailing)
            #expect(backoff.decide(now: now) == .pause(.seconds(delay)))
            now += .seconds(delay)
        }
        try end(.success, at: now, &backoff)
        #expect(!backoff.isFailing)
        // The next outage begins with the first delay.
        for _ in 0..<3 { try end(.failure, at: now, &backoff) }
        #expect(backoff.decide(now: now) == .pause(.seconds(1)))
    }

    @Test func aRequestThatEndsWithoutAnOutcomeMakesRoomForTheNext() throws {
        var backoff = HostBackoff(policy)
        try end(.refused(.seconds(10)), &backoff)
        try end(.unknown, at: .seconds(10), &backoff)
        _ = try ticket(of: &backoff, at: .seconds(10))
    }

    @Test(arguments: [HostBackoff.Outcome.success, .failure, .unknown, .refused(.seconds(1))])
    func aRequestFromBeforeThePauseDoesNotChangeIt(_ late: HostBackoff.Outcome) throws {
        var backoff = HostBackoff(policy)
        let old = try (0..<2).map { _ in try ticket(of: &backoff) }
        try end(.refused(.seconds(10)), &backoff)
        var expected = backoff
        backoff.release(old[0])
        backoff.record(late, of: old[0], now: .seconds(5))
        #expect(backoff == expected)
        let trial = try ticket(of: &backoff, at: .seconds(10))
        backoff.release(old[1])
        _ = expected.decide(now: .seconds(10))
        #expect(backoff == expected)
        backoff.release(trial)
        backoff.record(.success, of: trial, now: .seconds(11))
        _ = try ticket(of: &backoff, at: .seconds(11))
    }

    @Test func theLongestPauseForWhichAHostAsksCounts() throws {
        var backoff = HostBackoff(policy)
        let old = try ticket(of: &backoff)
        try end(.refused(.seconds(10)), &backoff)
        backoff.release(old)
        backoff.record(.refused(.seconds(20)), of: old, now: .seconds(1))
        #expect(backoff.decide(now: .seconds(10)) == .pause(.seconds(11)))
    }

    @Test func aLateRefusalPausesAHostThatHasRecovered() throws {
        var backoff = HostBackoff(policy)
        let old = try ticket(of: &backoff)
        try end(.refused(.seconds(1)), &backoff)
        for _ in 0..<32 { try end(.success, at: .seconds(1), &backoff) }
        #expect(backoff.isAtRest)
        backoff.record(.refused(.seconds(5)), of: old, now: .seconds(2))
        #expect(!backoff.isAtRest)
        #expect(backoff.decide(now: .seconds(2)) == .pause(.seconds(5)))
    }

    /// Otherwise a request would be sent in a loop.
    @Test func refusalsWithoutAPauseAreFollowedByGrowingOnes() throws {
        var backoff = HostBackoff(policy)
        var now = Duration.zero
        for delay in [1, 2, 4, 4] {
            try end(.refused(.zero), at: now, &backoff)
            #expect(backoff.decide(now: now) == .pause(.seconds(delay)))
            now += .seconds(delay)
        }
    }
}
