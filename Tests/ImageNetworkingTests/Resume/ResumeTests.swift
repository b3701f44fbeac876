import CalotypeTesting
import HTTPTypes
import ImageCore
import ImageNetworkingCurl
import LoopbackHTTP
import NetworkTestKit
import Testing

@testable import ImageNetworking

@Suite(.timeLimit(.minutes(1))) struct PartialBodies {
    private func head(_ status: Int = 200, _ fields: HTTPFields) -> HTTPResponse {
        HTTPResponse(status: .init(code: status), headerFields: fields)
    }

    private let sound: HTTPFields = [.eTag: "\"v1\"", .contentLength: "100", .acceptRanges: "bytes"]

    @Test func aStrongValidatorALengthAndRangesAreNeeded() {
        #expect(PartialBody.canResume(head(200, sound)))
        for (name, value) in [
            (HTTPField.Name.eTag, "W/\"v1\""), (.eTag, nil), (.contentLength, nil), (.contentLength, "0"),
            (.acceptRanges, "none"),
            (.acceptRanges, nil), (.contentEncoding, "gzip"),
        ] as [(HTTPField.Name, String?)] {
            var fields = sound
            fields[name] = value
            #expect(!PartialBody.canResume(head(200, fields)))
        }
        #expect(!PartialBody.canResume(head(404, sound)))
    }

    @Test func lastModifiedIsStrongAMinuteLater() {
        var fields: HTTPFields = [.lastModified: "Sun, 06 Nov 1994 08:49:37 GMT", .date: "Sun, 06 Nov 1994 08:50:37 GMT"]
        #expect(PartialBody.validator(in: head(200, fields)) == "Sun, 06 Nov 1994 08:49:37 GMT")
        fields[.date] = "Sun, 06 Nov 1994 08:50:36 GMT"
        #expect(PartialBody.validator(in: head(200, fields)) == nil)
        fields[.date] = nil
        #expect(PartialBody.validator(in: head(200, fields)) == nil)
    }

    @Test func lastModifiedIsReadInEveryFormAndAlwaysTheSame() {
        for (modified, answered) in [
            ("Sunday, 06-Nov-94 08:49:37 GMT", "Sunday, 06-Nov-94 08:50:37 GMT"),
            ("Sun Nov  6 08:49:37 1994", "Sun Nov  6 08:50:37 1994"),
            ("Friday, 31-Dec-99 23:59:00 GMT", "Saturday, 01-Jan-00 00:00:00 GMT"),
        ] {
            let fields: HTTPFields = [.lastModified: modified, .date: answered]
            #expect(PartialBody.validator(in: head(200, fields)) == modified)
        }
        let loose: HTTPFields = [.lastModified: "Sun, 31 Feb 1994 08:49:37 GMT", .date: "Sun, 06 Nov 1994 08:50:37 GMT"]
        #expect(PartialBody.validator(in: head(200, loose)) == nil)
    }

    @Test(arguments: [
        (206, "bytes 40-99/100", "\"v1\"", ResumePoint.Match.rest), (206, "bytes 40-99/100", "", .rest),
        (206, "bytes 0-99/100", "\"v1\"", .unusable), (206, "bytes 40-98/100", "\"v1\"", .unusable),
        (206, "bytes 40-99/101", "\"v1\"", .unusable), (206, "bytes 40-98/*", "\"v1\"", .unusable),
        (206, "bytes 40-99/*", "\"v1\"", .rest), (206, "Bytes  40-99/100 ", "\"v1\"", .rest),
        (206, "items 40-99/100", "\"v1\"", .unusable),
        (206, "", "\"v1\"", .unusable),
        (206, "bytes 40-99/100", "\"v2\"", .unusable), (200, "", "\"v2\"", .whole), (416, "", "", .unusable),
        (503, "", "", .other),
        (404, "", "", .other),
    ])
    func aResponseIsTheRemainderOnlyIfItMatches(_ status: Int, _ range: String, _ tag: String, _ expected: ResumePoint.Match) {
        let partial = PartialBody(head: head(200, sound), bytes: Data(count: 40))
        var fields: HTTPFields = [:]
        if !range.isEmpty { fields[.contentRange] = range }
        if !tag.isEmpty { fields[.eTag] = tag }
        #expect(partial.end.classify(head(status, fields)) == expected)
    }

    /// A server may support dates and no tags, and may ignore `If-Range`.
    @Test func aRemainderWithAnotherDateIsRejectedUnlessItsTagMatches() {
        let (date, later) = ("Sun, 06 Nov 1994 08:49:37 GMT", "Mon, 07 Nov 1994 08:49:37 GMT")
        let dated: HTTPFields = [
            .lastModified: date, .date: "Sun, 06 Nov 1994 09:49:37 GMT", .contentLength: "100", .acceptRanges: "bytes",
        ]
        var tagged = dated
        tagged[.eTag] = "\"v1\""
        let range: HTTPFields = [.contentRange: "bytes 40-99/100"]
        for (fields, tag, modified, expected) in [
            (dated, nil, date, .rest), (dated, nil, nil, .rest), (dated, nil, later, .unusable),
            (tagged, "\"v1\"", later, .rest), (tagged, nil, later, .unusable), (tagged, "\"v2\"", date, .unusable),
        ] as [(HTTPFields, String?, String?, ResumePoint.Match)] {
            var answer = range
            (answer[.eTag], answer[.lastModified]) = (tag, modified)
            let found = PartialBody(head: head(200, fields), bytes: Data(count: 40)).end.classify(head(206, answer))
            #expect(found == expected, "\(tag ?? "-") \(modified ?? "-")")
        }
    }

    @Test func theStoreKeepsTheLatestWithinItsLimit() async {
        let store = PartialBodyStore(maximumBytes: 100)
        func body(_ count: Int) -> PartialBody { PartialBody(head: head(200, sound), bytes: Data(count: count)) }
        for (key, count) in [("a", 40), ("b", 40), ("c", 40), ("d", 101)] {
            store.put(body(count), for: ResourceKey(key), now: 0)
        }
        #expect(store.byteCount == 80)
        #expect(await store.take(ResourceKey("a")) == nil)
        #expect(await store.take(ResourceKey("b"))?.bytes.count == 40)
        #expect(await store.take(ResourceKey("b")) == nil)
        #expect(await store.take(ResourceKey("d")) == nil)
        #expect(store.byteCount == 40)
    }
}

