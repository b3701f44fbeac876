import CalotypeTesting
import HTTPTypes
import ImageCore
import LoopbackHTTP
import NetworkTestKit
import Testing

@testable import ImageNetworking

@Suite(.timeLimit(.minutes(1)))
struct BuiltInInterceptors {
    private func request(_ url: String = "https://example.org/a.png") throws -> DataRequest {
        DataRequest(url: try #require(URL(string: url)))
    }

    @Test func headersOfTheRequestWinOverDefaultHeaders() async throws {
        let loader = ScriptedLoader { _ in .body(Data([1])) }
        let intercepted = InterceptedLoader(
            loader, interceptors: [DefaultHeadersInterceptor([.userAgent: "Default", .acceptLanguage: "en"])])
        var request = try request()
        request.headerFields[.userAgent] = "Own"
        _ = try await intercepted.load(request)
        #expect(loader.requests[0].headerFields[.userAgent] == "Own")
        #expect(loader.requests[0].headerFields[.acceptLanguage] == "en")
    }

    @Test func everyAttemptIsSigned() async throws {
        let loader = ScriptedLoader { _ in .response(HTTPResponse(status: .serviceUnavailable), chunks: []) }
        let count = Lock(0)
        let signing = SigningInterceptor { request in
            let number = count.withLock { count in
                count += 1
                return count
            }
            return [.authorization: "\(request.url.path) \(number)"]
        }
        let retrying = RetryingLoader(
            InterceptedLoader(loader, interceptors: [signing]), policy: .default, clock: RecordingClock())
        var request = try request()
        request.retries = 2
        request.headerFields[.authorization] = "replaced"
        _ = try await retrying.load(request)
        #expect(loader.requests.map { $0.headerFields[.authorization] } == ["/a.png 1", "/a.png 2", "/a.png 3"])
    }

    @Test func beforeAndAfterAreCalled() async throws {
        let loader = ScriptedLoader { _ in .body(Data([1])) }
        let simple = BeforeAfterInterceptor(
            before: { $0.headerFields[.accept] = "image/png" },
            after: { request, response in response.head.headerFields[.via] = request.headerFields[.accept] })
        let response = try await InterceptedLoader(loader, interceptors: [simple]).load(try request())
        #expect(loader.requests[0].headerFields[.accept] == "image/png")
        #expect(response.head.headerFields[.via] == "image/png")
    }

    @Test func metricsCoverTheWholeFetch() async throws {
        let records = Lock<[TransferRecord]>([])
        let loader = ScriptedLoader { _ in
            .response(HTTPResponse(status: .ok), chunks: [Data(count: 10), Data(count: 20)])
        }
        let metrics = TransferMetricsInterceptor(clock: ManualClock()) { record in records.withLock { $0.append(record) } }
        let intercepted = InterceptedLoader(loader, interceptors: [metrics])
        let response = try await intercepted.load(try request("https://user:secret@example.org/a.png"))
        #expect(records.withLock { $0 } == [])
        _ = try await response.body.collected()
        // Neither the end that is read nor the release of the body reports it once more.
        #expect(records.withLock { $0.count } == 1)
        let record = try #require(records.withLock { $0.first })
        #expect(record.url == "https://example.org/a.png")
        #expect(record.status == 200)
        #expect(record.receivedBytes == 30)
        #expect(record.ending == .whole)
        #expect(record.description == "GET https://example.org/a.png: 200, 30 bytes in 0 s")
    }

    @Test func valuesOfTheQueryAreHiddenByDefault() async throws {
        let lines = Lock<[String]>([])
        let loader = ScriptedLoader { _ in .body(Data([1])) }
        let log: @Sendable (String) -> Void = { line in lines.withLock { $0.append(line) } }
        for logging in [LoggingInterceptor(log), LoggingInterceptor(hidesQueries: false, log)] {
            _ = try await InterceptedLoader(loader, interceptors: [logging]).load(try request("https://a/b?sig=secret#secret"))
        }
        #expect(lines.withLock { $0 }.map { $0.contains("https://a/b?sig=...:") } == [true, false])
        #expect(lines.withLock { $0 }.map { $0.contains("https://a/b?sig=secret:") } == [false, true])
    }

    @Test func aBodyThatIsDroppedIsCancelledInTheMetrics() async throws {
        let records = Lock<[TransferRecord]>([])
        let loader = ScriptedLoader { _ in .response(HTTPResponse(status: .ok), chunks: [Data(count: 10), Data(count: 20)]) }
        let metrics = TransferMetricsInterceptor { record in records.withLock { $0.append(record) } }
        func readOne() async throws {
            var chunks = try await InterceptedLoader(loader, interceptors: [metrics]).load(try request()).body.makeAsyncIterator()
            _ = try await chunks.next()
        }
        try await readOne()
        #expect(records.withLock { $0 }.map(\.ending) == [.cancelled])
        #expect(records.withLock { $0 }.map(\.receivedBytes) == [10])
    }

    @Test func failuresAreLoggedAndCancelledLoadsAreNot() async throws {
        let lines = Lock<[String]>([])
        let logging = LoggingInterceptor { line in lines.withLock { $0.append(line) } }
        let cancelled = ScriptedLoader { _ in .failure(CancellationError()) }
        let failed = ScriptedLoader { _ in .failure(ImageError(.timedOut, message: "Too late.")) }
        _ = try? await InterceptedLoader(cancelled, interceptors: [logging]).load(try request())
        _ = try? await InterceptedLoader(failed, interceptors: [logging]).load(try request())
        #expect(lines.withLock { $0 }.count == 1)
        #expect(lines.withLock { $0 }[0].hasPrefix("GET https://example.org/a.png: failed with timedOut after 0 bytes in "))
    }
}

@Suite(.timeLimit(.minutes(1)))
struct BearerTokens {
    /// Responds with 401 to every token but `good`.
    private func loader(
        good: String, gate: CalotypeTesting.Gate = CalotypeTesting.Gate(isOpen: true)
    ) -> ScriptedLoader {
        ScriptedLoader(gate: gate) { request in
            let isGood = request.headerFields[.authorization] == "Bearer \(good)"
            return .response(HTTPResponse(status: isGood ? .ok : .unauthorized), chunks: [])
        }
    }

