import CalotypeTesting
import Foundation
import ImageCore
import Testing

@testable import ImageLoading

@Suite(.timeLimit(.minutes(1))) struct Tracing {
    /// A place of its own for a trace, removed at the end.
    private final class Place {
        let path: String
        init() { path = FileManager.default.temporaryDirectory.appending(path: "trace-\(UUID().uuidString).json").path }
        deinit { try? FileManager.default.removeItem(atPath: path) }

        func events() throws -> [[String: Any]] {
            let data = try Data(contentsOf: URL(filePath: path))
            return try #require(try JSONSerialization.jsonObject(with: data) as? [[String: Any]])
        }
    }

    private let request = ImageRequest(url: url("x"))

    @Test func anEmptyTraceIsAnEmptyArray() throws {
        let place = Place()
        let trace = try TraceObserver(path: place.path)
        #expect(try place.events().isEmpty)
        trace.flush()
        #expect(try place.events().isEmpty)
    }

    @Test func aLoadIsAnIntervalWithItsStagesInside() async throws {
        let place = Place()
        let trace = try TraceObserver(path: place.path)
        let bench = Bench {
            $0.observers = [trace]
            $0.dataCache = nil
        }
        _ = try await bench.loader.image(for: url("x"))
        trace.flush()
        let events = try place.events()
        let shape = events.map { "\($0["ph"] ?? "") \($0["name"] ?? "")" }
        #expect(
            shape == [
                "b http://example.org/x", "b request", "e request", "b memoryCache", "n memory miss", "e memoryCache",
                "b network queue", "e network queue", "b network", "e network", "b decode queue", "e decode queue", "b decode",
                "e decode", "b deliver", "e deliver", "e http://example.org/x",
            ])
        #expect(Set(events.compactMap { $0["id"] as? String }).count == 1)
        let times = events.compactMap { $0["ts"] as? Double }
        #expect(times.count == events.count && times == times.sorted())
        let end = try #require(events.last?["args"] as? [String: Any])
        #expect(end["tier"] as? String == "network" && end["bytes"] as? Int == 1 && end["coalesced"] as? Bool == false)
    }

    @Test func theEndOfALoadNamesItsResult() throws {
        let place = Place()
        let trace = try TraceObserver(path: place.path)
        let error = ImageError(.timedOut, message: "Too late.", status: 504)
        for (number, failure) in [LoadFailure.failed(error), .cancelled].enumerated() {
            trace.observe(.started, of: LoadID(rawValue: UInt64(number)), request: request)
            trace.observe(.finished(.failure(failure)), of: LoadID(rawValue: UInt64(number)), request: request)
        }
        trace.flush()
        let ends = try place.events().filter { $0["ph"] as? String == "e" }.map { $0["args"] as? [String: Any] ?? [:] }
        #expect(ends.map { $0["result"] as? String } == ["failed", "cancelled"])
        #expect(ends.map { $0["error"] as? String } == ["timedOut", nil] && ends.map { $0["status"] as? Int } == [504, nil])
    }

    @Test func anArrowLeadsFromALoadToThoseThatJoinedItsWork() throws {
        let place = Place()
        let trace = try TraceObserver(path: place.path)
        trace.observe(.started, of: LoadID(rawValue: 26), request: request)
        trace.observe(.started, of: LoadID(rawValue: 27), request: request)
        trace.observe(.joined(LoadID(rawValue: 26)), of: LoadID(rawValue: 27), request: request)
        trace.flush()
        let events = try place.events()
        try #require(events.count == 3)
        #expect(events[0]["bind_id"] as? String == "0x1a" && events[0]["flow_out"] as? Bool == true)
        #expect(events[2]["id"] as? String == "0x1b" && events[2]["bind_id"] as? String == "0x1a")
        #expect(events[2]["flow_in"] as? Bool == true && events[2]["flow_out"] == nil)
        #expect((events[2]["args"] as? [String: Any])?["load"] as? Int == 26)
    }

    @Test func theFileIsWholeAfterEveryFlush() throws {
        let place = Place()
        let trace = try TraceObserver(path: place.path)
        for number in 1...5 {
            trace.observe(.started, of: LoadID(rawValue: UInt64(number)), request: request)
            trace.flush()
            #expect(try place.events().count == number)
        }
    }

    @Test func aKilledProcessLeavesAWholeTrace() async throws {
        // The child knows the place by its parent's number.
        func path(_ process: Int32) -> String { "/tmp/calotype-trace-\(process).json" }
        defer { try? FileManager.default.removeItem(atPath: path(getpid())) }
        await #expect(processExitsWith: .signal(SIGKILL)) {
            let trace = try TraceObserver(path: "/tmp/calotype-trace-\(getppid()).json")
            let request = ImageRequest(url: URL(string: "http://example.org/x")!)
            for number in 0..<5_000 { trace.observe(.started, of: LoadID(rawValue: UInt64(number)), request: request) }
            kill(getpid(), SIGKILL)
            while true { pause() }
        }
        let data = try Data(contentsOf: URL(filePath: path(getpid())))
        let events = try #require(try JSONSerialization.jsonObject(with: data) as? [Any])
        // What was gathered since the last write is gone, the rest is there.
        #expect(events.count > 4_000 && events.count < 5_000)
    }

    @Test func anEndedLoadIsWrittenOnceASecond() throws {
        let place = Place()
        let time = Lock(Duration.zero)
        let trace = try TraceObserver(path: place.path, maximumBytes: 1 << 20) { time.withLock { $0 } }
        trace.observe(.finished(.failure(.cancelled)), of: LoadID(rawValue: 1), request: request)
        #expect(try place.events().isEmpty)
        time.withLock { $0 = .seconds(1) }
        trace.observe(.started, of: LoadID(rawValue: 2), request: request)
        #expect(try place.events().isEmpty)
        trace.observe(.finished(.failure(.cancelled)), of: LoadID(rawValue: 2), request: request)
        #expect(try place.events().count == 3)
    }

    @Test func theFileStaysWithinItsLimitAndCountsWhatIsLeftOut() throws {
        let place = Place()
        let trace = try TraceObserver(path: place.path, maximumBytes: 2_000)
        for number in 0..<100 { trace.observe(.started, of: LoadID(rawValue: UInt64(number)), request: request) }
        trace.flush()
        let size = try Data(contentsOf: URL(filePath: place.path)).count
        #expect(size <= 2_000 && size > 1_800)
        #expect(try place.events().count + trace.droppedEvents == 100)
        #expect(trace.failure == nil)
    }

    @Test func namesWithQuotesAndControlCharactersStayValid() throws {
        let place = Place()
        let trace = try TraceObserver(path: place.path)
        let odd = ImageRequest(.bytes(Data(), id: "a \"quoted\"\n\\ name\u{1}é"))
        trace.observe(.started, of: LoadID(rawValue: 1), request: odd)
        trace.flush()
        #expect(try place.events().first?["name"] as? String == odd.source.description)
    }

    @Test func secretsInAURLAreNotWritten() throws {
        let place = Place()
        let trace = try TraceObserver(path: place.path)
        let secret = ImageRequest(url: URL(string: "https://user:hunter2@example.org/x?token=hunter2&hunter2&w=5#hunter2")!)
        trace.observe(.started, of: LoadID(rawValue: 1), request: secret)
        trace.flush()
        let text = try String(contentsOf: URL(filePath: place.path), encoding: .utf8)
        #expect(!text.contains("hunter2"))
        #expect(text.contains("https://example.org/x?token=...&...&w=..."))
    }

    @Test func aPlaceThatCannotBeWrittenIsAnErrorOfTheCaller() {
        let error = #expect(throws: ImageError.self) { _ = try TraceObserver(path: "/nowhere/trace.json") }
        #expect(error?.code == .fileUnwritable)
    }
}
