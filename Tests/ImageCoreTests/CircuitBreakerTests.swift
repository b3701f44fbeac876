import ImageCore
import Testing

private let policy: CircuitBreaker.Policy = {
    var policy = CircuitBreaker.Policy()
    (policy.failureThreshold, policy.openDuration) = (3, .seconds(10))
    return policy
}()

@Suite struct CircuitBreakers {
    private typealias Outcome = CircuitBreaker.Outcome

    private func ticket(of breaker: inout CircuitBreaker, at now: Duration = .zero) throws -> CircuitBreaker.Ticket {
        guard case .allow(let ticket) = breaker.decide(now: now) else { throw Expected.allow }
        return ticket
    }

    private enum Expected: Error {
        case allow
    }

    /// A breaker that three failures at the time zero have opened, and a ticket from before.
    private func opened() throws -> (CircuitBreaker, old: CircuitBreaker.Ticket) {
        var breaker = CircuitBreaker(policy)
        let old = try ticket(of: &breaker)
        for _ in 0..<3 { breaker.record(.failure, of: try ticket(of: &breaker), now: .zero) }
        return (breaker, old)
    }

    @Test func consecutiveFailuresOpenTheBreaker() throws {
        var breaker = CircuitBreaker(policy)
        for outcome in [Outcome.failure, .failure, .success, .failure, .failure, .unknown] {
            breaker.record(outcome, of: try ticket(of: &breaker), now: .zero)
        }
        breaker.record(.failure, of: try ticket(of: &breaker), now: .zero)
        #expect(breaker.decide(now: .seconds(4)) == .reject(retryAfter: .seconds(6)))
    }

    @Test func afterTheOpenDurationOneTrialIsAllowed() throws {
        var (breaker, _) = try opened()
        _ = try ticket(of: &breaker, at: .seconds(10))
        #expect(breaker.decide(now: .seconds(10)) == .reject(retryAfter: .zero))
    }

    @Test func aSuccessfulTrialClosesTheBreakerAndAFailedOneDoesNot() throws {
        var (breaker, _) = try opened()
        breaker.record(.failure, of: try ticket(of: &breaker, at: .seconds(10)), now: .seconds(11))
        #expect(breaker.decide(now: .seconds(20)) == .reject(retryAfter: .seconds(1)))
        breaker.record(.success, of: try ticket(of: &breaker, at: .seconds(21)), now: .seconds(22))
        #expect(breaker.isAtRest)
    }

    @Test func afterACancelledTrialTheNextRequestIsTheTrial() throws {
        var (breaker, _) = try opened()
        breaker.record(.unknown, of: try ticket(of: &breaker, at: .seconds(10)), now: .seconds(11))
        _ = try ticket(of: &breaker, at: .seconds(11))
        #expect(breaker.decide(now: .seconds(11)) == .reject(retryAfter: .zero))
    }

    @Test func aTrialThatDoesNotEndIsReplacedByAnother() throws {
        var (breaker, _) = try opened()
        let first = try ticket(of: &breaker, at: .seconds(10))
        #expect(breaker.decide(now: .seconds(19)) == .reject(retryAfter: .zero))
        let second = try ticket(of: &breaker, at: .seconds(20))
        breaker.record(.unknown, of: first, now: .seconds(21))
        #expect(breaker.decide(now: .seconds(21)) == .reject(retryAfter: .zero))
        breaker.record(.success, of: second, now: .seconds(22))
        #expect(breaker.isAtRest)
    }

    @Test(arguments: [CircuitBreaker.Outcome.success, .failure, .unknown])
    func aRequestFromBeforeTheBreakerOpenedChangesNothing(_ late: CircuitBreaker.Outcome) throws {
        var (breaker, old) = try opened()
        breaker.record(late, of: old, now: .seconds(9))
        #expect(breaker.decide(now: .seconds(9)) == .reject(retryAfter: .seconds(1)))
        let trial = try ticket(of: &breaker, at: .seconds(10))
        breaker.record(late, of: old, now: .seconds(11))
        #expect(breaker.decide(now: .seconds(11)) == .reject(retryAfter: .zero))
        breaker.record(.success, of: trial, now: .seconds(12))
        #expect(breaker.isAtRest)
        breaker.record(late, of: old, now: .seconds(13))
        #expect(breaker.isAtRest)
    }

    @Test func theOpenDurationDoublesWithEveryFailedTrialUpToItsLimit() throws {
        var policy = policy
        policy.maximumOpenDuration = .seconds(30)
        var breaker = CircuitBreaker(policy)
        for _ in 0..<3 { breaker.record(.failure, of: try ticket(of: &breaker), now: .zero) }
        #expect(breaker.isOpen)
        var now = Duration.seconds(10)
        for duration in [20, 30, 30] {
            breaker.record(.failure, of: try ticket(of: &breaker, at: now), now: now)
            #expect(breaker.decide(now: now) == .reject(retryAfter: .seconds(duration)))
            now += .seconds(duration)
        }
        breaker.record(.success, of: try ticket(of: &breaker, at: now), now: now)
        #expect(breaker.isAtRest)
        // The next outage begins with the first duration.
        for _ in 0..<3 { breaker.record(.failure, of: try ticket(of: &breaker, at: now), now: now) }
        #expect(breaker.decide(now: now) == .reject(retryAfter: .seconds(10)))
    }
}
