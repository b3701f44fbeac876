internal import HTTPTypes
public import ImageCore
package import LoopbackHTTP

/// Checks a network layer against the contract of `DataLoading`, with a real HTTP server on the loopback interface.
///
/// The server also sends malformed, truncated and endless responses. The checks are for loaders of `http` and `https`
/// URLs. Each check makes a new loader, which must not cache responses and must accept `http` URLs of 127.0.0.1.
///
/// ```swift
/// // In a test, with a custom loader:
/// try await DataLoadingConformance.check { CurlLoader() }
/// ```
public struct DataLoadingConformance: Sendable {
    /// Runs all checks one after the other.
    ///
    /// - Parameters:
    ///   - limit: The longest time that a check may take. By default 20 seconds.
    ///   - exceptions: The names of checks to skip, because the library below the loader is known not to pass them.
    ///     Empty by default. An unknown name is a failure.
    ///   - makeLoader: Makes a new loader.
    /// - Throws: ``ConformanceFailure`` for the first check that fails or exceeds `limit`.
    public static func check(
        limit: Duration = .seconds(20), except exceptions: Set<String> = [],
        _ makeLoader: @escaping @Sendable () -> any DataLoading
    ) async throws {
        let checks = all + misbehaviour
        if let unknown = exceptions.subtracting(checks.map(\.name)).min() {
            throw ConformanceFailure("No check has the name \"\(unknown)\".")
        }
        for check in checks where !exceptions.contains(check.name) { try await run(check, limit: limit, makeLoader) }
    }

    package struct Check: Sendable {
        package let name: String
        let body: @Sendable (any DataLoading) async throws -> Void

        package init(name: String, body: @escaping @Sendable (any DataLoading) async throws -> Void) {
            (self.name, self.body) = (name, body)
        }
    }

    package static func run(_ check: Check, limit: Duration, _ makeLoader: @escaping @Sendable () -> any DataLoading) async throws
    {
        let loader = makeLoader()
        do {
            try await withThrowingTaskGroup { group in
                group.addTask { try await check.body(loader) }
                group.addTask {
                    try await Task.sleep(for: limit)
                    throw ConformanceFailure("It did not end within \(limit).")
                }
                defer { group.cancelAll() }
                try await group.next()
            }
        } catch {
            let reason = (error as? ConformanceFailure)?.message ?? "An error was thrown: \(error)"
            throw ConformanceFailure("Failed: \(check.name). \(reason)")
        }
    }
}

// MARK: The checks

