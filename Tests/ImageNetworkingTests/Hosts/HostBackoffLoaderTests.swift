import CCalotypeHeapUsage
import CalotypeTesting
import HTTPTypes
import ImageCore
import ImageNetworkingCurl
import LoopbackHTTP
import NetworkTestKit
import Testing

@testable import ImageNetworking

/// Pauses of 10 s after three failures.
private let policy: HostBackoff.Policy = {
    var policy = HostBackoff.Policy()
    policy.failureThreshold = 3
    (policy.baseDelay, policy.maximumDelay) = (.seconds(10), .seconds(10))
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

private func url(_ text: String = "https://example.org/a") throws -> URL { try #require(URL(string: text)) }

private func refusal(_ retryAfter: String, status: Int = 429) -> ScriptedLoader.Reply {
    .response(HTTPResponse(status: .init(code: status), headerFields: [.retryAfter: retryAfter]), chunks: [])
}

/// Hosts that limit the rate of requests.
@Suite(.timeLimit(.minutes(1))) struct RateLimitedHosts {
    private let clock = ManualClock()

    private func backoff(_ loader: any DataLoading, random: Double = 0) -> HostBackoffLoader {
        HostBackoffLoader(loader, policy: HostBackoff.Policy(), clock: clock, random: { random })
    }

    /// Refuses the first request, and accepts the others.
    private func refusingFirst(_ retryAfter: String, status: Int = 429) -> ScriptedLoader {
        let isFirst = Lock(true)
        return ScriptedLoader { _ in
            let isFirst = isFirst.withLock { isFirst in
                defer { isFirst = false }
                return isFirst
            }
            return isFirst ? refusal(retryAfter, status: status) : .body(Data([1]))
        }
    }

    /// Up to a tenth longer at random, but not beyond the longest wait.
    @Test(arguments: [("7", 0.5, 7.35), ("7", 1, 7.7), ("58", 1, 60)])
    func clientsDoNotReturnAtTheSameTime(_ retryAfter: String, random: Double, seconds: Double) async throws {
        let loader = backoff(refusingFirst(retryAfter), random: random)
        let request = DataRequest(url: try url())
        let load = Task { try await loader.load(request) }
        await clock.waitForSleeps(1)
        let wait = try #require(clock.requestedSleeps.first)
        #expect(abs(wait / .seconds(1) - seconds) < 1e-6)
        clock.advance(by: .seconds(60))
        #expect(try await load.value.head.status == 200)
    }

    @Test(arguments: [429, 503])
    func allRequestsToAHostWaitForTheTimeInRetryAfter(_ status: Int) async throws {
        let network = refusingFirst("7", status: status)
        let loader = backoff(network)
        let (same, other) = (DataRequest(url: try url()), DataRequest(url: try url("https://other.example/a")))
        let first = Task { try await loader.load(same) }
        await clock.waitForSleeps(1)
        let second = Task { try await loader.load(same) }
        await clock.waitForSleeps(2)
        #expect(try await loader.load(other).head.status == 200)
        #expect(clock.requestedSleeps.first == .seconds(7))
        clock.advance(by: .milliseconds(6999))
        #expect(network.requests.count == 2)
        clock.advance(by: .milliseconds(1))
        #expect(try await first.value.head.status == 200)
        #expect(try await second.value.head.status == 200)
        #expect(network.requests.count == 4)
    }

    @Test func aWaitIsNoAttempt() async throws {
        let network = refusingFirst("7")
        let loader = RetryingLoader(backoff(network), clock: clock)
        let request = DataRequest(url: try url(), retries: 0)
        let task = Task { try await loader.load(request) }
        await clock.waitForSleeps(1)
        clock.advance(by: .seconds(7))
        let response = try await task.value
        #expect(response.head.status == 200 && response.retries == 0)
    }

    /// Ten requests a second, and six loads at a time: each gets its image, with few requests beyond those of the first
    /// second.
    @Test func allLoadsFromAHostThatLimitsTheirRateSucceed() async throws {
        let (count, atATime, clock, finished) = (300, 6, StepClock(), EventLog<Int>())
        let seconds = Lock<[Int64: Int]>([:])
        let network = ScriptedLoader { _ in
            let second = clock.now.offset.components.seconds
            let number = seconds.withLock { seconds in
                seconds[second, default: 0] += 1
                return seconds[second, default: 0]
            }
            return number > 10 ? refusal("1") : .body(Data([1]))
        }
        let loader = RetryingLoader(
            HostBackoffLoader(network, policy: HostBackoff.Policy(), clock: clock, random: { 0.5 }),
            clock: clock)
        let workers = (0..<atATime).map { worker in
            Task {
                defer { finished.append(worker) }
                for index in stride(from: worker, to: count, by: atATime) {
                    let response = try await loader.load(DataRequest(url: try url("https://example.org/\(index)")))
                    #expect(response.head.status == 200 && response.retries == 0)
                }
            }
        }
        while finished.events.count < atATime {
            try Task.checkCancellation()
            clock.advance(whenAsleep: atATime - finished.events.count, within: .seconds(10))
            await Task.yield()
        }
        for worker in workers { try await worker.value }
        #expect(network.requests.count < 600)
        #expect(clock.now.offset < .seconds(40))
    }

    /// The same over real connections.
    @Test func aServerThatLimitsTheRateAnswersEveryLoad() async throws {
        let seconds = Lock<(start: ContinuousClock.Instant, count: Int)>((.now, 0))
        let server = try LoopbackServer(serving: { _ in
            let isAllowed = seconds.withLock { seconds in
                if seconds.start.duration(to: .now) >= .seconds(1) { seconds = (.now, 0) }
                seconds.count += 1
                return seconds.count <= 10
            }
            return isAllowed ? .init(200, body: [1]) : .init(429, headers: [("Retry-After", "1")])
        })
        let loader = RetryingLoader(HostBackoffLoader(CurlLoader()))
        try await withThrowingTaskGroup { group in
            for index in 0..<30 {
                let request = try server.request("/\(index)")
                group.addTask { try await loader.load(request) }
            }
            for try await response in group { #expect(response.head.status == 200 && response.retries == 0) }
        }
    }

    @Test func aCancelledWaitEndsAtOnceAndHoldsNoOtherRequest() async throws {
        let network = refusingFirst("7")
        let loader = backoff(network)
        let request = DataRequest(url: try url())
        let first = Task { try await loader.load(request) }
        await clock.waitForSleeps(1)
        let second = Task { try await loader.load(request) }
        await clock.waitForSleeps(2)
        first.cancel()
        await #expect(throws: CancellationError.self) { try await first.value }
        clock.advance(by: .seconds(7))
        #expect(try await second.value.head.status == 200)
        #expect(network.requests.count == 2)
    }

    @Test func aPauseBeyondTheDeadlineIsNotWaitedFor() async throws {
        let network = refusingFirst("7")
        let loader = RetryingLoader(backoff(network), clock: clock)
        var request = DataRequest(url: try url())
        request.deadline = Deadline(after: .seconds(6), clock: clock)
        #expect(try await loader.load(request).head.status == .tooManyRequests)
        let error = try await imageError { [request] in _ = try await loader.load(request) }
        #expect(error.code == .hostPaused)
        #expect(
            error.message
                == "https://example.org/a was not requested: “example.org” limits its requests or keeps failing, and the load may "
                + "not wait longer. Try again later.")
        #expect(network.requests.count == 1 && clock.requestedSleeps.isEmpty)
    }

    @Test func theAttemptAfterAWaitEndsAtTheDeadline() async throws {
        let network = refusingFirst("7")
        let loader = backoff(network)
        var request = DataRequest(url: try url(), timeout: .seconds(5))
        request.deadline = Deadline(after: .seconds(8), clock: clock)
        let task = Task { [request] in try await loader.load(request) }
        await clock.waitForSleeps(1)
        clock.advance(by: .seconds(7))
        _ = try await task.value
        #expect(network.requests.map(\.timeout) == [.seconds(5), .seconds(1)])
    }

    /// Otherwise one response could block a host for a year.
    @Test(arguments: ["21", "61", "99999999999999999999"])
    func aPauseBeyondTheLongestWaitIsTheResultAndHoldsNoOtherRequest(_ retryAfter: String) async throws {
        let network = refusingFirst(retryAfter)
        var policy = HostBackoff.Policy()
        policy.maximumWait = .seconds(20)
        let loader = RetryingLoader(HostBackoffLoader(network, policy: policy, clock: clock), clock: clock)
        let request = DataRequest(url: try url())
        #expect(try await loader.load(request).head.status == .tooManyRequests)
        #expect(try await loader.load(request).head.status == 200)
        #expect(clock.requestedSleeps.isEmpty)
    }

    @Test func aHostThatRefusesEveryRequestEndsALoadAfterTheLongestWait() async throws {
        let network = ScriptedLoader { _ in refusal("25") }
        let loader = RetryingLoader(backoff(network), clock: clock)
        let request = DataRequest(url: try url())
        let task = Task { try await loader.load(request) }
        for count in 1...2 {
            await clock.waitForSleeps(count)
            clock.advance(by: .seconds(25))
        }
        #expect(try await task.value.head.status == .tooManyRequests)
        #expect(network.requests.count == 3)
    }

    @Test func aRequestThatIsNotIdempotentIsNotSentAgain() async throws {
        let network = refusingFirst("7")
        let request = DataRequest(url: try url(), method: .post)
        #expect(try await backoff(network).load(request).head.status == .tooManyRequests)
    }

    /// While it waits, a refused request must not hold the connection of its unread response.
    @Test func theBodyOfARefusalIsReleasedBeforeTheWait() async throws {
        let held = HeldBodies(HTTPResponse(status: .tooManyRequests, headerFields: [.retryAfter: "7"]), HTTPResponse(status: .ok))
        let loader = backoff(held)
        let request = DataRequest(url: try url())
        let task = Task { try await loader.load(request) }
        await clock.waitForSleeps(1)
        #expect(held.count == 0)
        clock.advance(by: .seconds(7))
        _ = try await task.value
        #expect(held.atRequests == [0, 0])
    }

    /// The system keeps a sleep that is cancelled until its time has come, which here would be in a minute.
    @Test(.enabled(if: clt_heap_bytes() > 0)) func cancelledWaitsLeaveNoMemory() async throws {
        let clock = AnyClock(ContinuousClock())
        let before = clt_heap_bytes()
        let result: Void? = try await clock.value(within: .milliseconds(500)) {
            try await withThrowingTaskGroup { group in
                for _ in 0..<20_000 { group.addTask { try await clock.sleep(for: .seconds(60)) } }
                try await group.waitForAll()
            }
        }
        #expect(result == nil)
        let limit = clock.now + .seconds(10)
        while clt_heap_bytes() > before + 6_000_000, clock.now < limit { await Task.yield() }
        #expect(clt_heap_bytes() <= before + 6_000_000, "20,000 sleeps take 15 MB.")
    }

    @Test func aRetryAfterWithAnotherStatusPausesNoHost() async throws {
        let network = refusingFirst("7", status: 404)
        let loader = backoff(network)
        let request = DataRequest(url: try url())
        #expect(try await loader.load(request).head.status == .notFound)
        #expect(try await loader.load(request).head.status == 200)
    }
}

/// Hosts that keep failing.
@Suite(.timeLimit(.minutes(1))) struct FailingHosts {
    private let clock = ManualClock()

    private func request(_ path: String = "/a") throws -> DataRequest {
        DataRequest(url: try url("https://example.org\(path)"))
    }

    private func backoff(_ loader: any DataLoading) -> HostBackoffLoader {
        HostBackoffLoader(loader, policy: policy, clock: clock)
    }

    /// Whether a request to the host has to wait.
    private func isPaused(_ backoff: HostBackoffLoader) async throws -> Bool {
        var request = try request()
        request.deadline = Deadline(after: .seconds(1), clock: clock)
        do { _ = try await backoff.load(request) } catch let error as ImageError { return error.code == .hostPaused }
        return false
    }

    @Test func aFailingHostGetsRequestsOnlyAfterPausesAndOthersAreNotSlower() async throws {
        let isDown = Lock(true)
        let loader = ScriptedLoader { request in
            guard request.url.host() == "down.example", isDown.withLock({ $0 }) else { return .body(Data([1])) }
            return .failure(ImageError(.connectionFailed, message: "Down."))
        }
        let backoff = backoff(loader)
        let down = DataRequest(url: try url("https://down.example/a"))
        for _ in 0..<3 { #expect(try await imageError { _ = try await backoff.load(down) }.code == .connectionFailed) }
        let waiting = Task { try await backoff.load(down) }
        await clock.waitForSleeps(1)
        #expect(loader.requests.count == 3)
        #expect(clock.requestedSleeps == [.seconds(10)])
        _ = try await backoff.load(DataRequest(url: try url("https://up.example/a")))
        clock.advance(by: .seconds(10))
        #expect(try await imageError { _ = try await waiting.value }.code == .connectionFailed)
        let next = Task { try await backoff.load(down) }
        await clock.waitForSleeps(2)
        isDown.withLock { $0 = false }
        clock.advance(by: .seconds(10))
        #expect(try await next.value.head.status == 200)
        #expect(try await backoff.load(down).head.status == 200)
        #expect(clock.requestedSleeps.count == 2)
    }

    @Test func aCancelledOrUnrelatedFailureAfterAPauseBlocksNoRequest() async throws {
        let failure = Lock<any Error>(ImageError(.connectionFailed, message: "Down."))
        let loader = ScriptedLoader { _ in .failure(failure.withLock { $0 }) }
        let backoff = backoff(loader)
        for _ in 0..<3 { _ = try? await backoff.load(try request()) }
        clock.advance(by: .seconds(10))
        for error in [CancellationError() as any Error, ImageError(.tooLarge, message: "Too large."), CancellationError()] {
            failure.withLock { $0 = error }
            _ = try? await backoff.load(try request())
        }
        #expect(loader.requests.count == 6)
    }

    @Test func overloadIsAFailureAndAMissingImageIsNot() async throws {
        let status = Lock(503)
        let loader = ScriptedLoader { _ in .response(HTTPResponse(status: .init(code: status.withLock { $0 })), chunks: []) }
        let backoff = backoff(loader)
        for _ in 0..<2 { _ = try await backoff.load(try request()) }
        status.withLock { $0 = 404 }
        _ = try await backoff.load(try request())
        status.withLock { $0 = 503 }
        for _ in 0..<3 { _ = try await backoff.load(try request()) }
        #expect(try await isPaused(backoff))
    }

    @Test func aHostThatBreaksEveryBodyIsPaused() async throws {
        // A complete body is a success.
        let ends = Lock<[ImageError.Code?]>([.connectionLost, .timedOut, nil, .connectionLost, .timedOut, .connectionLost])
        let loader = Bodies { body(ends.withLock { $0.isEmpty ? nil : $0.removeFirst() }) }
        let backoff = backoff(loader)
        for _ in 0..<6 {
            _ = try? await backoff.load(try request()).body.collected()
        }
        #expect(try await isPaused(backoff))
    }

    @Test func theSuccessOfARequestIsThatOfItsBody() async throws {
        let end = Lock<ImageError.Code?>(.connectionLost)
        let backoff = backoff(Bodies { body(end.withLock { $0 }) })
        for _ in 0..<3 { _ = try? await backoff.load(try request()).body.collected() }
        clock.advance(by: .seconds(10))
        _ = try? await backoff.load(try request()).body.collected()
        #expect(try await isPaused(backoff))
        clock.advance(by: .seconds(10))
        end.withLock { $0 = nil }
        #expect(try await backoff.load(try request()).body.collected() == Data([1]))
        #expect(try await !isPaused(backoff))
    }

    /// A reader may wait for an image of another request.
    @Test func aBodyThatIsNotReadHoldsNoOtherRequest() async throws {
        let end = Lock<ImageError.Code?>(.connectionLost)
        let backoff = backoff(Bodies { body(end.withLock { $0 }) })
        for _ in 0..<3 { _ = try? await backoff.load(try request()).body.collected() }
        clock.advance(by: .seconds(10))
        end.withLock { $0 = nil }
        let unread = try await backoff.load(try request())
        #expect(try await !isPaused(backoff))
        #expect(try await unread.body.collected() == Data([1]))
    }

    @Test func aRequestFromBeforeThePauseDoesNotEndIt() async throws {
        let first = try Hold()
        let loader = ScriptedLoader { request in
            request.url.path == "/first"
                ? .forward(Bodies { body(nil) { try await first.pass() } })
                : .failure(ImageError(.connectionFailed, message: "Down."))
        }
        let backoff = backoff(loader)
        let early = try request("/first")
        let old = Task { try await backoff.load(early).body.collected() }
        try await first.reached.waitUntilOpen()
        for _ in 0..<3 { _ = try? await backoff.load(try request()) }
        first.gate.open()
        #expect(try await old.value == Data([1]))
        #expect(try await isPaused(backoff))
    }

    @Test(arguments: [ImageError.Code.timedOut, .deadlineExceeded])
    func aTimeoutCountsAsAFailureAndADeadlineDoesNot(_ code: ImageError.Code) async throws {
        let early = backoff(ScriptedLoader { _ in .failure(ImageError(code, message: "Late.")) })
        let inBody = backoff(Bodies { body(code) })
        for backoff in [early, inBody] {
            for _ in 0..<3 { _ = try? await backoff.load(try request()).body.collected() }
            #expect(try await isPaused(backoff) == (code == .timedOut))
        }
    }

    @Test func aCompleteBodyIsReturnedUnchanged() async throws {
        let whole = HostBackoffLoader(ScriptedLoader { _ in .body(Data([1, 2])) })
        #expect(try await whole.load(try request()).body.wholeData == Data([1, 2]))
    }
}
