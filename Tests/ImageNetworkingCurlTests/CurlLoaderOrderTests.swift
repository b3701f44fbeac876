import ImageCore
import ImageNetworkingCurl
import LoopbackHTTP
import NetworkTestKit
import Testing

@Suite(.timeLimit(.minutes(1)))
struct CurlLoaderOrder {
    @available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
    @Test func waitingTransfersStartInTheOrderOfTheirArrivalWhateverTheirPriority() async throws {
        let gate = try LoopbackServer.Gate()
        let targets = Lock<[String]>([])
        let server = try LoopbackServer { request, connection in
            targets.withLock { $0.append(request.target) }
            if request.target == "/first" { try connection.wait(for: gate) }
            try connection.respond(LoopbackServer.Response(200))
        }
        var limits = CurlLoader.Limits()
        limits.connectionsPerHost = 1
        let loader = CurlLoader(limits: limits)
        // An immediate task has posted its request when it returns to its creator.
        func load(_ path: String, _ priority: LoadPriority) throws -> Task<Data, any Error> {
            var request = try server.request(path)
            request.priority = priority
            return Task.immediate { [request] in try await loader.body(of: request) }
        }
        let first = try load("/first", .normal)
        try await server.requests.wait(forCount: 1)
        let others = try LoadPriority.allCases.map { try load("/\($0.rawValue)", $0) }
        gate.open()
        for task in [first] + others { _ = try await task.value }
        #expect(targets.withLock { $0 } == ["/first"] + LoadPriority.allCases.map { "/\($0.rawValue)" })
    }
}