/// A data cache in a dictionary.
private actor Shelf: DataCaching {
    private var entries: [DataKey: DataEntry] = [:]
    func entry(for key: DataKey) -> DataEntry? { entries[key] }
    func store(_ entry: DataEntry, for key: DataKey) { entries[key] = entry }
    func removeEntry(for key: DataKey) { entries[key] = nil }
    func removeAll() { entries = [:] }
    var count: Int { entries.count }
}

@Suite(.timeLimit(.minutes(1)))
struct Resuming {
    private static let body = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 13) }

    /// Serves ranges of `body`, breaks the first response after 40,000 bytes, and records the requested ranges.
    private final class Breaking: Sendable {
        let ranges = Lock<[String]>([])
        let versions: Lock<[String]>

        /// The version of each response in turn; the last one repeats.
        init(versions: [String] = ["\"v1\""]) { self.versions = Lock(versions) }

        func server() throws -> LoopbackServer {
            try LoopbackServer { request, connection in
                let version = self.versions.withLock { $0.count > 1 ? $0.removeFirst() : $0[0] }
                let isFirst = self.ranges.withLock { ranges in
                    ranges.append(request["Range"] ?? "-")
                    return ranges.count == 1
                }
                var fields = [(name: "ETag", value: version), (name: "Accept-Ranges", value: "bytes")]
                var (status, body) = (200, Resuming.body[...])
                if let range = request["Range"], request["If-Range"] == version, let start = Int(range.dropFirst(6).dropLast()) {
                    (status, body) = (206, Resuming.body[start...])
                    fields.append((name: "Content-Range", value: "bytes \(start)-99999/100000"))
                }
                fields.append((name: "Content-Length", value: "\(body.count)"))
                try connection.writeHeaders(status, headers: fields)
                try connection.write(Array(isFirst ? body.prefix(40_000) : body))
                if isFirst { connection.close() }
            }
        }

        var asked: [String] { ranges.withLock { $0 } }
    }

    @Test func aBrokenBodyIsResumed() async throws {
        let breaking = Breaking()
        let server = try breaking.server()
        let loader = ResumingLoader(CurlLoader())
        #expect(try await imageError { _ = try await loader.body(of: try server.request()) }.code == .connectionLost)
        let response = try await loader.load(try server.request())
        #expect(response.head.status == 200)
        #expect(response.expectedBytes == 100_000)
        #expect(response.head.headerFields[.contentRange] == nil)
        #expect(try await response.body.collected() == Data(Self.body))
        #expect(breaking.asked == ["-", "bytes=40000-"])
        // After the whole body nothing is left to resume.
        _ = try await loader.body(of: try server.request())
        #expect(breaking.asked.last == "-")
    }

    @Test func aChangedResourceIsFetchedWhole() async throws {
        let breaking = Breaking(versions: ["\"v1\"", "\"v2\""])
        let server = try breaking.server()
        let loader = ResumingLoader(CurlLoader())
        _ = try await imageError { _ = try await loader.body(of: try server.request()) }
        #expect(try await loader.body(of: try server.request()) == Data(Self.body))
        #expect(breaking.asked == ["-", "bytes=40000-"])
    }

    @Test func aBodyWithAWeakTagIsNotResumed() async throws {
        let breaking = Breaking(versions: ["W/\"v1\""])
        let server = try breaking.server()
        let loader = ResumingLoader(CurlLoader())
        _ = try await imageError { _ = try await loader.body(of: try server.request()) }
        #expect(try await loader.body(of: try server.request()) == Data(Self.body))
        #expect(breaking.asked == ["-", "-"])
    }

    @Test func aRequestWithOtherFieldsIsNotResumed() async throws {
        let breaking = Breaking()
        let server = try breaking.server()
        let loader = ResumingLoader(CurlLoader())
        _ = try await imageError { _ = try await loader.body(of: try server.request()) }
        var other = try server.request()
        other.headerFields[.authorization] = "Bearer someone-else"
        _ = try await loader.body(of: other)
        #expect(breaking.asked == ["-", "-"])
    }

    @Test func aDroppedBodyIsResumedToo() async throws {
        let breaking = Breaking()
        let server = try breaking.server()
        let loader = ResumingLoader(CurlLoader())
        func readSome() async throws {
            var count = 0
            for try await chunk in try await loader.load(try server.request()).body {
                count += chunk.count
                if count >= 40_000 { break }
            }
        }
        try await readSome()
        #expect(try await loader.body(of: try server.request()) == Data(Self.body))
        #expect(breaking.asked == ["-", "bytes=40000-"])
    }

    @Test func thePartialBodyStaysIfTheNextLoadFailsEarly() async throws {
        let breaking = Breaking()
        let server = try breaking.server()
        let store = PartialBodyStore()
        _ = try await imageError {
            _ = try await ResumingLoader(CurlLoader(), store: store).body(of: try server.request())
        }
        struct Failing: DataLoading {
            func load(_ request: DataRequest) async throws -> DataResponse { throw CancellationError() }
        }
        await #expect(throws: CancellationError.self) {
            try await ResumingLoader(Failing(), store: store).load(try server.request())
        }
        struct Overloaded: DataLoading {
            func load(_ request: DataRequest) async throws -> DataResponse {
                DataResponse(url: request.url, head: HTTPResponse(status: .serviceUnavailable), body: ByteStream(Data()))
            }
        }
        #expect(try await ResumingLoader(Overloaded(), store: store).load(try server.request()).head.status == 503)
        #expect(
            try await ResumingLoader(CurlLoader(), store: store).body(of: try server.request())
                == Data(Self.body))
        #expect(breaking.asked == ["-", "bytes=40000-"])
    }

    @Test func aPartialBodyInADataCacheSurvivesTheProcess() async throws {
        let (breaking, shelf) = (Breaking(), Shelf())
        let server = try breaking.server()
        let before = PartialBodyStore(backing: shelf)
        _ = try await imageError {
            _ = try await ResumingLoader(CurlLoader(), store: before).body(of: try server.request())
        }
        await before.flush()
        let after = PartialBodyStore(backing: shelf)
        #expect(
            try await ResumingLoader(CurlLoader(), store: after).body(of: try server.request())
                == Data(Self.body))
        #expect(breaking.asked == ["-", "bytes=40000-"])
        await after.flush()
        #expect(await shelf.count == 0)
    }

    @Test func afterAWrongRangeTheWholeBodyIsRequested() async throws {
        let wholes = Lock(0)
        let server = try LoopbackServer { request, connection in
            let fields = [(name: "ETag", value: "\"v1\""), (name: "Accept-Ranges", value: "bytes")]
            if request["Range"] != nil {
                let wrong = fields + [(name: "Content-Range", value: "bytes 5-9/100000")]
                return try connection.respond(LoopbackServer.Response(206, headers: wrong, body: [1, 2, 3, 4, 5]))
            }
            try connection.writeHeaders(200, headers: fields + [(name: "Content-Length", value: "100000")])
            let isFirst = wholes.withLock { count in
                count += 1
                return count == 1
            }
            try connection.write(isFirst ? Array(Resuming.body.prefix(30_000)) : Resuming.body)
            if isFirst { connection.close() }
        }
        let loader = ResumingLoader(CurlLoader())
        _ = try await imageError { _ = try await loader.body(of: try server.request()) }
        #expect(try await loader.body(of: try server.request()) == Data(Self.body))
    }

    @Test func theWholeBodyAfterAWrongRangeIsResumedIfItBreaksToo() async throws {
        let asked = Lock<[String]>([])
        let server = try LoopbackServer { request, connection in
            let fields = [(name: "ETag", value: "\"v1\""), (name: "Accept-Ranges", value: "bytes")]
            let range = request["Range"] ?? "-"
            let count = asked.withLock { asked in
                asked.append(range)
                return asked.count
            }
            if count == 2 { return try connection.respond(LoopbackServer.Response(416, headers: fields)) }
            if count == 4 {
                let rest = fields + [(name: "Content-Range", value: "bytes 60000-99999/100000")]
                return try connection.respond(.init(206, headers: rest, body: Array(Resuming.body[60_000...])))
            }
            try connection.writeHeaders(200, headers: fields + [(name: "Content-Length", value: "100000")])
            try connection.write(Array(Resuming.body.prefix(count == 1 ? 40_000 : 60_000)))
            connection.close()
        }
        let loader = ResumingLoader(CurlLoader())
        for _ in 0..<2 { _ = try await imageError { _ = try await loader.body(of: try server.request()) } }
        #expect(try await loader.body(of: try server.request()) == Data(Self.body))
        #expect(asked.withLock { $0 } == ["-", "bytes=40000-", "-", "bytes=60000-"])
    }

    @Test func theSizeLimitAppliesToTheWholeBody() async throws {
        let server = try Breaking().server()
        let loader = ResumingLoader(CurlLoader())
        _ = try await imageError { _ = try await loader.body(of: try server.request()) }
        #expect(
            try await imageError { _ = try await loader.load(try server.request(maximumResponseBytes: 70_000)) }.code == .tooLarge
        )
    }
}

