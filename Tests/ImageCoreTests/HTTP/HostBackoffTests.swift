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
    private func end(_ outcome: HostBackoff.Outcome, at now: Duration = .zero, _ backoff: inout HostBackoff) {
        backoff.record(outcome, sent: now, now: now)
    }

    @Test func theHostGetsNoRequestInThePauseForWhichItAsked() {
        var backoff = HostBackoff(policy)
        #expect(backoff.pause(at: .zero) == nil)
        end(.refused(.seconds(10)), &backoff)
        #expect(backoff.pause(at: .seconds(4)) == .seconds(6))
        #expect(backoff.pause(at: .seconds(10)) == nil)
    }

    @Test func failuresInARowPauseTheHostForDelaysThatDoubleUpToTheMaximum() {
        var backoff = HostBackoff(policy)
        for outcome in [HostBackoff.Outcome.failure, .failure, .success, .failure, .unknown, .failure] { end(outcome, &backoff) }
        #expect(!backoff.isFailing && backoff.pause(at: .zero) == nil)
        var now = Duration.seconds(1)
        for delay in [1, 2, 4, 4] {
            end(.failure, at: now, &backoff)
            #expect(backoff.isFailing)
            #expect(backoff.pause(at: now) == .seconds(delay))
            now += .seconds(delay)
        }
        end(.success, at: now, &backoff)
        #expect(!backoff.isFailing && backoff.isAtRest(at: now))
        // The next outage begins with the first delay.
        for _ in 0..<3 { end(.failure, at: now, &backoff) }
        #expect(backoff.pause(at: now) == .seconds(1))
    }

    @Test(arguments: [HostBackoff.Outcome.success, .failure, .unknown, .refused(.seconds(1))])
    func aRequestFromBeforeThePauseDoesNotChangeIt(_ late: HostBackoff.Outcome) {
        var backoff = HostBackoff(policy)
        backoff.record(.refused(.seconds(10)), sent: .zero, now: .seconds(1))
        for sent in [Duration.zero, .seconds(1)] { backoff.record(late, sent: sent, now: .seconds(5)) }
        #expect(backoff.pause(at: .seconds(5)) == .seconds(6))
        #expect(!backoff.isAtRest(at: .seconds(5)))
    }

    /// Of requests that were sent together, those that fail may end first (FEATURES 4.13).
    @Test func aHostThatAnswersMostRequestsIsNotPausedAgainAndAgain() {
        var backoff = HostBackoff(policy)
        for _ in 0..<3 { end(.failure, &backoff) }
        backoff.record(.failure, sent: .seconds(1), now: .seconds(2))
        #expect(backoff.pause(at: .seconds(2)) == .seconds(2))
        backoff.record(.success, sent: .seconds(1), now: .seconds(3))
        #expect(backoff.pause(at: .seconds(3)) == .seconds(1))
        for _ in 0..<2 { end(.failure, at: .seconds(4), &backoff) }
        #expect(!backoff.isFailing && backoff.pause(at: .seconds(4)) == nil)
    }

    @Test func theLongestPauseForWhichAHostAsksCounts() {
        var backoff = HostBackoff(policy)
        backoff.record(.refused(.seconds(10)), sent: .zero, now: .zero)
        backoff.record(.refused(.seconds(20)), sent: .zero, now: .seconds(1))
        #expect(backoff.pause(at: .seconds(10)) == .seconds(11))
    }

    @Test func aLateRefusalPausesAHostThatHasRecovered() {
        var backoff = HostBackoff(policy)
        backoff.record(.refused(.seconds(1)), sent: .zero, now: .zero)
        end(.success, at: .seconds(1), &backoff)
        #expect(backoff.isAtRest(at: .seconds(1)))
        backoff.record(.refused(.seconds(5)), sent: .zero, now: .seconds(2))
        #expect(!backoff.isAtRest(at: .seconds(2)))
        #expect(backoff.pause(at: .seconds(2)) == .seconds(5))
    }

    /// Otherwise a request would be sent in a loop.
    @Test func refusalsWithoutAPauseAreFollowedByGrowingOnes() {
        var backoff = HostBackoff(policy)
        var now = Duration.zero
        for delay in [1, 2, 4, 4] {
            end(.refused(.zero), at: now, &backoff)
            #expect(backoff.pause(at: now) == .seconds(delay))
            now += .seconds(delay)
        }
    }
}
