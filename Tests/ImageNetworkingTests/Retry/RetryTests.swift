import CalotypeTesting
import HTTPTypes
import ImageCore
import NetworkTestKit
import Testing

@testable import ImageNetworking

@Suite struct RetryDecisions {
    private func decision(
        _ policy: RetryPolicy, _ outcome: RetryPolicy.Outcome, attempt: Int = 1, retries: Int? = nil,
        method: HTTPRequest.Method = .get,
        random: Double = 0.5
    ) -> RetryPolicy.Decision {
        policy.decision(after: outcome, method: method, attempt: attempt, allowedRetries: retries, random: random)
    }

    /// The delays of all retries that the policy allows.
    private func delays(_ policy: RetryPolicy, retries: Int? = nil) -> [Duration] {
        var delays: [Duration] = []
        while case .retry(let delay) = decision(
            policy, .failure(.connectionLost), attempt: delays.count + 1, retries: retries)
        {
            delays.append(delay)
        }
        return delays
    }

    @Test func theDefaultRetriesThreeTimesAfterDelaysThatDouble() {
        #expect(delays(.default) == [.seconds(1), .seconds(2), .seconds(4)])
    }

    @Test func theAggressivePolicyRetriesFiveTimes() {
        let expected = [500_000, 750_000, 1_125_000, 1_687_500, 2_531_250].map { Duration.microseconds($0) }
        #expect(delays(.aggressive) == expected)
    }

    @Test func theConservativePolicyRetriesTwice() {
        #expect(delays(.conservative) == [.seconds(2), .seconds(6)])
    }

    @Test(arguments: [RetryPolicy.default, .aggressive, .conservative], [0, 1, 5, 9])
    func theRetriesOfTheRequestWinOverThoseOfThePolicy(_ policy: RetryPolicy, _ retries: Int) {
        #expect(delays(policy, retries: retries).count == retries)
    }

    @Test func jitterSpreadsTheDelayBothWays() {
        #expect(decision(.default, .failure(.timedOut), random: 0) == .retry(after: .milliseconds(750)))
        #expect(decision(.default, .failure(.timedOut), random: 1) == .retry(after: .milliseconds(1250)))
    }

    @Test func noDelayIsLongerThanTheMaximum() {
        var policy = RetryPolicy(maximumRetries: 10_000, baseDelay: .seconds(1), multiplier: 1e6)
        policy.maximumDelay = .seconds(30)
        #expect(decision(policy, .failure(.timedOut), attempt: 9000, retries: 9000, random: 1) == .retry(after: .seconds(30)))
    }

    @Test(arguments: [408, 425, 429, 500, 502, 503, 504])
    func theseStatusesAreRetried(_ status: Int) {
        #expect(decision(.default, .status(status, retryAfter: nil)) == .retry(after: .seconds(1)))
    }

    @Test(arguments: [200, 204, 206, 301, 304, 400, 401, 403, 404, 410, 416, 418, 501, 505])
    func otherStatusesAreNotRetried(_ status: Int) {
        #expect(decision(.default, .status(status, retryAfter: 1)) == .giveUp)
    }

    @Test(arguments: [
        ImageError.Code.insecure, .tooLarge, .tooManyRedirects, .badResponse, .invalidRequest, .loaderClosed, .unsupportedScheme,
        .plugInFailed, .fileUnreadable, .hostPaused, .sourceForbidden, .offline, .expensiveNetwork, .deadlineExceeded,
    ])
    func permanentFailuresAreNotRetried(_ code: ImageError.Code) {
        #expect(decision(.aggressive, .failure(code)) == .giveUp)
    }

    @Test func aMethodThatIsNotIdempotentIsNotRetried() throws {
        for name in ["POST", "PATCH"] {
            #expect(decision(.default, .failure(.timedOut), method: try #require(.init(name))) == .giveUp)
        }
        for name in ["GET", "HEAD", "OPTIONS", "TRACE", "QUERY", "PUT", "DELETE"] {
            #expect(decision(.default, .failure(.timedOut), method: try #require(.init(name))) == .retry(after: .seconds(1)))
        }
    }

    @Test func retryAfterIsTheLeastDelay() {
        #expect(decision(.default, .status(503, retryAfter: 7), random: 0) == .retry(after: .seconds(7)))
        #expect(decision(.default, .status(503, retryAfter: 0)) == .retry(after: .seconds(1)))
        #expect(decision(.default, .status(503, retryAfter: 60)) == .retry(after: .seconds(60)))
        #expect(decision(.default, .status(503, retryAfter: 61)) == .giveUp)
    }

