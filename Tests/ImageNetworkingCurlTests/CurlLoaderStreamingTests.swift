import HTTPTypes
import ImageCore
import ImageNetworkingCurl
import LoopbackHTTP
import NetworkTestKit
import Testing

@Suite(.timeLimit(.minutes(1)))
struct CurlLoaderStreaming {
    let loader = CurlLoader()

    @Test func theFirstChunkIsReturnedBeforeTheSecondIsSent() async throws {
        let gate = try LoopbackServer.Gate()
        let server = try LoopbackServer { _, connection in
            try connection.writeHeaders(200, headers: [("Content-Length", "10")])
            try connection.write("first")
            try connection.wait(for: gate)
            try connection.write("later")
        }
        let response = try await loader.load(try server.request())
        var chunks = response.body.makeAsyncIterator()
        #expect(try await chunks.next() == Data("first".utf8))
        gate.open()
        #expect(try await chunks.next() == Data("later".utf8))
        #expect(try await chunks.next() == nil)
    }

    @Test func responseHeadersAreReturnedBeforeTheBody() async throws {
        let gate = try LoopbackServer.Gate()
        let server = try LoopbackServer { _, connection in
            try connection.writeHeaders(200, headers: [("Content-Length", "4")])
            try connection.wait(for: gate)
            try connection.write("body")
        }
        let response = try await loader.load(try server.request())
        #expect(response.head.status == 200)
        gate.open()
        #expect(try await response.body.text() == "body")
    }

    /// What the server can send before its socket is full limits what the loader holds.
    @Test func anUnreadBodyIsNotReceivedBeyondTheWindow() async throws {
        let sent = Lock(0)
        let server = try LoopbackServer { _, connection in
            try connection.writeHeaders(200, headers: [("Transfer-Encoding", "chunked")])
            let piece = [UInt8](repeating: 1, count: 64 << 10)
            while true {
                try connection.writeChunk(piece)
                sent.withLock { $0 += piece.count }
            }
        }
        var configuration = CurlLoader.Configuration()
        configuration.window = 128 << 10
        let loader = CurlLoader(configuration)
        let response = try await loader.load(try server.request(maximumResponseBytes: 1 << 30))
        var chunks = response.body.makeAsyncIterator()
        let port = try RefusingPort()
        defer { withExtendedLifetime(port) {} }
        var largest = 0
        var read = 0
        while read < 64 << 20 {
            let chunk = try #require(try await chunks.next())
            largest = max(largest, chunk.count)
            read += chunk.count
            // Other transfers wake the loop, so that it would receive more if it could.
            if read % 7 == 0 { _ = try? await loader.load(DataRequest(url: port.url)) }
        }
        #expect(largest <= 2 * configuration.window)
        // The sockets hold bytes, too, which neither side counts.
        #expect(sent.withLock { $0 } - read <= 2 * configuration.window + mostInSockets())
    }

    @Test func everyByteArrivesInOrderThroughPauses() async throws {
        let count = 8 << 20
        let server = try LoopbackServer(serving: { _ in
            LoopbackServer.Response(200, body: (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 16) })
        })
        var configuration = CurlLoader.Configuration()
        configuration.window = 20_000
        let response = try await CurlLoader(configuration).load(try server.request())
        var position = 0
        for try await chunk in response.body {
            let isRight = zip(chunk, position...).allSatisfy { $0 == UInt8(truncatingIfNeeded: $1 &* 2_654_435_761 >> 16) }
            try #require(isRight)
            position += chunk.count
            await Task.yield()
        }
        #expect(position == count)
    }

    /// libcurl delivers up to 16 KB at a time.
    @Test(arguments: [1, 1000, 16_000])
    func aSmallWindowBlocksNothing(_ window: Int) async throws {
        let count = 1 << 20
        let server = try LoopbackServer(serving: { _ in .init(200, body: [UInt8](repeating: 1, count: count)) })
        var configuration = CurlLoader.Configuration()
        configuration.window = window
        var position = 0
        for try await chunk in try await CurlLoader(configuration).load(try server.request(timeout: .seconds(10))).body {
            position += chunk.count
            await Task.yield()
        }
        #expect(position == count)
    }
}
