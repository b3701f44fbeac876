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
    ///   - exceptions: The names of rules to skip, because the library below the loader is known not to keep them.
    ///     Empty by default. A name that is not in ``ConformanceRule/all`` is a violation.
    ///   - makeLoader: Makes a new loader.
    /// - Throws: ``ConformanceFailure`` with all violations.
    public static func check(
        limit: Duration = .seconds(20), except exceptions: Set<String> = [],
        _ makeLoader: @escaping @Sendable () -> any DataLoading
    ) async throws {
        let checks = all + misbehaviour
        var violations = exceptions.subtracting(checks.map(\.name)).sorted().map { name in
            Check(name) { _ in }.violation("No rule has the name \"\(name)\".")
        }
        for check in checks where !exceptions.contains(check.name) {
            do { try await run(check, limit: limit, makeLoader) } catch let failure as ConformanceFailure {
                violations += failure.violations
            }
        }
        try throwFailure(violations)
    }

    /// The rules, one for each check.
    static var rules: [ConformanceRule] { (all + misbehaviour).map(\.rule) }

    package struct Check: Sendable {
        package let name: String
        let body: @Sendable (LoaderProbe) async throws -> Void

        package init(_ name: String, _ body: @escaping @Sendable (LoaderProbe) async throws -> Void) {
            (self.name, self.body) = (name, body)
        }

        var rule: ConformanceRule { ConformanceRule(plugIn: "DataLoading (HTTP)", name: name, sentence: name + ".") }

        func violation(_ message: String) -> ConformanceFailure.Violation {
            ConformanceFailure.Violation(rule: rule, message: message)
        }
    }

    /// Runs a check with a new loader.
    package static func run(
        _ check: Check, limit: Duration, _ makeLoader: @escaping @Sendable () -> any DataLoading
    ) async throws {
        let probe = LoaderProbe(loader: makeLoader())
        do {
            try await withTimeLimit(limit) { try await check.body(probe) }
        } catch {
            let reason = error is RuleViolation ? text(of: error) : "It threw \(text(of: error))."
            throw ConformanceFailure(violations: [check.violation(reason)])
        }
    }
}

/// The loader of one check.
package struct LoaderProbe: Sendable {
    let loader: any DataLoading

    /// Loads from a server.
    package func load(
        _ server: LoopbackServer, _ path: String = "/", _ change: (inout DataRequest) -> Void = { _ in }
    ) async throws -> DataResponse {
        guard let url = URL(string: server.url(path)) else { throw RuleViolation("The server has no URL.") }
        var request = DataRequest(url: url, timeout: .seconds(300))
        change(&request)
        return try await loader.load(request)
    }

    /// Loads the whole body of a server's response.
    package func body(of server: LoopbackServer, _ change: (inout DataRequest) -> Void = { _ in }) async throws -> Data {
        try await load(server, "/", change).body.reduce(into: Data()) { $0.append($1) }
    }
}

// MARK: The checks

