import CalotypeTesting
import Foundation
import HTTPTypes
import ImageCore
import LoopbackHTTP
import Testing

@testable import ImageNetworkingFoundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A cache of finished downloads, and files as the session leaves them.
private struct DownloadBench {
    let root: URL
    let store = LoggedDataCache()
    let head = SessionTransfer.Head(
        url: URL(string: "https://example.org/final.png")!,
        response: HTTPResponse(status: .ok, headerFields: [.contentType: "image/png", .eTag: "\"1\""]))

    init() throws {
        root = FileManager.default.temporaryDirectory.appending(path: "calotype-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: root, withIntermediateDirectories: true)
    }

    func remove() { try? FileManager.default.removeItem(at: root) }

    func file(_ body: Data) throws -> URL {
        let file = root.appending(path: UUID().uuidString)
        try body.write(to: file)
        return file
    }
}

private func bytes(of response: DataResponse?) async throws -> Data {
    var data = Data()
    for try await chunk in try #require(response).body { data.append(chunk) }
    return data
}

/// A session whose downloads are ended by the test.
private final class ScriptedDownloads: BackgroundDownloading {
    struct Download: BackgroundDownload {
        let number: Int
        let log: EventLog<String>
        func resume() { log.append("resume \(number)") }
        func cancel() { log.append("cancel \(number)") }
    }

    let log = EventLog<String>()
    /// Opened before the list of running downloads is returned.
    let gate: CalotypeTesting.Gate
    private let earlier: [(key: String, number: Int)]
    private let last = Lock(0)

    init(earlier: [(key: String, number: Int)], gate: CalotypeTesting.Gate) {
        (self.earlier, self.gate) = (earlier, gate)
    }

    func download(_ request: DataRequest, key: String) -> any BackgroundDownload {
        let number = last.withLock { last in
            last += 1
            return last
        }
        return Download(number: number, log: log)
    }

