import CalotypeLogging
import CalotypeMetrics
import CalotypeTesting
import Foundation
import ImageCore
import ImageLoading
import InMemoryLogging
import Logging
import MetricsTestKit
import Testing

/// Traces, logs and metrics record every observation. Signposts are tested with the sources for Apple platforms.
@Suite struct ObserversRecordTheSameObservations {
    private let request = ImageRequest(url: URL(string: "https://example.org/x")!)

    /// All kinds of observations. Every observer must record each of them.
    private enum Kind: Hashable, CaseIterable {
        case started, joined, waitBegan, waitEnded, stageBegan, progress, stageEnded, cacheLookup, cacheFailed, finished

        init(_ observation: LoadObservation) {
            switch observation {
            case .started: self = .started
            case .joined: self = .joined
            case .waitBegan: self = .waitBegan
            case .waitEnded: self = .waitEnded
            case .stageBegan: self = .stageBegan
            case .progress: self = .progress
            case .stageEnded: self = .stageEnded
            case .cacheLookup: self = .cacheLookup
            case .cacheFailed: self = .cacheFailed
            case .finished: self = .finished
            }
        }
    }

    private func send(to observer: some LoadObserving) throws {
        for observation in try LoadObservation.samples() {
            observer.observe(observation, of: LoadID(rawValue: 2), request: request)
        }
    }

    @Test func theSamplesAreOfEveryKindAndStage() throws {
        let samples = try LoadObservation.samples()
        #expect(Set(samples.map { Kind($0) }) == Set(Kind.allCases))
        let stages = samples.compactMap { if case .stageBegan(let stage) = $0 { stage } else { nil } }
        #expect(stages == LoadStage.allCases)
    }

    @Test func aTraceRecordsEveryObservation() throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "trace-\(UUID().uuidString).json").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        let trace = try TraceObserver(path: path)
        try send(to: trace)
        trace.flush()
        let data = try Data(contentsOf: URL(filePath: path))
        let events = try #require(try JSONSerialization.jsonObject(with: data) as? [[String: Any]])
        let expected = try LoadObservation.samples().map { observation in
            switch observation {
            case .started: "b https://example.org/x"
            case .joined: "n joined"
            case .waitBegan(let stage): "b \(stage.rawValue) queue"
            case .waitEnded(let stage, _): "e \(stage.rawValue) queue"
            case .stageBegan(let stage): "b \(stage.rawValue)"
            case .progress: "n progress"
            case .stageEnded(let stage, _): "e \(stage.rawValue)"
            case .cacheLookup(let tier, let isHit): "n \(tier.rawValue) \(isHit ? "hit" : "miss")"
            case .cacheFailed: "n cache failed"
            case .finished: "e https://example.org/x"
            }
        }
        #expect(events.map { "\($0["ph"] ?? "") \($0["name"] ?? "")" } == expected)
        let joined = try #require(events.first { $0["name"] as? String == "joined" })
        #expect((joined["args"] as? [String: Any])?["load"] as? Int == 1)
    }

    @Test func aLogHasAnEntryForEveryObservation() throws {
        let store = InMemoryLogHandler()
        var handler = store
        handler.logLevel = .trace
        try send(to: LoadLogger(Logger(label: "test") { [handler] _ in handler }))
        let expected = try LoadObservation.samples().map { observation in
            switch observation {
            case .started: "load started"
            case .joined: "load joined 1"
            case .waitBegan(let stage): "wait began \(stage.rawValue)"
            case .waitEnded(let stage, _): "wait ended \(stage.rawValue) 2.0"
            case .stageBegan(let stage): "stage began \(stage.rawValue)"
            case .progress: "bytes arrived 1 2"
            case .stageEnded(let stage, _): "stage ended \(stage.rawValue) 3.0"
            case .cacheLookup(let tier, let isHit): "cache \(isHit ? "hit" : "miss") \(tier.rawValue)"
            case .cacheFailed: "cache failed timedOut"
            case .finished: "load finished network"
            }
        }
        let seen = store.entries.map { entry in
            let keys =
                entry.message == "load finished"
                ? ["tier"] : ["joined", "stage", "cache", "code", "received", "expected", "milliseconds"]
            return ([entry.message.description] + keys.compactMap { entry.metadata[$0]?.description }).joined(separator: " ")
        }
        #expect(seen == expected)
    }

    @Test func metricsRecordEveryObservation() throws {
        let metrics = TestMetrics()
        try send(to: LoadMeter(factory: metrics))
        for observation in try LoadObservation.samples() {
            switch observation {
            case .started: #expect(try metrics.expectCounter("calotype_loads_started_total").totalValue == 1)
            case .joined: #expect(try metrics.expectCounter("calotype_joins_total").totalValue == 1)
            // A stage is recorded once, when it ends.
            case .waitBegan(let stage), .waitEnded(let stage, _):
                let timer = try metrics.expectTimer("calotype_wait_seconds", [("stage", stage.rawValue)])
                #expect(timer.values == [2_000_000])
            case .stageBegan(let stage), .stageEnded(let stage, _):
                let timer = try metrics.expectTimer("calotype_stage_seconds", [("stage", stage.rawValue)])
                #expect(timer.values == [3_000_000])
            // Bytes are counted once, when the load ends.
            case .progress: #expect(try metrics.expectCounter("calotype_fetched_bytes_total").values.count == 1)
            case .cacheLookup(let tier, let isHit):
                let dimensions = [("cache", tier.rawValue), ("result", isHit ? "hit" : "miss")]
                #expect(try metrics.expectCounter("calotype_cache_requests_total", dimensions).totalValue == 1)
            case .cacheFailed:
                #expect(try metrics.expectCounter("calotype_cache_failures_total", [("code", "timedOut")]).totalValue == 1)
            case .finished:
                #expect(try metrics.expectCounter("calotype_loads_total", [("result", "network")]).totalValue == 1)
                #expect(try metrics.expectTimer("calotype_load_seconds").values.count == 1)
            }
        }
    }
}