    /// Clients with the same `Retry-After` return at different times, and none before it.
    @Test func jitterIsAddedToRetryAfter() {
        let asked = RetryPolicy.Outcome.status(503, retryAfter: 10)
        let delays = [0, 0.5, 1].map { decision(.default, asked, random: $0) }
        #expect(delays == [.seconds(10), .milliseconds(11_250), .milliseconds(12_500)].map { .retry(after: $0) })
        #expect(decision(.default, .status(503, retryAfter: 50), random: 1) == .retry(after: .seconds(60)))
        var policy = RetryPolicy.default
        policy.jitter = 0
        #expect(decision(policy, asked, random: 1) == .retry(after: .seconds(10)))
        policy.jitter = -1
        #expect(decision(policy, asked, random: 1) == .retry(after: .seconds(10)))
    }
}

@Suite struct RetryAfterField {
    private func head(_ fields: HTTPFields) -> HTTPResponse { HTTPResponse(status: .serviceUnavailable, headerFields: fields) }

    @Test func secondsAndDatesAreUnderstood() {
        #expect(RetryAfter.seconds(in: head([.retryAfter: "120"]), now: 0) == 120)
        #expect(RetryAfter.seconds(in: head([.retryAfter: "Sun, 06 Nov 1994 08:49:37 GMT"]), now: 784_111_770) == 7)
        #expect(RetryAfter.seconds(in: head([.retryAfter: "Sun, 06 Nov 1994 08:49:37 GMT"]), now: 784_111_999) == 0)
    }

    @Test func aDateCountsFromTheServersOwnClock() {
        let fields: HTTPFields = [.retryAfter: "Sun, 06 Nov 1994 08:49:37 GMT", .date: "Sun, 06 Nov 1994 08:49:30 GMT"]
        #expect(RetryAfter.seconds(in: head(fields), now: 5) == 7)
        // Its century counts from it, too: here it is 1970.
        let old: HTTPFields = [.retryAfter: "Wednesday, 06-Nov-30 08:49:37 GMT", .date: "Wed, 06 Nov 2030 08:49:30 GMT"]
        #expect(RetryAfter.seconds(in: head(old), now: 5) == 7)
    }

    @Test func hugeSecondsDoNotOverflow() {
        let text = String(repeating: "9", count: 30)
        #expect(RetryAfter.seconds(in: head([.retryAfter: text]), now: 0) == .max)
        let outcome = RetryPolicy.Outcome.status(503, retryAfter: .max)
        #expect(RetryPolicy.default.decision(after: outcome, method: .get, attempt: 1, allowedRetries: 2, random: 0) == .giveUp)
    }

    @Test(arguments: ["", "soon", "-5", "+5", "1.5", "Sun, 06 Nov 1994", "Sun 06 Nov 1994 08:49:37 GMT"])
    func malformedValuesAreIgnored(_ text: String) {
        #expect(RetryAfter.seconds(in: head([.retryAfter: text]), now: 0) == nil)
    }
}

/// Returns one outcome after the other.
private final class Scripted: DataLoading {
    enum Step: Sendable {
        case status(Int, HTTPFields = [:])
        case error(any Error)
        case brokenBody
    }

    private let steps: Lock<[Step]>

    init(_ steps: [Step]) { self.steps = Lock(steps) }

    var isUsedUp: Bool { steps.withLock { $0.isEmpty } }

    func load(_ request: DataRequest) async throws -> DataResponse {
        let step = steps.withLock {
            $0.isEmpty ? .error(ImageError(.plugInFailed, message: "asked too often")) : $0.removeFirst()
        }
        switch step {
        case .status(let code, let fields):
            return DataResponse(
                url: request.url, head: HTTPResponse(status: .init(code: code), headerFields: fields), body: ByteStream(Data([1]))
            )
        case .error(let error): throw error
        case .brokenBody:
            return DataResponse(url: request.url, body: ByteStream { throw ImageError(.connectionLost, message: "lost") })
        }
    }
}