    func running() async -> [(key: String, download: any BackgroundDownload)] {
        try? await gate.pass()
        return earlier.map { ($0.key, Download(number: $0.number, log: log)) }
    }
}

@Suite(.timeLimit(.minutes(2))) struct BackgroundTransferring {
    private struct Bench {
        let files: DownloadBench
        let session: ScriptedDownloads
        let transfers: BackgroundTransfers
        let prefetch: DataRequest
        let key: String

        /// - Parameter earlier: the numbers of the transfers of earlier launches, all with the key of `prefetch`.
        init(_ files: DownloadBench, earlier: [Int] = [], gate: CalotypeTesting.Gate = Gate(isOpen: true)) throws {
            self.files = files
            prefetch = DataRequest(url: try #require(URL(string: "https://example.org/a.png")), purpose: .prefetch)
            let key = try #require(BackgroundRule.key(of: prefetch))
            self.key = key
            session = ScriptedDownloads(earlier: earlier.map { (key, $0) }, gate: gate)
            transfers = BackgroundTransfers(files.store, limit: 1000)
            transfers.open(session)
        }

        var visible: DataRequest {
            var request = prefetch
            request.purpose = .view
            return request
        }

        /// The number of stored bodies.
        var stored: Int {
            get async {
                await transfers.flush()
                return files.store.keys.count
            }
        }

        func load(_ request: DataRequest) -> Task<Data?, any Error> {
            Task { [transfers] in
                guard let response = try await transfers.response(to: request) else { return nil }
                return try await bytes(of: response)
            }
        }

        func finish(_ number: Int, _ body: String, status: HTTPResponse.Status = .ok, length: String? = nil) throws {
            var head = files.head
            head.response.status = status
            if let length { head.response.headerFields[.contentLength] = length }
            let file = try files.file(Data(body.utf8))
            transfers.finished(key, number: number, at: file.path, head, source: "a.png")
            try FileManager.default.removeItem(at: file)
        }

        /// The error that a load ends with.
        func code(_ task: Task<Data?, any Error>) async -> ImageError.Code? {
            do {
                _ = try await task.value
                return nil
            } catch { return (error as? ImageError)?.code }
        }
    }

    @Test func aPrefetchGetsItsTransferAndLeavesNoFile() async throws {
        let files = try DownloadBench()
        defer { files.remove() }
        let bench = try Bench(files)
        let load = bench.load(bench.prefetch)
        await bench.session.log.wait(forCount: 1)
        try bench.finish(1, "image")
        #expect(try await load.value == Data("image".utf8))
        #expect(await bench.stored == 0 && bench.session.log.events == ["resume 1"])
    }

    @Test func otherLoadsUseTheForegroundSession() async throws {
        let files = try DownloadBench()
        defer { files.remove() }
        let bench = try Bench(files)
        #expect(try await bench.load(bench.visible).value == nil)
        var secret = bench.prefetch
        secret.headerFields[.authorization] = "Bearer 1"
        #expect(try await bench.load(secret).value == nil)
        #expect(bench.session.log.events == [])
    }

    @Test func twoPrefetchesShareOneTransfer() async throws {
        let files = try DownloadBench()
        defer { files.remove() }
        let bench = try Bench(files)
        let first = bench.load(bench.prefetch)
        await bench.session.log.wait(forCount: 1)
        let second = bench.load(bench.prefetch)
        while bench.transfers.waiting < 2 { await Task.yield() }
        try bench.finish(1, "image")
        #expect(try await [first.value, second.value] == Array(repeating: Data("image".utf8), count: 2))
        #expect(bench.session.log.events == ["resume 1"])
    }

    @Test func otherLoadsNeitherWaitForARunningTransferNorCancelIt() async throws {
        let files = try DownloadBench()
        defer { files.remove() }
        let bench = try Bench(files)
        let load = bench.load(bench.prefetch)
        await bench.session.log.wait(forCount: 1)
        bench.transfers.received(1, announced: nil, bench.key, number: 1, source: "")
        #expect(try await bench.load(bench.visible).value == nil)
        var cached = bench.prefetch
        cached.cachePolicy.insert(.onlyIfCached)
        #expect(try await bench.load(cached).value == nil)
        try bench.finish(1, "image")
        #expect(try await load.value == Data("image".utf8))
        #expect(bench.session.log.events == ["resume 1"])
    }

    @Test func concurrentPrefetchesStartOneTransferAndCancelIt() async throws {
        let files = try DownloadBench()
        defer { files.remove() }
        for _ in 0..<50 {
            let bench = try Bench(files)
            let loads = (0..<8).map { _ in bench.load(bench.prefetch) }
            while bench.transfers.waiting < 8 { await Task.yield() }
            await bench.session.log.wait(forCount: 1)
            for load in loads { load.cancel() }
            for load in loads { await #expect(throws: CancellationError.self) { try await load.value } }
            #expect(bench.transfers.waiting == 0 && bench.session.log.events == ["resume 1", "cancel 1"])
        }
    }

    @Test func aTransferThatEndedWithoutTheProcessServesTheNextLoad() async throws {
        let files = try DownloadBench()
        defer { files.remove() }
        let earlier = try Bench(files)
        try earlier.finish(12, "image")
        #expect(await earlier.stored == 1)
        // As after a relaunch.
        let bench = try Bench(files)
        #expect(try await bench.load(bench.visible).value == Data("image".utf8))
        #expect(await bench.stored == 0 && bench.session.log.events == [])
        #expect(try await bench.load(bench.visible).value == nil)
    }

    @Test func aStoredBodyThatOneLoadDoesNotAcceptStaysForOthers() async throws {
        let files = try DownloadBench()
        defer { files.remove() }
        let bench = try Bench(files)
        try bench.finish(7, "image")
        #expect(await bench.stored == 1)
        var tight = bench.visible
        tight.maximumResponseBytes = 3
        #expect(try await bench.load(tight).value == nil)
        #expect(await bench.stored == 1)
        #expect(try await bench.load(bench.visible).value == Data("image".utf8))
        #expect(await bench.stored == 0)
    }

    @Test func aRunningTransferOfAnEarlierLaunchIsJoined() async throws {
        let files = try DownloadBench()
        defer { files.remove() }
        let gate = CalotypeTesting.Gate()
        let bench = try Bench(files, earlier: [5], gate: gate)
        let load = bench.load(bench.prefetch)
        await gate.waitForArrivals(1)
        // A visible load does not wait for the list of running downloads.
        #expect(try await bench.load(bench.visible).value == nil)
        gate.open()
        while bench.transfers.waiting < 1 { await Task.yield() }
        try bench.finish(5, "image")
        #expect(try await load.value == Data("image".utf8))
        #expect(bench.session.log.events == [])
    }

    @Test func aPrefetchWaitsForTheSystemsListUntilItsTimeout() async throws {
        let files = try DownloadBench()
        defer { files.remove() }
        let gate = CalotypeTesting.Gate()
        defer { gate.open() }
        let bench = try Bench(files, gate: gate)
        var hasty = bench.prefetch
        hasty.timeout = .milliseconds(1)
        #expect(await bench.code(bench.load(hasty)) == .timedOut)
        let load = bench.load(bench.prefetch)
        load.cancel()
        await #expect(throws: CancellationError.self) { try await load.value }
        #expect(bench.session.log.events == [])
    }

    @Test func aSecondTransferWithTheSameKeyIsCancelled() async throws {
        let files = try DownloadBench()
        defer { files.remove() }
        let bench = try Bench(files, earlier: [5, 6])
        let load = bench.load(bench.prefetch)
        while bench.transfers.waiting < 1 { await Task.yield() }
        #expect(bench.session.log.events == ["cancel 6"])
        // It succeeded before it was cancelled.
        try bench.finish(6, "other")
        #expect(await bench.stored == 0)
        try bench.finish(5, "image")
        #expect(try await load.value == Data("image".utf8))
    }

    @Test func aTransferThatEndsBeforeTheSystemListsItIsNotAwaited() async throws {
        let files = try DownloadBench()
        defer { files.remove() }
        let gate = CalotypeTesting.Gate()
        let bench = try Bench(files, earlier: [5], gate: gate)
        try bench.finish(5, "image")
        gate.open()
        #expect(try await bench.load(bench.prefetch).value == Data("image".utf8))
        #expect(bench.session.log.events == [])
    }

    @Test func reportsOfAnotherNumberDoNotEndAWait() async throws {
        let files = try DownloadBench()
        defer { files.remove() }
        let bench = try Bench(files)
        let load = bench.load(bench.prefetch)
        await bench.session.log.wait(forCount: 1)
        bench.transfers.received(2000, announced: nil, bench.key, number: 9, source: "")
        bench.transfers.failed(bench.key, number: 9, ImageError(.connectionLost, message: ""))
        #expect(bench.transfers.waiting == 1)
        try bench.finish(1, "image")
        #expect(try await load.value == Data("image".utf8))
        #expect(bench.session.log.events == ["resume 1"])
    }

    @Test func cancellingTheLastLoadCancelsTheTransfer() async throws {
        let files = try DownloadBench()
        defer { files.remove() }
        let bench = try Bench(files)
        let first = bench.load(bench.prefetch)
        await bench.session.log.wait(forCount: 1)
        let second = bench.load(bench.prefetch)
        while bench.transfers.waiting < 2 { await Task.yield() }
        first.cancel()
        await #expect(throws: CancellationError.self) { try await first.value }
        #expect(!bench.session.log.events.contains("cancel 1"))
        second.cancel()
        await #expect(throws: CancellationError.self) { try await second.value }
        #expect(bench.session.log.events.contains("cancel 1"))
        // No load waits for its end.
        try bench.finish(1, "image")
        #expect(await bench.stored == 0)
    }

    @Test func theTimeLimitEndsTheWaitAndNotTheTransfer() async throws {
        let files = try DownloadBench()
        defer { files.remove() }
        let bench = try Bench(files)
        _ = try await bench.transfers.session()
        var hasty = bench.prefetch
        hasty.timeout = .milliseconds(1)
        #expect(await bench.code(bench.load(hasty)) == .timedOut)
        #expect(bench.session.log.events == ["resume 1"])
        try bench.finish(1, "image")
        #expect(try await bench.load(bench.visible).value == Data("image".utf8))
    }

    @Test func aBodyThatIsTooLargeIsRejectedAsSoonAsPossible() async throws {
        let files = try DownloadBench()
        defer { files.remove() }
        for announced in [2000, nil] {
            let bench = try Bench(files)
            let load = bench.load(bench.prefetch)
            await bench.session.log.wait(forCount: 1)
            bench.transfers.received(announced == nil ? 1001 : 1, announced: announced, bench.key, number: 1, source: "a.png")
            #expect(await bench.code(load) == .tooLarge)
            #expect(bench.session.log.events == ["resume 1", "cancel 1"])
            // It succeeded before it was cancelled.
            try bench.finish(1, "image")
            #expect(await bench.stored == 0)
        }
        // A body without any progress report before its end.
        let bench = try Bench(files)
        let load = bench.load(bench.prefetch)
        await bench.session.log.wait(forCount: 1)
        try bench.finish(1, String(repeating: "x", count: 1001))
        #expect(await bench.code(load) == .tooLarge)
        // The same without a load.
        try bench.finish(2, String(repeating: "x", count: 1001))
        #expect(await bench.stored == 0)
    }

    @Test func aTransferHasTheLargestLimitOfItsLoads() async throws {
        let files = try DownloadBench()
        defer { files.remove() }
        var (tight, wide) = (try Bench(files).prefetch, try Bench(files).prefetch)
        (tight.maximumResponseBytes, wide.maximumResponseBytes) = (3, 2000)
        for isOver in [false, true] {
            let bench = try Bench(files)
            let first = bench.load(tight)
            await bench.session.log.wait(forCount: 1)
            let second = bench.load(wide)
            while bench.transfers.waiting < 2 { await Task.yield() }
            bench.transfers.received(isOver ? 2001 : 2000, announced: nil, bench.key, number: 1, source: "")
            #expect(bench.session.log.events.contains("cancel 1") == isOver)
            if !isOver { try bench.finish(1, String(repeating: "x", count: 2000)) }
            #expect(await bench.code(first) == .tooLarge)
            #expect(await bench.code(second) == (isOver ? .tooLarge : nil))
        }
    }

    @Test func unsuccessfulAndNoStoreResponsesAreReturnedButNotStored() async throws {
        let files = try DownloadBench()
        defer { files.remove() }
        let bench = try Bench(files)
        let load = bench.load(bench.prefetch)
        await bench.session.log.wait(forCount: 1)
        try bench.finish(1, "nothing", status: .notFound)
        #expect(try await load.value == Data("nothing".utf8))
        try bench.finish(2, "nothing", status: .notFound)
        #expect(await bench.stored == 0)
        let stored = HTTPResponse(status: .ok, headerFields: [.cacheControl: "private, max-age=3"])
        let unstored = HTTPResponse(status: .ok, headerFields: [.cacheControl: "private, No-Store"])
        #expect(BackgroundRule.mayBeKept(stored) && !BackgroundRule.mayBeKept(unstored))
    }

    @Test func aTruncatedBodyIsAnError() async throws {
        let files = try DownloadBench()
        defer { files.remove() }
        let bench = try Bench(files)
        let load = bench.load(bench.prefetch)
        await bench.session.log.wait(forCount: 1)
        try bench.finish(1, "pict", length: "7")
        #expect(await bench.code(load) == .connectionLost)
        #expect(await bench.stored == 0)
    }

    @Test func aStoredResponseHasItsURLAndHasAged() throws {
        let files = try DownloadBench()
        defer { files.remove() }
        let finished = FinishedDownload(files.head, body: Data([1]))
        let entry = finished.entry(now: 1_000)
        let found = try #require(FinishedDownload(entry, now: 1_050.5))
        #expect(found.head.url == files.head.url && found.body == Data([1]))
        var head = files.head.response
        #expect(FinishedDownload(entry, now: 0)?.head.response == head)
        head.headerFields[.age] = "50"
        #expect(found.head.response == head)
        #expect(FinishedDownload(DataEntry(data: Data([1]), head: head, storedAt: 0), now: 0) == nil)
    }

    @Test @MainActor func theCompletionIsCalledWhenAllReportsAreDelivered() {
        let events = BackgroundEvents()
        var calls = 0
        events.add { calls += 1 }
        #expect(calls == 0)
        events.finish()
        #expect(calls == 1)
        // Also if all reports were delivered before.
        events.finish()
        events.add { calls += 1 }
        #expect(calls == 2)
        events.add { calls += 1 }
        #expect(calls == 2)
    }
}

/// The session and its delegate, with a session that ends with the process, since Linux has no other.
@Suite(.timeLimit(.minutes(2))) struct BackgroundSessions {
    private struct Bench {
        let files: DownloadBench
        let transfers: BackgroundTransfers
        let session: BackgroundSession
        let loader: URLSessionLoader

        init(_ files: DownloadBench, maximumBytes: Int = 10_000_000) {
            let configuration = URLSessionLoader.Configuration()
            self.files = files
            let transfers = BackgroundTransfers(files.store, limit: maximumBytes)
            session = BackgroundSession(.ephemeral, reportingTo: transfers) { [configuration] in
                URLSessionLoader.urlRequest(for: $0, configuration)
            }
            transfers.open(session)
            self.transfers = transfers
            loader = URLSessionLoader(configuration, background: transfers)
        }

        func request(_ url: String) throws -> DataRequest {
            DataRequest(url: try #require(URL(string: url)), purpose: .prefetch)
        }
    }

    @Test func aPrefetchIsFetchedByADownloadTask() async throws {
        let files = try DownloadBench()
        defer { files.remove() }
        let body = Data((0..<500_000).map { UInt8(truncatingIfNeeded: $0 &* 7) })
        let server = try LoopbackServer(serving: { request in
            guard request.path == "/b" else { return .init(302, headers: [("Location", "/b")]) }
            return .init(200, headers: [("X-Agent", request["User-Agent"] ?? ""), ("ETag", "\"1\"")], body: [UInt8](body))
        })
        let bench = Bench(files)
        defer { bench.session.end() }
        let response = try await bench.loader.load(try bench.request(server.url("/a")))
        // The session followed the redirect by itself.
        #expect(response.url.absoluteString == server.url("/b") && response.head.status == .ok)
        #expect(response.head.headerFields[.eTag] == "\"1\"")
        #expect(response.head.headerFields[try #require(.init("X-Agent"))] == "Calotype")
        #expect(try await bytes(of: response) == body)
        #expect(files.store.keys.isEmpty)
    }

    @Test func aFailedTransferReportsItsError() async throws {
        let files = try DownloadBench()
        defer { files.remove() }
        let server = try LoopbackServer(serving: { _ in .init(200, body: Array(repeating: 1, count: 100_000)) })
        let bench = Bench(files, maximumBytes: 50_000)
        defer { bench.session.end() }
        let refused = try bench.request("http://127.0.0.1:1/a")
        for (request, code) in [(refused, ImageError.Code.connectionFailed), (try bench.request(server.url("/a")), .tooLarge)] {
            do {
                _ = try await bench.loader.load(request)
                Issue.record("It was loaded.")
            } catch let error as ImageError {
                #expect(error.code == code, "\(error)")
            }
        }
        #expect(files.store.keys.isEmpty)
    }

    @Test func aTransferBeyondTheLimitIsStoppedEarly() async throws {
        let files = try DownloadBench()
        defer { files.remove() }
        let server = try LoopbackServer { _, connection in
            try connection.writeHeaders(200, headers: [("Connection", "close")])
            try connection.write(Array(repeating: 1, count: 60_000))
            connection.waitForDisconnect()
        }
        let bench = Bench(files, maximumBytes: 50_000)
        defer { bench.session.end() }
        let error = await #expect(throws: ImageError.self) {
            try await bench.loader.load(try bench.request(server.url("/a")))
        }
        #expect(error?.code == .tooLarge)
        try await server.disconnections.wait(forCount: 1)
    }

    @Test func requestsWithCredentialsUseTheForegroundSession() async throws {
        let files = try DownloadBench()
        defer { files.remove() }
        let stranger = try LoopbackServer(serving: { .init(200, body: Array(($0["X-Api-Key"] ?? "-").utf8)) })
        let server = try LoopbackServer(serving: { _ in .init(302, headers: [("Location", stranger.url("/a"))]) })
        let bench = Bench(files)
        defer { bench.session.end() }
        var request = try bench.request(server.url("/a"))
        request.headerFields = [try #require(HTTPField.Name("X-Api-Key")): "secret"]
        #expect(try await bytes(of: bench.loader.load(request)) == Data("-".utf8))
    }

    /// Simulates a relaunch, with a session that does not outlive the process: another object finds the running
    /// download.
    @Test func aRunningDownloadIsFoundByItsDescription() async throws {
        let files = try DownloadBench()
        defer { files.remove() }
        let arrived = EventLog<Void>()
        let gate = DispatchSemaphore(value: 0)
        let server = try LoopbackServer(serving: { _ in
            arrived.append(())
            gate.wait()
            return .init(200, body: [1, 2, 3])
        })
        let bench = Bench(files)
        defer { bench.session.end() }
        let request = try bench.request(server.url("/a"))
        let load = Task { try await bytes(of: bench.loader.load(request)) }
        await arrived.wait(forCount: 1)
        let found = await bench.session.running()
        #expect(found.map(\.key) == [BackgroundRule.key(of: request)])
        gate.signal()
        #expect(try await load.value == Data([1, 2, 3]))
    }

    @Test func withoutTheOptionNoBackgroundSessionIsUsed() {
        #expect(URLSessionLoader().background == nil)
    }
}
