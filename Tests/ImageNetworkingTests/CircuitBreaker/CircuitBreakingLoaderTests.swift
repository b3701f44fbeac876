import CalotypeTesting
import HTTPTypes
import ImageCore
import LoopbackHTTP
import NetworkTestKit
import Testing

@testable import ImageNetworking

private let policy: CircuitBreaker.Policy = {
    var policy = CircuitBreaker.Policy()
    (policy.failureThreshold, policy.openDuration) = (3, .seconds(10))
    return policy
}()

/// Responds with 200 and the bodies of the test.
private struct Bodies: DataLoading {
    let body: @Sendable () -> ByteStream

    func load(_ request: DataRequest) async throws -> DataResponse { DataResponse(url: request.url, body: body()) }
}

/// Holds each request, and reports it.
private struct Hold {
    let reached: LoopbackServer.Gate
    let gate = CalotypeTesting.Gate()

    init() throws { reached = try LoopbackServer.Gate() }

    func pass() async throws {
        reached.open()
        try await gate.pass()
    }
}

/// A chunk, and then an end or an error.
private func body(_ end: ImageError.Code?, onEnd: @escaping @Sendable () async throws -> Void = {}) -> ByteStream {
    let chunks = Lock([Data([1])])
    return ByteStream {
        if let chunk = chunks.withLock({ $0.popLast() }) { return chunk }
        try await onEnd()
        if let end { throw ImageError(end, message: "Not the end.") }
        return nil
    }
}

