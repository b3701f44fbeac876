import CalotypeTesting
import HTTPTypes
import ImageCore
import Testing

@testable import ImageNetworking

@Suite struct CircuitBreakers {
    private static let policy: CircuitBreaker.Policy = {
        var policy = CircuitBreaker.Policy()
        (policy.failures, policy.pause) = (3, .seconds(10))
        return policy
    }()

    /// Three failures in a row, at the time zero.
    private func opened() -> CircuitBreaker {
        var breaker = CircuitBreaker(Self.policy)
        for _ in 0..<3 { breaker.record(.failure, now: .zero) }
        return breaker
    }

    @Test func failuresInARowOpenIt() {
        var breaker = CircuitBreaker(Self.policy)
        for outcome in [CircuitBreaker.Outcome.failure, .failure, .success, .failure, .failure, .unknown] {
            breaker.record(outcome, now: .zero)
            #expect(breaker.decide(now: .zero) == .pass)
        }
        breaker.record(.failure, now: .zero)
        #expect(breaker.decide(now: .seconds(4)) == .refuse(for: .seconds(6)))
    }

    @Test func afterThePauseOneMayTry() {
        var breaker = opened()
        #expect(breaker.decide(now: .seconds(10)) == .pass)
        #expect(breaker.decide(now: .seconds(10)) == .refuse(for: .zero))
    }

    @Test func aTryThatSucceedsClosesItAndOneThatFailsDoesNot() {
        var breaker = opened()
        _ = breaker.decide(now: .seconds(10))
        breaker.record(.failure, now: .seconds(11))
        #expect(breaker.decide(now: .seconds(20)) == .refuse(for: .seconds(1)))
        #expect(breaker.decide(now: .seconds(21)) == .pass)
        breaker.record(.success, now: .seconds(22))
        #expect(breaker == CircuitBreaker(Self.policy))
    }

    @Test func aTryThatIsCancelledLeavesItsPlaceToTheNext() {
        var breaker = opened()
        _ = breaker.decide(now: .seconds(10))
        breaker.record(.unknown, now: .seconds(11))
        #expect(breaker.decide(now: .seconds(11)) == .pass)
    }

    @Test func aHostThatKeepsFailingIsLeftAloneAndOthersAreNot() async throws {
        let clock = ManualClock()
        let isDown = Lock(true)
        let loader = ScriptedLoader { request in
            guard request.url.host() == "down.example", isDown.withLock({ $0 }) else { return .body(Data([1])) }
            return .failure(ImageError(.connectionFailed, message: "Down."))
        }
        let breaking = CircuitBreakingLoader(loader, policy: Self.policy, clock: clock)
        let down = DataRequest(url: try #require(URL(string: "https://down.example/a")))
        let up = DataRequest(url: try #require(URL(string: "https://up.example/a")))
        for _ in 0..<3 { #expect(try await imageError { _ = try await breaking.load(down) }.code == .connectionFailed) }
        let error = try await imageError { _ = try await breaking.load(down) }
        #expect(error.code == .hostPaused)
        #expect(
            error.message
                == "“down.example” has failed too often and is not asked for https://down.example/a; the next try is in 10 s.")
        #expect(loader.requests.count == 3)
        _ = try await breaking.load(up)
        #expect(breaking.hostCount == 1)
        isDown.withLock { $0 = false }
        clock.advance(by: .seconds(10))
        _ = try await breaking.load(down)
        #expect(breaking.hostCount == 0)
    }

    @Test func aTryThatIsCancelledOrFailsForAnotherReasonKeepsNobodyAway() async throws {
        let clock = ManualClock()
        let failure = Lock<any Error>(ImageError(.connectionFailed, message: "Down."))
        let loader = ScriptedLoader { _ in .failure(failure.withLock { $0 }) }
        let breaking = CircuitBreakingLoader(loader, policy: Self.policy, clock: clock)
        let request = DataRequest(url: try #require(URL(string: "https://example.org/a")))
        for _ in 0..<3 { _ = try? await breaking.load(request) }
        clock.advance(by: .seconds(10))
        for error in [CancellationError() as any Error, ImageError(.tooLarge, message: "Too large."), CancellationError()] {
            failure.withLock { $0 = error }
            _ = try? await breaking.load(request)
        }
        #expect(loader.requests.count == 6)
    }

    @Test func overloadIsAFailureAndAMissingPictureIsNot() async throws {
        let status = Lock(503)
        let loader = ScriptedLoader { _ in .response(HTTPResponse(status: .init(code: status.withLock { $0 })), chunks: []) }
        let breaking = CircuitBreakingLoader(loader, policy: Self.policy, clock: ManualClock())
        let request = DataRequest(url: try #require(URL(string: "https://example.org/a")))
        for _ in 0..<2 { _ = try await breaking.load(request) }
        status.withLock { $0 = 404 }
        _ = try await breaking.load(request)
        status.withLock { $0 = 503 }
        for _ in 0..<3 { _ = try await breaking.load(request) }
        #expect(try await imageError { _ = try await breaking.load(request) }.code == .hostPaused)
    }
}