@Suite(.timeLimit(.minutes(1)))
struct GoingOnWithinALoad {
    private static let body = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 13) }

    /// Serves ranges of `body`, ends each response after `chunk` bytes, and records the requested ranges.
    private final class Cutting: Sendable {
        let ranges = Lock<[String]>([])
        let chunk: Int
        let version: @Sendable (Int) -> String

        init(chunk: Int, version: @escaping @Sendable (Int) -> String = { _ in "\"v1\"" }) {
            self.chunk = chunk
            self.version = version
        }

        func server() throws -> LoopbackServer {
            try LoopbackServer { request, connection in
                let number = self.ranges.withLock { ranges in
                    ranges.append(request["Range"] ?? "-")
                    return ranges.count
                }
                let version = self.version(number)
                var fields = [(name: "ETag", value: version), (name: "Accept-Ranges", value: "bytes")]
                var (status, body) = (200, GoingOnWithinALoad.body[...])
                if let range = request["Range"], request["If-Range"] == version, let start = Int(range.dropFirst(6).dropLast()) {
                    (status, body) = (206, GoingOnWithinALoad.body[start...])
                    fields.append((name: "Content-Range", value: "bytes \(start)-299999/300000"))
                }
                fields.append((name: "Content-Length", value: "\(body.count)"))
                try connection.writeHeaders(status, headers: fields)
                try connection.write(Array(body.prefix(self.chunk)))
                if body.count > self.chunk { connection.close() }
            }
        }

        var asked: [String] { ranges.withLock { $0 } }
    }

    private func request(_ server: LoopbackServer, retries: Int) throws -> DataRequest {
        var request = try server.request()
        request.retries = retries
        return request
    }

    @Test func aBodyIsCompletedOverAConnectionThatBreaksRepeatedly() async throws {
        let cutting = Cutting(chunk: 100_000)
        let server = try cutting.server()
        let response = try await ResumingLoader(CurlLoader()).load(try request(server, retries: 2))
        #expect(response.expectedBytes == 300_000)
        #expect(try await response.body.collected() == Data(Self.body))
        #expect(cutting.asked == ["-", "bytes=100000-", "bytes=200000-"])
    }

    @Test func resumptionsAreLimitedByTheRequest() async throws {
        let cutting = Cutting(chunk: 100_000)
        let server = try cutting.server()
        let loader = ResumingLoader(CurlLoader())
        let request = try request(server, retries: 1)
        #expect(try await imageError { _ = try await loader.body(of: request) }.code == .connectionLost)
        #expect(cutting.asked == ["-", "bytes=100000-"])
        // The next load resumes from there.
        #expect(try await loader.body(of: request) == Data(Self.body))
        #expect(cutting.asked.last == "bytes=200000-")
    }

    @Test func aRequestThatSetsNoRetriesIsResumedThreeTimes() async throws {
        let cutting = Cutting(chunk: 50_000)
        let server = try cutting.server()
        let loader = ResumingLoader(CurlLoader())
        let request = try server.request(retries: nil)
        #expect(try await imageError { _ = try await loader.body(of: request) }.code == .connectionLost)
        #expect(cutting.asked == ["-", "bytes=50000-", "bytes=100000-", "bytes=150000-"])
    }

    @Test func aResourceThatChangedInTheMeantimeIsNotJoined() async throws {
        let cutting = Cutting(chunk: 100_000, version: { "\"v\($0)\"" })
        let server = try cutting.server()
        let loader = ResumingLoader(CurlLoader())
        var received = Data()
        let error = try await imageError {
            for try await chunk in try await loader.load(try request(server, retries: 5)).body { received.append(chunk) }
        }
        #expect(error.code == .connectionLost)
        #expect(received == Data(Self.body.prefix(100_000)))
        #expect(cutting.asked == ["-", "bytes=100000-"])
    }

    @Test func resumptionWaitsForTheConnection() async throws {
        let cutting = Cutting(chunk: 200_000)
        let server = try cutting.server()
        let line = CurlLoader()
        // The network fails two attempts after the first response broke.
        let calls = Lock(0)
        struct Flaky: DataLoading {
            let line: CurlLoader
            let calls: @Sendable () -> Int
            func load(_ request: DataRequest) async throws -> DataResponse {
                let number = calls()
                if number == 2 || number == 3 { throw ImageError(.connectionFailed, message: "No line.") }
                return try await line.load(request)
            }
        }
        let flaky = Flaky(line: line) {
            calls.withLock { calls in
                calls += 1
                return calls
            }
        }
        let clock = RecordingClock()
        let loader = ResumingLoader(RetryingLoader(flaky, policy: .default, clock: clock))
        #expect(try await loader.body(of: try request(server, retries: 3)) == Data(Self.body))
        #expect(clock.slept.count == 2)
        #expect(cutting.asked == ["-", "bytes=200000-"])
    }

    @Test func cancellingDuringAResumptionKeepsThePartialBody() async throws {
        let cutting = Cutting(chunk: 100_000)
        let server = try cutting.server()
        let gate = CalotypeTesting.Gate()
        let line = CurlLoader()
        struct Held: DataLoading {
            let line: CurlLoader
            let gate: CalotypeTesting.Gate
            func load(_ request: DataRequest) async throws -> DataResponse {
                if request.headerFields[.range] != nil { try await gate.pass() }
                return try await line.load(request)
            }
        }
        let store = PartialBodyStore()
        let loader = ResumingLoader(Held(line: line, gate: gate), store: store)
        let request = try request(server, retries: 3)
        let task = Task { try await loader.body(of: request) }
        await gate.waitForArrivals(1)
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(store.byteCount == 100_000)
    }
}