extension DataLoadingConformance {
    static let all: [Check] = [
        Check("The response headers and the body arrive unchanged") { probe in
            let server = try LoopbackServer(serving: { request in
                Response(200, headers: [("X-Sent", request["X-Asked"] ?? "-")], body: Array(request.target.utf8))
            })
            let response = try await probe.load(server, "/a?b=c") { request in
                if let name = HTTPField.Name("X-Asked") { request.headerFields[name] = "yes" }
            }
            let length = response.expectedBytes.map(String.init) ?? "unknown"
            try require(response.expectedBytes == 6, "The expected length was \(length), not 6.")
            try await expect(response, 200, [("X-Sent", "yes")], body: Data("/a?b=c".utf8))
        },
        passesOn("A status such as 404 is a response and no error", Response(404, body: [1])),
        Check("The first chunk is handed out while the server holds the second back") { probe in
            let gate = try LoopbackServer.Gate()
            let server = try LoopbackServer { _, connection in
                try connection.writeHeaders(200, headers: [("Content-Length", "4096")])
                try connection.write([UInt8](repeating: 1, count: 2048))
                try connection.wait(for: gate)
                try connection.write([UInt8](repeating: 2, count: 2048))
            }
            var chunks = try await probe.load(server).body.makeAsyncIterator()
            let first = try await chunks.next()
            try require(first?.first == 1, "There was no first chunk.")
            gate.open()
            var rest = first?.count ?? 0
            while let chunk = try await chunks.next() { rest += chunk.count }
            try require(rest == 4096, "\(rest) of 4096 bytes arrived.")
        },
        Check("Cancelling before the response throws CancellationError and closes the socket") { probe in
            let server = try makeSilentServer()
            let task = Task { try await probe.load(server) }
            try await server.requests.wait(forCount: 1)
            task.cancel()
            try await expectCancellation(of: task)
            try await server.disconnections.wait(forCount: 1)
        },
        Check("Cancelling in the middle of a body throws CancellationError and closes the socket") { probe in
            let server = try makeStallingServer()
            let hasRead = try LoopbackServer.Gate()
            let task = Task {
                for try await _ in try await probe.load(server).body { hasRead.open() }
            }
            try await hasRead.waitUntilOpen()
            task.cancel()
            try await expectCancellation(of: task)
            try await server.disconnections.wait(forCount: 1)
        },
        Check("Releasing a body unread closes the socket") { probe in
            let server = try makeStallingServer()
            func loadAndDrop() async throws -> Int {
                let response = try await probe.load(server)
                return response.head.status.code
            }
            let status = try await loadAndDrop()
            try require(status == 200, "The response headers did not arrive.")
            try await server.disconnections.wait(forCount: 1)
            // Keeps the loader alive: its deallocation would close the socket, too.
            withExtendedLifetime(probe) {}
        },
        fails(
            "A body that ends early throws instead of ending", .connectionLost,
            sending: "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort"),
        Check("A refused connection throws connectionFailed") { probe in
            let server = try makeSilentServer()
            server.stop()
            try await expectError(.connectionFailed) { try await probe.load(server) }
        },
        Check("An unknown host throws hostNotFound") { probe in
            // A label of 64 letters is too long for a host name (RFC 1035, section 2.3.4), so no name server is
            // contacted.
            let url = URL(string: "http://\(String(repeating: "a", count: 64)).invalid/")
            guard let url else { throw RuleViolation("The host name gave no URL.") }
            try await expectError(.hostNotFound) { try await probe.loader.load(DataRequest(url: url)) }
        },
        Check("A server that sends nothing exceeds the timeout") { probe in
            let server = try makeSilentServer()
            try await expectError(.timedOut) { try await probe.load(server) { $0.timeout = .milliseconds(300) } }
        },
        Check("A slow body that makes progress is not ended by the timeout") { probe in
            let server = try LoopbackServer { _, connection in try connection.trickle(bytes: 15) }
            let body = try await probe.body(of: server) { $0.timeout = .milliseconds(500) }
            try require(body.count == 15, "\(body.count) of 15 bytes arrived.")
        },
        Check("A body that stops arriving exceeds the timeout") { probe in
            let server = try makeStallingServer()
            try await expectError(.timedOut) { try await probe.body(of: server) { $0.timeout = .milliseconds(300) } }
            try await server.disconnections.wait(forCount: 1)
        },
        Check("A body that is read late is not ended by the timeout") { probe in
            let server = try LoopbackServer(serving: { _ in Response(200, body: [UInt8](repeating: 1, count: 2_000_000)) })
            let response = try await probe.load(server) { $0.timeout = .milliseconds(300) }
            try await Task.sleep(for: .milliseconds(700))
            let count = try await response.body.reduce(0) { $0 + $1.count }
            try require(count == 2_000_000, "\(count) of 2000000 bytes arrived.")
        },
        Check("An endless body stops at the size limit") { probe in
            let server = try LoopbackServer { _, connection in
                try connection.writeHeaders(200, headers: [("Transfer-Encoding", "chunked")])
                while true { try connection.writeChunk([UInt8](repeating: 1, count: 10_000)) }
            }
            try await expectError(.tooLarge) { try await probe.body(of: server) { $0.maximumResponseBytes = 500_000 } }
            try await server.disconnections.wait(forCount: 1)
        },
        Check("Ten redirects are followed, and the final URL is known") { probe in
            let response = try await probe.load(try makeCountdownServer(), "/10")
            try require(response.head.status == 200, "The status was \(response.head.status).")
            try require(response.url.path == "/0", "The response's URL was \(response.url.absoluteString).")
        },
        Check("An eleventh redirect is an error") { probe in
            let server = try makeCountdownServer()
            try await expectError(.tooManyRedirects) { try await probe.load(server, "/11") }
        },
        Check("Credentials do not follow a redirect to another origin") { probe in
            let otherOrigin = try LoopbackServer(serving: { request in
                Response(200, body: Array("\(request["Authorization"] ?? "")\(request["Cookie"] ?? "")".utf8))
            })
            let body = try await probe.body(of: try makeServer(redirectingTo: otherOrigin.url("/"))) { request in
                request.headerFields[.authorization] = "Bearer secret"
                request.headerFields[.cookie] = "id=secret"
            }
            try require(body.isEmpty, "The other origin was sent credentials.")
        },
        Check("A redirect to a file is not followed") { probe in
            let server = try makeServer(redirectingTo: "file:///etc/hosts")
            do {
                let response = try await probe.load(server)
                try require(300..<400 ~= response.head.status.code, "It was followed.")
            } catch is ImageError {}
        },
        fails(
            "A response that is no HTTP is an error", otherwise: "It was accepted as a response.",
            sending: "garbage without end or meaning\r\n\r\n"),
    ]

