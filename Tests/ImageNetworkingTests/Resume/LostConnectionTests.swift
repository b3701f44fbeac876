import HTTPTypes
import ImageCore
import ImageNetworkingCurl
import LoopbackHTTP
import NetworkTestKit
import Testing

@testable import ImageNetworking

@Suite(.timeLimit(.minutes(1)))
struct DroppedLines {
    private static let body = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 13) }

    /// Serves the body or the requested range, and records the ranges.
    private final class Origin: Sendable {
        private let noted = Lock<[String]>([])

        var ranges: [String] { noted.withLock { $0 } }

        func server() throws -> LoopbackServer {
            try LoopbackServer(serving: { [self] request in
                noted.withLock { $0.append(request["Range"] ?? "-") }
                var fields = [(name: "ETag", value: "\"v1\""), (name: "Accept-Ranges", value: "bytes")]
                guard let range = request["Range"], request["If-Range"] == "\"v1\"",
                    let start = Int(range.dropFirst(6).dropLast())
                else { return LoopbackServer.Response(200, headers: fields, body: DroppedLines.body) }
                let count = DroppedLines.body.count
                fields.append((name: "Content-Range", value: "bytes \(start)-\(count - 1)/\(count)"))
                return LoopbackServer.Response(206, headers: fields, body: Array(DroppedLines.body[start...]))
            })
        }
    }

    /// A server that forwards every connection to `origin` over the unreliable connection.
    private func front(_ line: UnreliableConnection, _ origin: LoopbackServer) throws -> LoopbackServer {
        let port = origin.port
        return try LoopbackServer(connecting: { connection in try line.carry(connection, to: port) })
    }

    @Test func aLoadResumesWhenItsConnectionIsRestored() async throws {
        let origin = Origin()
        let server = try origin.server()
        let line = UnreliableConnection(breaksAfter: 100_000)
        let front = try front(line, server)
        // The connection stays broken for two attempts, and is restored during the wait for the third.
        let waits = Lock(0)
        let clock = RecordingClock(onSleep: {
            let count = waits.withLock { count in
                count += 1
                return count
            }
            if count == 2 { line.restore() }
        })
        let loader = ResumingLoader(RetryingLoader(CurlLoader(), policy: .aggressive, clock: clock))
        var request = try front.request()
        request.retries = 3
        #expect(Array(try await loader.body(of: request)) == Self.body)
        #expect(clock.slept.count == 2)
        #expect(origin.ranges.count == 2)
        let start = try #require(origin.ranges.last.flatMap { Int($0.dropFirst(6).dropLast()) })
        #expect((1...100_000).contains(start))
    }

    @Test func aLoadWithoutAConnectionFailsAndTheNextOneResumes() async throws {
        let origin = Origin()
        let server = try origin.server()
        let line = UnreliableConnection(breaksAfter: 100_000)
        let front = try front(line, server)
        let loader = ResumingLoader(RetryingLoader(CurlLoader(), policy: .aggressive, clock: RecordingClock()))
        var request = try front.request()
        request.retries = 2
        #expect(try await imageError { _ = try await loader.body(of: request) }.code == .connectionLost)
        line.restore()
        #expect(Array(try await loader.body(of: request)) == Self.body)
        #expect(origin.ranges.count == 2)
        #expect(origin.ranges.last?.hasPrefix("bytes=") == true)
    }
}
