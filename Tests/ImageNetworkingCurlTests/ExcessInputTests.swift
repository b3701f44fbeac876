import CalotypeSystem
import HTTPTypes
import ImageCore
import ImageNetworkingCurl
import LoopbackHTTP
import NetworkTestKit
import Testing

@Suite(.timeLimit(.minutes(1)))
struct ConnectionsWithExcessInput {
    /// A second response that no request asked for.
    private static let excess = LoopbackServer.text(of: "wrong")

    @Test(arguments: [HTTPRequest.Method.get, .post])
    func areNotReused(_ method: HTTPRequest.Method) async throws {
        let hasLoaded = try LoopbackServer.Gate()
        let server = try LoopbackServer { request, connection in
            try connection.write(LoopbackServer.text(of: request.target))
            guard request.target == "/first" else { return }
            try connection.wait(for: hasLoaded)
            try connection.write(Self.excess)
        }
        let loader = CurlLoader()
        #expect(try await loader.load(try server.request("/first")).body.text() == "/first")
        hasLoaded.open()
        try #require(hasInput(socketConnected(to: server.port)))
        var request = try server.request("/second")
        request.method = method
        #expect(try await loader.load(request).body.text() == "/second")
        #expect(server.connections.value == 2)
        #expect(try await loader.load(try server.request("/third")).body.text() == "/third")
        #expect(server.connections.value == 2)
    }

    @Test func areNotReusedAfterTheyWereReused() async throws {
        let hasLoaded = try LoopbackServer.Gate()
        let server = try LoopbackServer { request, connection in
            try connection.write(LoopbackServer.text(of: request.target))
            guard request.target == "/second" else { return }
            try connection.wait(for: hasLoaded)
            try connection.write(Self.excess)
        }
        let loader = CurlLoader()
        for target in ["/first", "/second"] {
            #expect(try await loader.load(try server.request(target)).body.text() == target)
        }
        #expect(server.connections.value == 1)
        hasLoaded.open()
        try #require(hasInput(socketConnected(to: server.port)))
        #expect(try await loader.load(try server.request("/third")).body.text() == "/third")
        #expect(server.connections.value == 2)
    }

    @Test func areNotReusedIfTheExcessCameWithTheBody() async throws {
        let hasBegun = try LoopbackServer.Gate()
        let server = try serverOfExcess(after: hasBegun)
        let loader = CurlLoader()
        let first = try await loader.load(try server.request("/first"))
        hasBegun.open()
        #expect(try await first.body.text() == "/first")
        #expect(try await loader.load(try server.request("/second")).body.text() == "/second")
        #expect(server.connections.value == 2)
    }

    /// libcurl gives the connection of a transfer that has ended to the next one before it reports that end.
    @Test func areNotReusedByATransferThatStartsWhileTheFirstEnds() async throws {
        let hasBegun = try LoopbackServer.Gate()
        let server = try serverOfExcess(after: hasBegun)
        let loader = CurlLoader()
        let (firstRequest, secondRequest) = (try server.request("/first"), try server.request("/second"))
        try await withTaskExecutorPreference(CallerExecutor()) {
            let first = try await loader.load(firstRequest)
            // This runs on the loop's thread, so that the loop sees the second request and the end of the first at
            // once.
            hasBegun.open()
            try #require(hasInput(socketConnected(to: server.port)))
            async let second = loader.load(secondRequest)
            #expect(try await first.body.text() == "/first")
            #expect(try await second.body.text() == "/second")
        }
        #expect(server.connections.value == 2)
    }

    /// A server that waits for the gate within its first response, and then sends the excess together with the last
    /// bytes.
    private func serverOfExcess(after hasBegun: LoopbackServer.Gate) throws -> LoopbackServer {
        try LoopbackServer { request, connection in
            let text = LoopbackServer.text(of: request.target)
            guard request.target == "/first" else { return try connection.write(text) }
            try connection.write(String(text.dropLast(2)))
            try connection.wait(for: hasBegun)
            try connection.write(text.suffix(2) + Self.excess)
        }
    }

    /// Runs a job on the thread that makes it ready.
    private final class CallerExecutor: TaskExecutor {
        func enqueue(_ job: consuming ExecutorJob) { unsafe job.runSynchronously(on: asUnownedTaskExecutor()) }
    }

    /// The descriptor of this process's connection to a local port.
    private func socketConnected(to port: Int) throws -> Int32 {
        try #require(
            (0..<1024).first { descriptor in
                var address = sockaddr_in()
                var size = socklen_t(MemoryLayout<sockaddr_in>.size)
                let isConnected = unsafe withUnsafeMutablePointer(to: &address) { typed in
                    unsafe typed.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                        unsafe getpeername(descriptor, $0, &size) == 0
                    }
                }
                return isConnected && address.sin_family == AF_INET && address.sin_port == UInt16(port).bigEndian
            })
    }

    /// Waits until there is something to read.
    private func hasInput(_ socket: Int32) -> Bool {
        var descriptor = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
        return unsafe poll(&descriptor, 1, 10_000) == 1
    }
}
