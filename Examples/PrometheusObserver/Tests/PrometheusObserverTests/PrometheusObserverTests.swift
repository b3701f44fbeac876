import CalotypeTesting
import ImageCore
import ImageLoading
import PrometheusObserver
import Testing

@Suite(.timeLimit(.minutes(1))) struct PrometheusObserverTests {
    @Test func itKeepsTheContractOfObservers() async throws {
        try await checkObserverConformance(
            failures: { observer in
                try #require(observer.value(of: #"calotype_loads_total{result="failed"}"#).flatMap { Int($0) })
            }, output: \.text
        ) { PrometheusObserver() }
    }

    /// One load of each result, and one that still runs.
    @Test func theLoadsOfALoaderAreRendered() async throws {
        let observer = PrometheusObserver(limits: [3_600])
        let gate = Gate()
        let network = ScriptedLoader { request in
            switch request.url.lastPathComponent {
            case "cat": .body(Data([7, 7, 7]))
            case "lost": .failure(ImageError(.connectionLost, message: "The connection was lost."))
            default: .response(HTTPResponse(status: .ok), chunks: [Data([1])], gate: gate)
            }
        }
        var configuration = ImageLoader.Configuration(
            dataLoader: network, decoder: ScriptedDecoder(), memoryCache: LoggedMemoryCache())
        configuration.observers = [observer]
        let loader = ImageLoader(configuration)
        func request(_ name: String) throws -> ImageRequest {
            ImageRequest(url: try #require(URL(string: "https://user:secret@example.org/\(name)?token=secret")))
        }

        let cat = try await loader.response(for: request("cat"))
        #expect(cat.tier == .network)
        #expect(try await loader.response(for: request("cat")).tier == .memory)
        await #expect(throws: LoadFailure.self) { try await loader.response(for: request("lost")) }
        let cancelled = try loader.task(for: request("slow"))
        await gate.waitForArrivals(1)
        cancelled.cancel()
        await #expect(throws: LoadFailure.self) { try await cancelled.response }
        let running = try loader.task(for: request("slower"))
        await gate.waitForArrivals(2)

        let seconds = try #require(observer.value(of: "calotype_load_seconds_sum").flatMap { Double($0) })
        #expect(seconds > 0 && seconds < 3_600)
        #expect(
            observer.text == """
                # HELP calotype_active_loads Loads that have not ended.
                # TYPE calotype_active_loads gauge
                calotype_active_loads 1
                # HELP calotype_loads_total Loads by result.
                # TYPE calotype_loads_total counter
                calotype_loads_total{result="memory"} 1
                calotype_loads_total{result="disk"} 0
                calotype_loads_total{result="local"} 0
                calotype_loads_total{result="network"} 1
                calotype_loads_total{result="failed"} 1
                calotype_loads_total{result="cancelled"} 1
                # HELP calotype_failures_total Failed loads.
                # TYPE calotype_failures_total counter
                calotype_failures_total{code="connectionLost"} 1
                # HELP calotype_fetched_bytes_total Bytes from the network.
                # TYPE calotype_fetched_bytes_total counter
                calotype_fetched_bytes_total 3
                # HELP calotype_load_seconds Time of loads without memory hits and failures.
                # TYPE calotype_load_seconds histogram
                calotype_load_seconds_bucket{le="3600.0"} 1
                calotype_load_seconds_bucket{le="+Inf"} 1
                calotype_load_seconds_sum \(seconds)
                calotype_load_seconds_count 1

                """)
        gate.open()
        _ = try await running.response
        #expect(observer.value(of: "calotype_active_loads") == "0")
    }

    @Test func bucketsContainTheFasterLoads() {
        // The limits are sorted, and those that are no numbers are left out.
        let observer = PrometheusObserver(limits: [1, 0.5, .infinity, .nan, 1])
        for milliseconds in [100, 500, 501, 4_000] { observer.finish(after: .milliseconds(milliseconds)) }
        #expect(
            observer.samples(of: "calotype_load_seconds") == [
                #"calotype_load_seconds_bucket{le="0.5"} 2"#, #"calotype_load_seconds_bucket{le="1.0"} 3"#,
                #"calotype_load_seconds_bucket{le="+Inf"} 4"#, "calotype_load_seconds_sum 5.101", "calotype_load_seconds_count 4",
            ])
    }

    @Test func sharedBytesCountOnce() {
        let observer = PrometheusObserver()
        for isCoalesced in [false, true] {
            observer.finish(after: .zero) { ($0.byteCount, $0.isCoalesced) = (5, isCoalesced) }
        }
        #expect(observer.value(of: "calotype_fetched_bytes_total") == "5")
        #expect(observer.value(of: #"calotype_loads_total{result="network"}"#) == "2")
    }

    /// A code is a name in the code of a plug-in, but it could be made from a response.
    @Test func noCodeEndsItsLabelOrItsLine() {
        let observer = PrometheusObserver()
        for name in ["a\"} 1", "back\\slash", "two\r\nlines", "quote\"\u{301}"] { observer.fail(name) }
        #expect(
            observer.samples(of: "calotype_failures_total") == [
                #"calotype_failures_total{code="a\"} 1"} 1"#, #"calotype_failures_total{code="back\\slash"} 1"#,
                "calotype_failures_total{code=\"quote\\\"\u{301}\"} 1", "calotype_failures_total{code=\"two\r\\nlines\"} 1",
            ])
    }

    @Test func theNumberOfCodesIsLimited() {
        let observer = PrometheusObserver()
        for number in 0..<1_000 { observer.fail("code\(number)") }
        observer.fail("code7")
        #expect(observer.samples(of: "calotype_failures_total").count == 101)
        #expect(observer.value(of: #"calotype_failures_total{code="other"}"#) == "900")
        #expect(observer.value(of: #"calotype_failures_total{code="code7"}"#) == "2")
    }
}

extension PrometheusObserver {
    /// The lines of a metric without its comments. Lines end with `\n` alone.
    fileprivate func samples(of metric: String) -> [String] {
        text.unicodeScalars.split(separator: "\n").map { String($0) }.filter { $0.hasPrefix(metric) }
    }

    fileprivate func value(of sample: String) -> String? {
        samples(of: sample + " ").first.map { String($0.dropFirst(sample.count + 1)) }
    }

    fileprivate func finish(after time: Duration, _ change: (inout LoadMetrics) -> Void = { _ in }) {
        var metrics = LoadMetrics()
        metrics.total = time
        change(&metrics)
        observeEnd(.success(LoadSummary(tier: .network, metrics: metrics)))
    }

    fileprivate func fail(_ code: String) {
        observeEnd(.failure(.failed(ImageError(ImageError.Code(code, .plugIn), message: "A plug-in failed."))))
    }

    private func observeEnd(_ result: Result<LoadSummary, LoadFailure>) {
        let (load, request) = (LoadID(rawValue: 1), ImageRequest(url: URL(filePath: "/cat.jpg")))
        observe(.started, of: load, request: request)
        observe(.finished(result), of: load, request: request)
    }
}