    private func request(_ url: String = "https://api.example.org/a.png") throws -> DataRequest {
        DataRequest(url: try #require(URL(string: url)))
    }

    @Test func oneRefreshServesAllRejectedRequests() async throws {
        // All requests are sent with the old token before any response.
        let answers = CalotypeTesting.Gate()
        let loader = loader(good: "new", gate: answers)
        let refreshes = Lock<[String?]>([])
        let token = BearerTokenInterceptor(hosts: ["api.example.org"], user: "ann", token: "old") { refused in
            refreshes.withLock { $0.append(refused) }
            return "new"
        }
        let intercepted = InterceptedLoader(loader, interceptors: [token])
        let request = try request()
        let tasks = (0..<20).map { _ in Task { try await intercepted.load(request).head.status.code } }
        await loader.waitForRequests(20)
        answers.open()
        for task in tasks { #expect(try await task.value == 200) }
        #expect(refreshes.withLock { $0 } == ["old"])
        #expect(loader.requests.count == 40)
    }

    /// A host that allows few connections could not be reached again before the rejected responses are released.
    @Test func aRejectionIsReleasedBeforeTheNextRequest() async throws {
        let network = HeldBodies(HTTPResponse(status: .unauthorized), HTTPResponse(status: .ok))
        let atRefresh = Lock<[Int]>([])
        let token = BearerTokenInterceptor(hosts: ["api.example.org"], user: "ann", token: "old") { _ in
            atRefresh.withLock { $0.append(network.count) }
            return "new"
        }
        let response = try await InterceptedLoader(network, interceptors: [token]).load(try request())
        #expect(response.head.status == .ok)
        #expect(atRefresh.withLock { $0 } == [0])
        #expect(network.atRequests == [0, 0])
    }

    /// A redirect never sends the token to another origin, even to a configured one; so a new token would not be sent
    /// there, either.
    @Test(arguments: [
        ("https://images.example.net/b.png", false), ("https://other.example.org/b.png", false),
        ("https://api.example.org:8443/b.png", false), ("https://api.example.org/b.png", true),
    ])
    func aRejectionByAnotherOriginDoesNotRefreshTheToken(_ final: String, _ isReason: Bool) async throws {
        struct Redirecting: DataLoading {
            let final: URL
            let asked = EventLog<DataRequest>()
            func load(_ request: DataRequest) async throws -> DataResponse {
                asked.append(request)
                return DataResponse(url: final, head: HTTPResponse(status: .unauthorized), body: ByteStream(Data()))
            }
        }
        let network = Redirecting(final: try #require(URL(string: final)))
        let refreshes = Lock(0)
        let token = BearerTokenInterceptor(hosts: ["api.example.org", "other.example.org"], user: "ann", token: "good") { _ in
            refreshes.withLock { $0 += 1 }
            return "new"
        }
        let response = try await InterceptedLoader(network, interceptors: [token]).load(try request())
        #expect(response.head.status == .unauthorized)
        #expect(refreshes.withLock { $0 } == (isReason ? 1 : 0))
        #expect(network.asked.events.count == (isReason ? 2 : 1))
    }

    @Test func aSecondRejectionIsReturned() async throws {
        let loader = loader(good: "none")
        let token = BearerTokenInterceptor(hosts: ["api.example.org"], user: "ann", token: "old") { _ in "new" }
        let response = try await InterceptedLoader(loader, interceptors: [token]).load(try request())
        #expect(response.head.status == .unauthorized)
        #expect(loader.requests.map { $0.headerFields[.authorization] } == ["Bearer old", "Bearer new"])
    }

    @Test func aFailedRefreshFailsTheLoad() async throws {
        let token = BearerTokenInterceptor(hosts: ["api.example.org"], user: "ann") { _ in
            throw ImageError(.connectionFailed, message: "No identity provider.")
        }
        let error = try await imageError {
            _ = try await InterceptedLoader(loader(good: "x"), interceptors: [token]).load(try request())
        }
        #expect(error.code == .connectionFailed)
    }

    @Test func theNextLoadRepeatsAFailedRefresh() async throws {
        let tries = Lock(0)
        let token = BearerTokenInterceptor(hosts: ["api.example.org"], user: "ann") { _ in
            let isFirst = tries.withLock { tries in
                tries += 1
                return tries == 1
            }
            if isFirst { throw ImageError(.connectionFailed, message: "No identity provider.") }
            return "new"
        }
        let intercepted = InterceptedLoader(loader(good: "new"), interceptors: [token])
        _ = try? await intercepted.load(try request())
        #expect(try await intercepted.load(try request()).head.status == .ok)
        #expect(tries.withLock { $0 } == 2)
    }

    @Test(arguments: ["https://example.org/a", "http://api.example.org/a", "https://api.example.org.evil.test/a"])
    func noOtherHostSeesTheToken(_ url: String) async throws {
        let loader = loader(good: "x")
        let token = BearerTokenInterceptor(hosts: ["api.example.org"], user: "ann", token: "x") { _ in "x" }
        _ = try await InterceptedLoader(loader, interceptors: [token]).load(try request(url))
        #expect(loader.requests.map { $0.headerFields[.authorization] } == [nil])
    }

    @Test func cancellingAWaitingRequestDoesNotCancelTheRefresh() async throws {
        let loader = loader(good: "new")
        let gate = CalotypeTesting.Gate()
        let token = BearerTokenInterceptor(hosts: ["api.example.org"], user: "ann", token: "old") { _ in
            try await gate.pass()
            return "new"
        }
        let intercepted = InterceptedLoader(loader, interceptors: [token])
        let request = try request()
        let first = Task { try await intercepted.load(request).head.status.code }
        await gate.waitForArrivals(1)
        let second = Task { try await intercepted.load(request).head.status.code }
        first.cancel()
        await #expect(throws: CancellationError.self) { try await first.value }
        gate.open()
        #expect(try await second.value == 200)
    }
}