@Suite(.timeLimit(.minutes(1))) struct CircuitBreakingLoaders {
    private func request(_ path: String = "/a") throws -> DataRequest {
        DataRequest(url: try #require(URL(string: "https://example.org\(path)")))
    }

    /// Whether requests to the host are paused.
    private func isPaused(_ breaking: CircuitBreakingLoader) async throws -> Bool {
        do { _ = try await breaking.load(try request()) } catch let error as ImageError { return error.code == .hostPaused }
        return false
    }

    @Test func requestsToAFailingHostArePausedAndOthersAreNot() async throws {
        let clock = ManualClock()
        let isDown = Lock(true)
        let loader = ScriptedLoader { request in
            guard request.url.host() == "down.example", isDown.withLock({ $0 }) else { return .body(Data([1])) }
            return .failure(ImageError(.connectionFailed, message: "Down."))
        }
        let breaking = CircuitBreakingLoader(loader, policy: policy, clock: clock)
        let down = DataRequest(url: try #require(URL(string: "https://down.example/a")))
        let up = DataRequest(url: try #require(URL(string: "https://up.example/a")))
        for _ in 0..<3 { #expect(try await imageError { _ = try await breaking.load(down) }.code == .connectionFailed) }
        let error = try await imageError { _ = try await breaking.load(down) }
        #expect(error.code == .hostPaused)
        #expect(
            error.message
                == "https://down.example/a was not requested: “down.example” has failed too often; the next attempt is in 10 s.")
        #expect(loader.requests.count == 3)
        _ = try await breaking.load(up)
        #expect(breaking.hostCount == 1)
        isDown.withLock { $0 = false }
        clock.advance(by: .seconds(10))
        _ = try await breaking.load(down)
        #expect(breaking.hostCount == 0)
    }

    @Test func aCancelledOrUnrelatedFailureOfTheTrialBlocksNoRequest() async throws {
        let clock = ManualClock()
        let failure = Lock<any Error>(ImageError(.connectionFailed, message: "Down."))
        let loader = ScriptedLoader { _ in .failure(failure.withLock { $0 }) }
        let breaking = CircuitBreakingLoader(loader, policy: policy, clock: clock)
        let request = DataRequest(url: try #require(URL(string: "https://example.org/a")))
        for _ in 0..<3 { _ = try? await breaking.load(request) }
        clock.advance(by: .seconds(10))
        for error in [CancellationError() as any Error, ImageError(.tooLarge, message: "Too large."), CancellationError()] {
            failure.withLock { $0 = error }
            _ = try? await breaking.load(request)
        }
        #expect(loader.requests.count == 6)
    }

    @Test func overloadIsAFailureAndAMissingImageIsNot() async throws {
        let status = Lock(503)
        let loader = ScriptedLoader { _ in .response(HTTPResponse(status: .init(code: status.withLock { $0 })), chunks: []) }
        let breaking = CircuitBreakingLoader(loader, policy: policy, clock: ManualClock())
        let request = DataRequest(url: try #require(URL(string: "https://example.org/a")))
        for _ in 0..<2 { _ = try await breaking.load(request) }
        status.withLock { $0 = 404 }
        _ = try await breaking.load(request)
        status.withLock { $0 = 503 }
        for _ in 0..<3 { _ = try await breaking.load(request) }
        #expect(try await imageError { _ = try await breaking.load(request) }.code == .hostPaused)
    }

    @Test func requestsToAHostThatBreaksEveryBodyArePaused() async throws {
        let ends = Lock<[ImageError.Code?]>([.connectionLost, .timedOut, nil, .connectionLost, .timedOut, .connectionLost])
        let loader = Bodies { body(ends.withLock { $0.isEmpty ? nil : $0.removeFirst() }) }
        let breaking = CircuitBreakingLoader(loader, policy: policy, clock: ManualClock())
        for index in 0..<6 {
            let response = try await breaking.load(try request())
            #expect(breaking.hostCount == 1)
            if index == 2 {
                // A complete body is a success.
                #expect(try await response.body.collected() == Data([1]))
                #expect(breaking.hostCount == 0)
            } else {
                _ = try await imageError { _ = try await response.body.collected() }
            }
        }
        #expect(try await isPaused(breaking))
    }

    @Test func theTrialEndsWithItsBody() async throws {
        let end = Lock<ImageError.Code?>(.connectionLost)
        let clock = ManualClock()
        let breaking = CircuitBreakingLoader(Bodies { body(end.withLock { $0 }) }, policy: policy, clock: clock)
        for _ in 0..<3 { _ = try? await breaking.load(try request()).body.collected() }
        clock.advance(by: .seconds(10))
        end.withLock { $0 = nil }
        let response = try await breaking.load(try request())
        let error = try await imageError { _ = try await breaking.load(try request()) }
        #expect(error.message == "https://example.org/a was not requested: “example.org” has failed too often; an attempt runs.")
        #expect(try await response.body.collected() == Data([1]))
        #expect(breaking.hostCount == 0)
    }

    @Test func aTrialWhoseBodyIsDroppedAllowsAnotherTrial() async throws {
        let (clock, hold) = (ManualClock(), try Hold())
        let end = Lock<ImageError.Code?>(.connectionLost)
        let loader = Bodies { body(end.withLock { $0 }) { if end.withLock({ $0 == nil }) { try await hold.pass() } } }
        let breaking = CircuitBreakingLoader(loader, policy: policy, clock: clock)
        for _ in 0..<3 { _ = try? await breaking.load(try request()).body.collected() }
        clock.advance(by: .seconds(10))
        end.withLock { $0 = nil }
        #expect(try await !isPaused(breaking))
        let request = try request()
        let reader = Task { try await breaking.load(request).body.collected() }
        try await hold.reached.waitUntilOpen()
        #expect(try await isPaused(breaking))
        reader.cancel()
        await #expect(throws: CancellationError.self) { try await reader.value }
        #expect(try await !isPaused(breaking))
        // The trial has no result yet.
        #expect(breaking.hostCount == 1)
    }

    @Test func aRequestFromBeforeThePauseDoesNotEndTheTrial() async throws {
        let (clock, first, second) = (ManualClock(), try Hold(), try Hold())
        let loader = ScriptedLoader { request in
            switch request.url.path {
            case "/first": .forward(Bodies { body(nil) { try await first.pass() } })
            case "/second": .forward(Bodies { body(nil) { try await second.pass() } })
            default: .failure(ImageError(.connectionFailed, message: "Down."))
            }
        }
        let breaking = CircuitBreakingLoader(loader, policy: policy, clock: clock)
        let (early, late) = (try request("/first"), try request("/second"))
        let old = Task { try await breaking.load(early).body.collected() }
        try await first.reached.waitUntilOpen()
        for _ in 0..<3 { _ = try? await breaking.load(try request()) }
        clock.advance(by: .seconds(10))
        let probe = Task { try await breaking.load(late).body.collected() }
        try await second.reached.waitUntilOpen()
        old.cancel()
        await #expect(throws: CancellationError.self) { try await old.value }
        #expect(try await isPaused(breaking))
        second.gate.open()
        _ = try await probe.value
        #expect(breaking.hostCount == 0)
    }

    /// An old response must not meet a new circuit breaker that confuses it with a newer request.
    @Test func aRecoveredHostIsRememberedWhileOldRequestsRun() async throws {
        let (clock, hold) = (ManualClock(), try Hold())
        let fails = Lock(true)
        let loader = ScriptedLoader { request in
            if request.url.path == "/held" { return .forward(Bodies { body(.connectionLost) { try await hold.pass() } }) }
            return fails.withLock { $0 } ? .failure(ImageError(.connectionFailed, message: "Down.")) : .body(Data([1]))
        }
        let breaking = CircuitBreakingLoader(loader, policy: policy, clock: clock)
        let held = try request("/held")
        let old = Task { try await breaking.load(held).body.collected() }
        try await hold.reached.waitUntilOpen()
        for _ in 0..<3 { _ = try? await breaking.load(try request()) }
        clock.advance(by: .seconds(10))
        fails.withLock { $0 = false }
        _ = try await breaking.load(try request())
        #expect(breaking.hostCount == 1)
        hold.gate.open()
        _ = try await imageError { _ = try await old.value }
        #expect(breaking.hostCount == 0)
    }

    @Test(arguments: [true, false])
    func aTimeoutCausedByTheReaderIsNoFailureOfTheHost(_ isReaderSlow: Bool) async throws {
        let clock = ManualClock()
        let loader = Bodies { body(.timedOut) { if !isReaderSlow { clock.advance(by: .milliseconds(20)) } } }
        let breaking = CircuitBreakingLoader(loader, policy: policy, clock: clock)
        for _ in 0..<3 {
            var iterator = try await breaking.load(try request()).body.makeAsyncIterator()
            _ = try await iterator.next()
            clock.advance(by: .milliseconds(isReaderSlow ? 20 : 10))
            _ = try await imageError { _ = try await iterator.next() }
        }
        #expect(try await isPaused(breaking) == !isReaderSlow)
    }

    @Test(arguments: [ImageError.Code.timedOut, .deadlineExceeded])
    func aTimeoutCountsAsAFailureAndADeadlineDoesNot(_ code: ImageError.Code) async throws {
        let early = CircuitBreakingLoader(
            ScriptedLoader { _ in .failure(ImageError(code, message: "Late.")) }, policy: policy, clock: ManualClock())
        let inBody = CircuitBreakingLoader(Bodies { body(code) }, policy: policy, clock: ManualClock())
        for breaking in [early, inBody] {
            for _ in 0..<3 { _ = try? await breaking.load(try request()).body.collected() }
            #expect(breaking.hostCount == (code == .timedOut ? 1 : 0))
        }
    }

    @Test func aCompleteBodyIsReturnedUnchanged() async throws {
        let whole = CircuitBreakingLoader(ScriptedLoader { _ in .body(Data([1, 2])) })
        #expect(try await whole.load(try request()).body.wholeData == Data([1, 2]))
        #expect(whole.hostCount == 0)
    }
}