extension DataLoadingConformance {
    static let all: [Check] = [
        Check(name: "The response headers and the body arrive unchanged") { loader in
            let server = try LoopbackServer(serving: { request in
                LoopbackServer.Response(200, headers: [("X-Sent", request["X-Asked"] ?? "-")], body: Array(request.target.utf8))
            })
            var request = try request(server, "/a?b=c")
            if let name = HTTPField.Name("X-Asked") { request.headerFields[name] = "yes" }
            let response = try await loader.load(request)
            try ConformanceFailure.require(
                response.expectedBytes == 6,
                "The expected length was \(response.expectedBytes.map(String.init) ?? "unknown"), not 6.")
            try await expect(response, 200, [("X-Sent", "yes")], body: Data("/a?b=c".utf8))
        },
        Check(name: "A status such as 404 is a response and no error") { loader in
            try await expectUnchanged(LoopbackServer.Response(404, body: [1]), loader)
        },
        Check(name: "The first chunk is handed out while the server holds the second back") { loader in
            let gate = try LoopbackServer.Gate()
            let server = try LoopbackServer { _, connection in
                try connection.writeHeaders(200, headers: [("Content-Length", "4096")])
                try connection.write([UInt8](repeating: 1, count: 2048))
                try connection.wait(for: gate)
                try connection.write([UInt8](repeating: 2, count: 2048))
            }
            var chunks = try await loader.load(try request(server)).body.makeAsyncIterator()
            let first = try await chunks.next()
            try ConformanceFailure.require(first?.first == 1, "There was no first chunk.")
            gate.open()
            var rest = first?.count ?? 0
            while let chunk = try await chunks.next() { rest += chunk.count }
            try ConformanceFailure.require(rest == 4096, "\(rest) of 4096 bytes arrived.")
        },
        Check(name: "Cancelling before the response throws CancellationError and closes the socket") { loader in
            let server = try makeSilentServer()
            let request = try request(server)
            let task = Task { try await loader.load(request) }
            try await server.requests.wait(forCount: 1)
            task.cancel()
            try await expectCancellation { _ = try await task.value }
            try await server.disconnections.wait(forCount: 1)
        },
        Check(name: "Cancelling in the middle of a body throws CancellationError and closes the socket") { loader in
            let server = try makeStallingServer()
            let request = try request(server)
            let hasRead = try LoopbackServer.Gate()
            let task = Task {
                for try await _ in try await loader.load(request).body { hasRead.open() }
            }
            try await hasRead.waitUntilOpen()
            task.cancel()
            try await expectCancellation { try await task.value }
            try await server.disconnections.wait(forCount: 1)
        },
        Check(name: "Releasing a body unread closes the socket") { loader in
            let server = try makeStallingServer()
            let request = try request(server)
            func loadAndDrop() async throws -> Int {
                let response = try await loader.load(request)
                return response.head.status.code
            }
            let status = try await loadAndDrop()
            try ConformanceFailure.require(status == 200, "The response headers did not arrive.")
            try await server.disconnections.wait(forCount: 1)
            // Keeps the loader alive: its deallocation would close the socket, too.
            withExtendedLifetime(loader) {}
        },
        Check(name: "A body that ends early throws instead of ending") { loader in
            let server = try makeServer(sending: "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort")
            try await expectError(.connectionLost) { _ = try await body(from: server, loader) }
        },
        Check(name: "A refused connection throws connectionFailed") { loader in
            let server = try makeSilentServer()
            let request = try request(server)
            server.stop()
            try await expectError(.connectionFailed) { _ = try await loader.load(request) }
        },
        Check(name: "An unknown host throws hostNotFound") { loader in
            // A label of 64 letters is too long for a host name (RFC 1035, section 2.3.4), so no name server is
            // contacted.
            let url = URL(string: "http://\(String(repeating: "a", count: 64)).invalid/")
            guard let url else { throw ConformanceFailure("The host name gave no URL.") }
            try await expectError(.hostNotFound) { _ = try await loader.load(DataRequest(url: url)) }
        },
        Check(name: "A server that sends nothing exceeds the timeout") { loader in
            let server = try makeSilentServer()
            let request = try request(server, timeout: .milliseconds(300))
            try await expectError(.timedOut) { _ = try await loader.load(request) }
        },
        Check(name: "A slow body exceeds the timeout") { loader in
            let server = try LoopbackServer { _, connection in try connection.trickle() }
            let request = try request(server, timeout: .milliseconds(300))
            try await expectError(.timedOut) { _ = try await collect(try await loader.load(request).body) }
            try await server.disconnections.wait(forCount: 1)
        },
        Check(name: "An endless body stops at the size limit") { loader in
            let server = try LoopbackServer { _, connection in
                try connection.writeHeaders(200, headers: [("Transfer-Encoding", "chunked")])
                while true { try connection.writeChunk([UInt8](repeating: 1, count: 10_000)) }
            }
            var request = try request(server)
            request.maximumResponseBytes = 500_000
            let limited = request
            try await expectError(.tooLarge) { _ = try await collect(try await loader.load(limited).body) }
            try await server.disconnections.wait(forCount: 1)
        },
        Check(name: "Ten redirects are followed, and the final URL is known") { loader in
            let server = try makeCountdownServer()
            let response = try await loader.load(try request(server, "/10"))
            try ConformanceFailure.require(response.head.status == 200, "The status was \(response.head.status).")
            try ConformanceFailure.require(response.url.path == "/0", "The response's URL was \(response.url.absoluteString).")
        },
        Check(name: "An eleventh redirect is an error") { loader in
            let server = try makeCountdownServer()
            try await expectError(.tooManyRedirects) { _ = try await loader.load(try request(server, "/11")) }
        },
        Check(name: "Credentials do not follow a redirect to another origin") { loader in
            let otherOrigin = try LoopbackServer(serving: { request in
                LoopbackServer.Response(200, body: Array("\(request["Authorization"] ?? "")\(request["Cookie"] ?? "")".utf8))
            })
            let server = try makeServer(redirectingTo: otherOrigin.url("/"))
            var request = try request(server)
            request.headerFields[.authorization] = "Bearer secret"
            request.headerFields[.cookie] = "id=secret"
            let body = try await collect(try await loader.load(request).body)
            try ConformanceFailure.require(body.isEmpty, "The other origin was sent credentials.")
        },
        Check(name: "A redirect to a file is not followed") { loader in
            let server = try makeServer(redirectingTo: "file:///etc/hosts")
            do {
                let response = try await loader.load(try request(server))
                try ConformanceFailure.require(300..<400 ~= response.head.status.code, "It was followed.")
            } catch is ImageError {}
        },
        Check(name: "A response that is no HTTP is an error") { loader in
            let server = try makeServer(sending: "garbage without end or meaning\r\n\r\n")
            try await expectError(otherwise: "It was accepted as a response.") { _ = try await body(from: server, loader) }
        },
    ]

