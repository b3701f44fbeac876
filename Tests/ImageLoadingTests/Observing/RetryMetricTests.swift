import CalotypeTesting
import Foundation
import HTTPTypes
import ImageCore
import ImageLoading
import ImageNetworking
import Testing

/// Retries and times in the metrics, also of loads that fail (FEATURES 13.1).
@Suite(.timeLimit(.minutes(1))) struct RetryMetrics {
    private static let noWait = RetryPolicy(maximumRetries: 2, baseDelay: .zero, multiplier: 1)

    /// Loses the connection after two of four bytes, `breaks` times, and then sends the rest.
    private struct Breaking: DataLoading {
        let breaks: Int
        let requests = EventLog<String>()

        func load(_ request: DataRequest) async throws -> DataResponse {
            requests.append(request.headerFields[.range] ?? "all")
            let isPart = request.headerFields[.range] != nil, breaks = requests.count <= breaks
            var head = HTTPResponse(status: isPart ? .partialContent : .ok)
            head.headerFields = [.eTag: "\"1\"", .acceptRanges: "bytes", .contentLength: isPart ? "2" : "4"]
            if isPart { head.headerFields[.contentRange] = "bytes 2-3/4" }
            let chunks = Lock(isPart && breaks ? [] : [Data([7, 7])])
            return DataResponse(
                url: request.url, head: head,
                body: ByteStream {
                    if let chunk = chunks.withLock({ $0.popLast() }) { return chunk }
                    if breaks { throw ImageError(.connectionLost, message: "The connection was lost.") }
                    return nil
                })
        }
    }

    private func loader(_ network: some DataLoading) -> ImageLoader {
        ImageLoader(.init(dataLoader: network, decoder: ScriptedDecoder()))
    }

    @Test(arguments: [1, 2]) func aResumedLoadReportsItsResumptionsAsRetries(breaks: Int) async throws {
        let network = Breaking(breaks: breaks)
        let response = try await loader(ResumingLoader(RetryingLoader(network, policy: Self.noWait)))
            .response(for: ImageRequest(url: url("x")))
        #expect(network.requests.count == breaks + 1)
        #expect(response.metrics.retries == breaks)
    }

    @Test func aFailedLoadHasMetrics() async {
        struct Ends: LoadObserving {
            let log = EventLog<LoadMetrics?>()
            func observe(_ observation: LoadObservation, of load: LoadID, request: ImageRequest) {
                if case .finished(.failure(let failure)) = observation { log.append(failure.metrics) }
            }
        }
        let ends = Ends()
        let network = RetryingLoader(
            ScriptedLoader { _ in throw ImageError(.connectionFailed, message: "no") }, policy: Self.noWait)
        var configuration = ImageLoader.Configuration(dataLoader: network, decoder: ScriptedDecoder())
        configuration.observers = [ends]
        let loader = ImageLoader(configuration)
        let failure = await #expect(throws: LoadFailure.self) { try await loader.image(for: url("x")) }
        #expect(failure?.metrics?.retries == 2)
        #expect(failure?.metrics?.total ?? .zero > .zero && failure?.metrics?.network ?? .zero > .zero)
        #expect(ends.log.events == [failure?.metrics])
    }

    @Test func aLoadThatSharedAFetchWhichFailedSaysSo() async {
        let network = ScriptedLoader(gate: Gate()) { _ in throw ImageError(.connectionFailed, message: "no") }
        let loader = loader(network)
        let tasks = (0..<2).map { _ in loader.task(for: ImageRequest(url: url("x"))) }
        network.gate.open()
        var coalesced: [Bool?] = []
        for task in tasks {
            let failure = await #expect(throws: LoadFailure.self) { try await task.response }
            coalesced.append(failure?.metrics?.isCoalesced)
        }
        #expect(coalesced == [false, true])
    }

    @Test func theRetriesBeforeAStatusCount() async {
        let network = RetryingLoader(
            ScriptedLoader { _ in .response(HTTPResponse(status: .serviceUnavailable), chunks: []) }, policy: Self.noWait)
        let failure = await #expect(throws: LoadFailure.self) { try await loader(network).image(for: url("x")) }
        #expect(failure?.status == 503 && failure?.metrics?.retries == 2)
    }

    @Test func theMetricsOfADecodeThatFailsHaveItsFetch() async {
        let network = ScriptedLoader { _ in .body(Data([0xFF])) }
        var request = ImageRequest(url: url("x"))
        request.options.processors = [RecordingProcessor("p")]
        let failure = await #expect(throws: LoadFailure.self) { try await loader(network).image(for: request) }
        #expect(failure?.code == .corrupt && failure?.metrics?.byteCount == 1)
        #expect(failure?.metrics?.network ?? .zero > .zero && failure?.metrics?.decode ?? .zero > .zero)
    }
}