@Suite(.timeLimit(.minutes(1))) struct Retrying {
    private let lost = ImageError(.connectionLost, message: "It was lost.")

    private func request(retries: Int? = 2) throws -> DataRequest {
        DataRequest(url: try #require(URL(string: "http://a/")), retries: retries)
    }

    private func loader(_ script: Scripted, _ clock: RecordingClock) -> RetryingLoader {
        RetryingLoader(script, policy: .default, clock: clock, random: { 0.5 }, now: { 0 })
    }

    @Test func aFailureIsRetriedUntilItSucceeds() async throws {
        let (script, clock) = (Scripted([.error(lost), .status(503), .status(200)]), RecordingClock())
        let response = try await loader(script, clock).load(try request())
        #expect(response.head.status == 200)
        #expect(clock.slept == [.seconds(1), .seconds(2)])
    }

    @Test func theLastErrorCarriesTheReasonsBeforeIt() async throws {
        let script = Scripted([.error(lost), .status(503), .error(ImageError(.timedOut, message: "Late.", causes: ["why"]))])
        let error = try await imageError { _ = try await loader(script, RecordingClock()).load(try request()) }
        #expect(error.code == .timedOut)
        #expect(error.causes == ["attempt 1: It was lost.", "attempt 2: status 503", "why"])
    }

    @Test func theLastResponseIsReturnedUnchanged() async throws {
        let script = Scripted([.status(503), .status(502), .status(503, [.retryAfter: "9"])])
        #expect(try await loader(script, RecordingClock()).load(try request()).head.headerFields[.retryAfter] == "9")
        #expect(script.isUsedUp)
    }

    @Test func retryAfterIsHonoured() async throws {
        let (script, clock) = (Scripted([.status(429, [.retryAfter: "5"]), .status(200)]), RecordingClock())
        _ = try await loader(script, clock).load(try request())
        #expect(clock.slept == [.milliseconds(5625)])
    }

    @Test(arguments: [(nil, 4), (5, 6), (1, 2)] as [(Int?, Int)])
    func theRequestOrElseThePolicySaysHowManyAttemptsThereAre(_ retries: Int?, _ attempts: Int) async throws {
        let network = ScriptedLoader { _ in throw ImageError(.connectionLost, message: "It was lost.") }
        let loader = RetryingLoader(network, clock: RecordingClock())
        _ = try await imageError { _ = try await loader.load(try request(retries: retries)) }
        #expect(network.requests.count == attempts)
    }

    @Test func aRequestWithoutRetriesIsSentOnce() async throws {
        let (script, clock) = (Scripted([.error(lost), .status(200)]), RecordingClock())
        #expect(try await imageError { _ = try await loader(script, clock).load(try request(retries: 0)) }.causes == [])
        #expect(clock.slept == [])
    }

    @Test func cancellationIsNeverRetried() async throws {
        let (script, clock) = (Scripted([.error(CancellationError()), .status(200)]), RecordingClock())
        await #expect(throws: CancellationError.self) { try await loader(script, clock).load(try request()) }
        #expect(clock.slept == [])
    }

    @Test func cancellingEndsTheWait() async throws {
        let script = Scripted([.error(lost), .status(200)])
        let started = Lock<(@Sendable () -> Void)?>(nil)
        let clock = RecordingClock { started.withLock { $0 }?() }
        let loader = loader(script, clock)
        let request = try request()
        let (gate, open) = AsyncStream<Void>.makeStream()
        let task = Task {
            for await _ in gate { break }
            return try await loader.load(request)
        }
        started.withLock { $0 = { task.cancel() } }
        open.yield()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(!script.isUsedUp)
    }

    @Test func aFailedBodyIsNotRetried() async throws {
        let (script, clock) = (Scripted([.brokenBody, .status(200)]), RecordingClock())
        let response = try await loader(script, clock).load(try request())
        #expect(try await imageError { _ = try await response.body.collected() }.code == .connectionLost)
        #expect(clock.slept == [])
    }

    @Test func errorsOfPlugInsAreNotRetried() async throws {
        struct Stranger: Error {}
        let script = Scripted([.error(Stranger()), .status(200)])
        await #expect(throws: Stranger.self) { try await loader(script, RecordingClock()).load(try request()) }
    }

    @Test func theResponseContainsTheNumberOfAttempts() async throws {
        let statuses = Lock([503, 503, 200])
        let network = ScriptedLoader { _ in
            .response(HTTPResponse(status: .init(code: statuses.withLock { $0.removeFirst() })), chunks: [])
        }
        let loader = RetryingLoader(network, clock: RecordingClock())
        let url = try #require(URL(string: "http://example.org/"))
        #expect(try await loader.load(DataRequest(url: url, retries: 3)).retries == 2)
    }

    @Test func aCancelledLoadIsNotRetriedForAnyError() async throws {
        struct Failing: DataLoading {
            let gate: CalotypeTesting.Gate
            func load(_ request: DataRequest) async throws -> DataResponse {
                try? await gate.pass()
                throw ImageError(.connectionLost, message: "It broke off.")
            }
        }
        let (gate, clock) = (CalotypeTesting.Gate(), RecordingClock())
        let loader = RetryingLoader(Failing(gate: gate), clock: clock)
        let url = try #require(URL(string: "http://example.org/"))
        let task = Task { try await loader.load(DataRequest(url: url, retries: 3)) }
        await gate.waitForArrivals(1)
        task.cancel()
        #expect(try await imageError { _ = try await task.value }.code == .connectionLost)
        #expect(clock.slept.isEmpty)
    }
}