    typealias Response = LoopbackServer.Response

    /// A check that the loader returns a server's response unchanged.
    static func passesOn(_ name: String, _ response: Response, to headerFields: HTTPFields = [:]) -> Check {
        Check(name) { probe in
            let server = try LoopbackServer(serving: { _ in response })
            let received = try await probe.load(server) { $0.headerFields = headerFields }
            try await expect(received, response.status, response.headers, body: Data(response.body))
        }
    }

    /// A check that a load of this text fails.
    static func fails(
        _ name: String, _ code: ImageError.Code? = nil, otherwise reason: String = "Nothing was thrown.", sending text: String
    ) -> Check {
        Check(name) { probe in
            let server = try makeServer(sending: text)
            try await expectError(code, otherwise: reason) { try await probe.body(of: server) }
        }
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
        try LoopbackServer(serving: { _ in Response(302, headers: [("Location", location)]) })
    }

    /// A server that redirects `/n` to `/n-1` and responds to `/0`.
    static func makeCountdownServer() throws -> LoopbackServer {
        try LoopbackServer(serving: { request in
            guard let number = Int(request.path.dropFirst()), number > 0 else { return Response(200, body: [1]) }
            return Response(302, headers: [("Location", "/\(number - 1)")])
        })
    }

    static func expect(
        _ response: DataResponse, _ status: Int, _ headers: [(name: String, value: String)] = [], body expected: Data
    ) async throws {
        try require(response.head.status.code == status, "The status was \(response.head.status).")
        for (name, value) in headers {
            let found = HTTPField.Name(name).flatMap { response.head.headerFields[$0] }
            try require(found == value, "\(name) was \(found ?? "lost"), not \(value).")
        }
        let body = try await response.body.reduce(into: Data()) { $0.append($1) }
        try require(
            body == expected, "The body had \(body.count) bytes, or other bytes than the \(expected.count) that were sent.")
    }

    static func expectCancellation(of task: Task<some Sendable, any Error>) async throws {
        do { _ = try await task.value } catch is CancellationError { return }
        throw RuleViolation("Nothing was thrown.")
    }

    /// Expects an ``ImageError``, with the code unless that is `nil`.
    package static func expectError(
        _ code: ImageError.Code? = nil, otherwise reason: String = "Nothing was thrown.", _ body: () async throws -> some Any
    ) async throws {
        do { _ = try await body() } catch let error as ImageError {
            return try require(code == nil || error.code == code, "The error was \(error.code): \(error)")
        }
        throw RuleViolation(reason)
    }
}