    package static func request(
        _ server: LoopbackServer, _ path: String = "/", timeout: Duration = .seconds(300)
    ) throws -> DataRequest {
        guard let url = URL(string: server.url(path)) else { throw ConformanceFailure("The server has no URL.") }
        return DataRequest(url: url, timeout: timeout)
    }

    /// A server that sends nothing.
    static func makeSilentServer() throws -> LoopbackServer {
        try LoopbackServer { _, connection in connection.waitForDisconnect() }
    }

    /// A server that sends the beginning of a body and then nothing.
    static func makeStallingServer() throws -> LoopbackServer {
        try LoopbackServer { _, connection in
            try connection.writeHeaders(200, headers: [("Content-Length", "100000")])
            try connection.write([UInt8](repeating: 1, count: 2048))
            connection.waitForDisconnect()
        }
    }

    /// A server that sends this text and closes the connection.
    static func makeServer(sending text: String) throws -> LoopbackServer {
        try LoopbackServer { _, connection in
            try connection.write(text)
            connection.close()
        }
    }

    static func makeServer(redirectingTo location: String) throws -> LoopbackServer {
        try LoopbackServer(serving: { _ in LoopbackServer.Response(302, headers: [("Location", location)]) })
    }

    /// A server that redirects `/n` to `/n-1` and responds to `/0`.
    static func makeCountdownServer() throws -> LoopbackServer {
        try LoopbackServer(serving: { request in
            guard let number = Int(request.path.dropFirst()), number > 0 else { return LoopbackServer.Response(200, body: [1]) }
            return LoopbackServer.Response(302, headers: [("Location", "/\(number - 1)")])
        })
    }

    static func collect(_ body: ByteStream) async throws -> Data {
        var data = Data()
        for try await chunk in body { data.append(chunk) }
        return data
    }

    package static func body(from server: LoopbackServer, _ loader: any DataLoading) async throws -> Data {
        try await collect(try await loader.load(try request(server)).body)
    }

    static func expect(
        _ response: DataResponse, _ status: Int, _ headers: [(name: String, value: String)] = [], body expected: Data
    ) async throws {
        try ConformanceFailure.require(response.head.status.code == status, "The status was \(response.head.status).")
        for (name, value) in headers {
            let found = HTTPField.Name(name).flatMap { response.head.headerFields[$0] }
            try ConformanceFailure.require(found == value, "\(name) was \(found ?? "lost"), not \(value).")
        }
        let body = try await collect(response.body)
        try ConformanceFailure.require(
            body == expected, "The body had \(body.count) bytes, or other bytes than the \(expected.count) that were sent.")
    }

    /// Expects that the loader returns a server's response unchanged.
    static func expectUnchanged(
        _ response: LoopbackServer.Response, _ loader: any DataLoading, headerFields: HTTPFields = [:]
    ) async throws {
        let server = try LoopbackServer(serving: { _ in response })
        var request = try request(server)
        request.headerFields = headerFields
        try await expect(try await loader.load(request), response.status, response.headers, body: Data(response.body))
    }

    static func expectCancellation(_ body: () async throws -> Void) async throws {
        do { try await body() } catch is CancellationError { return }
        throw ConformanceFailure("Nothing was thrown.")
    }

    /// Expects an ``ImageError``, with the code unless that is `nil`.
    package static func expectError(
        _ code: ImageError.Code? = nil, otherwise reason: String = "Nothing was thrown.", _ body: () async throws -> Void
    ) async throws {
        do { try await body() } catch let error as ImageError {
            return try ConformanceFailure.require(code == nil || error.code == code, "The error was \(error.code): \(error)")
        }
        throw ConformanceFailure(reason)
    }
}
