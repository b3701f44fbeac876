import CCalotypeHeapUsage
import CalotypeTesting
import HTTPTypes
import ImageCore
import NetworkTestKit
import Testing

@testable import ImageNetworking

/// The bytes of a body that can be resumed are kept once.
@Suite(.timeLimit(.minutes(1))) struct ResumptionBuffers {
    private static let chunkBytes = 64 << 10

    /// Serves ranges of a body, and breaks the first response.
    private final class Serving: DataLoading {
        let length: Int
        let breaksAfter: Int
        private let isFirst = Lock(true)

        init(length: Int, breaksAfter: Int) { (self.length, self.breaksAfter) = (length, breaksAfter) }

        func load(_ request: DataRequest) async throws -> DataResponse {
            let isFirst = isFirst.withLock { isFirst in
                defer { isFirst = false }
                return isFirst
            }
            let start = request.headerFields[.range].flatMap { Int($0.dropFirst(6).dropLast()) } ?? 0
            let length = length
            var head = HTTPResponse(
                status: start > 0 ? .partialContent : .ok,
                headerFields: [.eTag: "\"v1\"", .acceptRanges: "bytes", .contentLength: "\(length - start)"])
            if start > 0 { head.headerFields[.contentRange] = "bytes \(start)-\(length - 1)/\(length)" }
            let end = isFirst ? breaksAfter : length
            let position = Lock(start)
            return DataResponse(
                url: request.url, head: head,
                body: ByteStream {
                    let count = position.withLock { position in
                        let count = min(ResumptionBuffers.chunkBytes, end - position)
                        position += count
                        return count
                    }
                    if count == 0, end < length { throw ImageError(.connectionLost, message: "It was lost.") }
                    return count > 0 ? Data(repeating: 7, count: count) : nil
                })
        }
    }

    private func request(retries: Int) throws -> DataRequest {
        DataRequest(url: try #require(URL(string: "https://example.org/a")), retries: retries)
    }

    private func address(_ data: Data) -> Int { unsafe data.withUnsafeBytes { Int(bitPattern: $0.baseAddress) } }

    @Test(arguments: [0, 1])
    func theBufferHasTheChunksThatTheReaderGot(_ retries: Int) async throws {
        let loader = ResumingLoader(Serving(length: 1_000_000, breaksAfter: retries == 0 ? 1_000_000 : 300_000))
        let response = try await loader.load(try request(retries: retries))
        let buffer = try #require(response.body.buffer)
        var received = Data()
        for try await chunk in response.body {
            received += chunk
            #expect(buffer.count == received.count)
        }
        #expect(buffer.data == received && received.count == 1_000_000)
    }

    @Test func aStoredBeginningIsTheFirstChunkOfTheBuffer() async throws {
        let loader = ResumingLoader(Serving(length: 1_000_000, breaksAfter: 300_000))
        _ = try await imageError { _ = try await loader.body(of: try request(retries: 0)) }
        let response = try await loader.load(try request(retries: 0))
        let buffer = try #require(response.body.buffer)
        var chunks = response.body.makeAsyncIterator()
        #expect(try await chunks.next()?.count == 300_000)
        #expect(buffer.count == 300_000)
        while try await chunks.next() != nil {}
        #expect(buffer.data == Data(repeating: 7, count: 1_000_000))
    }

    @Test func aLongPartialBodySharesTheMemoryOfTheBuffer() async throws {
        let store = PartialBodyStore()
        let loader = ResumingLoader(Serving(length: 8_000_000, breaksAfter: 5_000_000), store: store)
        let request = try request(retries: 0)
        let response = try await loader.load(request)
        let buffer = try #require(response.body.buffer)
        _ = try await imageError { for try await _ in response.body {} }
        let partial = try #require(await store.take(ResumingLoader.key(of: request)))
        #expect(partial.bytes.count == 5_000_000 && address(partial.bytes) == address(buffer.data))
    }

    /// The buffer of a short one may be a megabyte larger.
    @Test func aShortPartialBodyIsStoredInMemoryOfItsSize() async throws {
        let store = PartialBodyStore()
        let loader = ResumingLoader(Serving(length: 8_000_000, breaksAfter: 200_000), store: store)
        let request = try request(retries: 0)
        let response = try await loader.load(request)
        let buffer = try #require(response.body.buffer)
        _ = try await imageError { for try await _ in response.body {} }
        let partial = try #require(await store.take(ResumingLoader.key(of: request)))
        #expect(partial.bytes == buffer.data && address(partial.bytes) != address(buffer.data))
    }

    @Test func observersOfABodyKeepItsBuffer() async throws {
        let resuming = ResumingLoader(Serving(length: 1_000_000, breaksAfter: 1_000_000))
        let observed = InterceptedLoader(
            NetworkAwareLoader(resuming, monitor: NetworkMonitor(status: NetworkStatus())),
            interceptors: [TransferMetricsInterceptor { _ in }])
        let response = try await observed.load(try request(retries: 0))
        let buffer = try #require(response.body.buffer)
        #expect(try await response.body.collected() == buffer.data)
    }

    @Test func aBodyThatCannotBeResumedHasNoBuffer() async throws {
        let network = ScriptedLoader { _ in .response(HTTPResponse(status: .ok), chunks: [Data([1]), Data([2])]) }
        #expect(try await ResumingLoader(network).load(try request(retries: 0)).body.buffer == nil)
    }

    @Test(arguments: [20_000_000, 15_000_000])
    func aBodyTakesItsSizeOnceWhileItArrives(_ breaksAfter: Int) async throws {
        let length = 20_000_000
        let loader = ResumingLoader(Serving(length: length, breaksAfter: breaksAfter))
        let start = clt_heap_bytes()
        let response = try await loader.load(try request(retries: 1))
        var most = start
        for try await _ in response.body { most = max(most, clt_heap_bytes()) }
        #expect(response.body.buffer?.count == length)
        #expect(most < start + length * 13 / 10, "\(most - start) bytes were used.")
    }
}
