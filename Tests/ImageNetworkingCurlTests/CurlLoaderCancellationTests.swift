import HTTPTypes
import ImageCore
import ImageNetworkingCurl
import LoopbackHTTP
import NetworkTestKit
import Testing

@Suite(.timeLimit(.minutes(1)))
struct CurlLoaderCancellation {
    let loader = CurlLoader()

    @Test func aLoadCancelledBeforeItStartsNeverReachesTheServer() async throws {
        let server = try LoopbackServer.answering(body: "x")
        let request = try server.request()
        let gate = try LoopbackServer.Gate()
        let task = Task {
            try? await gate.waitUntilOpen()
            return try await loader.load(request)
        }
        task.cancel()
        gate.open()
        await #expect(throws: CancellationError.self) { try await task.value }
        // A request that does arrive shows that the loop has run.
        _ = try await loader.body(of: request)
        #expect(server.requests.value == 1)
    }

    @Test func cancellingWhileTheServerIsSilentClosesTheSocket() async throws {
        let server = try LoopbackServer { _, connection in connection.waitForDisconnect() }
        let request = try server.request()
        let task = Task { try await loader.load(request) }
        try await server.requests.wait(forCount: 1)
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        try await server.disconnections.wait(forCount: 1)
    }

    #if os(Linux)
        @Test func cancellingWhileConnectingIsPromptAndClosesTheSocket() async throws {
            // A listener whose queue is full neither accepts nor refuses.
            let listener = try SilentListener()
            let before = try listener.connectingClients()
            let request = DataRequest(url: listener.url, timeout: .seconds(300))
            var configuration = CurlLoader.Configuration()
            configuration.connectTimeout = .seconds(300)
            let loader = CurlLoader(configuration)
            let task = Task { try await loader.load(request) }
            while try listener.connectingClients() == before { await Task.yield() }
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            while try listener.connectingClients() > before {
                try Task.checkCancellation()
                await Task.yield()
            }
            // Until here the loader lived, so it was not its own end that closed the socket.
            await loader.close()
        }
    #endif

    @Test func cancellingInMidBodyEndsTheReadAndClosesTheSocket() async throws {
        let server = try LoopbackServer { _, connection in
            try connection.writeHeaders(200, headers: [("Content-Length", "100")])
            try connection.write("some")
            connection.waitForDisconnect()
        }
        let request = try server.request()
        let hasRead = try LoopbackServer.Gate()
        let task = Task {
            var count = 0
            for try await chunk in try await loader.load(request).body {
                count += chunk.count
                hasRead.open()
            }
            return count
        }
        try await hasRead.waitUntilOpen()
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        try await server.disconnections.wait(forCount: 1)
    }

    @Test func droppingTheBodyUnreadClosesTheSocket() async throws {
        let server = try LoopbackServer { _, connection in
            try connection.writeHeaders(200, headers: [("Content-Length", "100")])
            try connection.write("some")
            connection.waitForDisconnect()
        }
        let request = try server.request()
        func loadAndDrop() async throws { #expect(try await loader.load(request).head.status == 200) }
        try await loadAndDrop()
        try await server.disconnections.wait(forCount: 1)
        // Until here the loader lived, so it was not its own end that closed the socket.
        await loader.close()
    }

    @Test func aCancelledLoadFreesItsConnectionForTheNext() async throws {
        var limits = CurlLoader.Limits()
        limits.connectionsPerHost = 1
        let loader = CurlLoader(limits: limits)
        let server = try LoopbackServer { request, connection in
            if request.target == "/held" { return connection.waitForDisconnect() }
            try connection.respond(LoopbackServer.Response(200, body: [1]))
        }
        let (held, free) = (try server.request("/held"), try server.request("/free"))
        let first = Task { try await loader.load(held) }
        try await server.requests.wait(forCount: 1)
        let second = Task { try await loader.body(of: free) }
        first.cancel()
        #expect(try await second.value == Data([1]))
    }

    @Test func closingTheLoaderEndsRunningAndLaterLoads() async throws {
        let server = try LoopbackServer { _, connection in connection.waitForDisconnect() }
        let request = try server.request()
        let task = Task { try await loader.load(request) }
        try await server.requests.wait(forCount: 1)
        await loader.close()
        #expect(try await imageError { _ = try await task.value }.code == .loaderClosed)
        #expect(try await imageError { _ = try await loader.load(request) }.code == .loaderClosed)
        try await server.disconnections.wait(forCount: 1)
        await loader.close()
    }

    @Test func aBodyOutlivesItsLoader() async throws {
        let gate = try LoopbackServer.Gate()
        let server = try LoopbackServer { _, connection in
            try connection.writeHeaders(200, headers: [("Content-Length", "4")])
            try connection.wait(for: gate)
            try connection.write("body")
        }
        let request = try server.request()
        func body() async throws -> ByteStream { try await CurlLoader().load(request).body }
        let stream = try await body()
        gate.open()
        #expect(try await stream.text() == "body")
    }
}
