internal import HTTPTypes
public import ImageCore
internal import LoopbackHTTP

/// Checks that a network layer keeps the contract of ``DataLoading``, against a real server on loopback that misbehaves on
/// order.
///
/// It is for loaders that speak HTTP. Each check makes a loader of its own, which must keep no answer from one to the next,
/// and accept plain `http` to 127.0.0.1.
///
/// ```swift
/// // In a test, with a loader of your own:
/// try await DataLoadingConformance.check { CurlLoader() }
/// ```
public struct DataLoadingConformance: Sendable {
    /// A check that a loader did not pass.
    public struct Failure: Error, Sendable, CustomStringConvertible {
        /// The check, as a sentence about what should hold.
        public let check: String
        /// What happened instead.
        public let reason: String

        public var description: String { "Not so: \(check). \(reason)" }
    }

    /// Runs every check in turn.
    ///
    /// - Parameters:
    ///   - limit: how long each check may take.
    ///   - makeTrusting: makes a loader that trusts the certificate, in PEM, that it is given, for checks over TLS; without
    ///     it they are left out, and so they are where there is no OpenSSL 3 to serve with.
    ///   - exceptions: checks that are left out, by name: what the layer below the loader is known not to do. A name that no check
    ///     has is a failure.
    ///   - makeLoader: makes a loader.
    /// - Throws: ``Failure`` at the first check that does not pass, or that does not end within `limit`.
    public static func check(
        limit: Duration = .seconds(20), trusting makeTrusting: (@Sendable (_ certificate: String) -> any DataLoading)? = nil,
        except exceptions: Set<String> = [], _ makeLoader: @escaping @Sendable () -> any DataLoading
    ) async throws {
        let checks = all + misbehaviour
        if let unknown = exceptions.subtracting(checks.map(\.name)).min() {
            throw Failure(check: unknown, reason: "There is no such check.")
        }
        for check in checks where !exceptions.contains(check.name) { try await run(check, limit: limit, makeLoader) }
        guard let makeTrusting else { return }
        for check in secure {
            guard let identity = LoopbackServer.Identity(protocolName: check.protocolName) else { return }
            let plain = Check(check.name) { loader in try await check.body(identity, loader) }
            try await run(plain, limit: limit) { makeTrusting(identity.certificate) }
        }
    }

    struct Check: Sendable {
        let name: String
        let body: @Sendable (any DataLoading) async throws -> Void

        init(_ name: String, _ body: @escaping @Sendable (any DataLoading) async throws -> Void) {
            self.name = name
            self.body = body
        }
    }

    /// A check over TLS: the loader trusts the identity.
    struct SecureCheck: Sendable {
        let name: String
        /// What the server agrees on with a client that offers it.
        let protocolName: String
        let body: @Sendable (LoopbackServer.Identity, any DataLoading) async throws -> Void

        init(
            _ name: String, protocolName: String = "http/1.1",
            _ body: @escaping @Sendable (LoopbackServer.Identity, any DataLoading) async throws -> Void
        ) {
            self.name = name
            self.protocolName = protocolName
            self.body = body
        }
    }

    struct Mismatch: Error {
        let reason: String
    }

    static func run(_ check: Check, limit: Duration, _ makeLoader: @escaping @Sendable () -> any DataLoading) async throws {
        let loader = makeLoader()
        do {
            try await withThrowingTaskGroup { group in
                group.addTask { try await check.body(loader) }
                group.addTask {
                    try await Task.sleep(for: limit)
                    throw Mismatch(reason: "It did not end within \(limit).")
                }
                defer { group.cancelAll() }
                try await group.next()
            }
        } catch let mismatch as Mismatch {
            throw Failure(check: check.name, reason: mismatch.reason)
        } catch {
            throw Failure(check: check.name, reason: "It threw: \(error)")
        }
    }
}

// MARK: The checks

extension DataLoadingConformance {
    static let all: [Check] = [
        Check("The head and the body arrive as the server sent them") { loader in
            let server = try LoopbackServer(serving: { request in
                LoopbackServer.Response(200, headers: [("X-Sent", request["X-Asked"] ?? "-")], body: Array(request.target.utf8))
            })
            var request = try request(server, "/a?b=c")
            if let name = HTTPField.Name("X-Asked") { request.headerFields[name] = "yes" }
            let response = try await loader.load(request)
            try expect(response.head.status == 200, "The status was \(response.head.status).")
            let sent = HTTPField.Name("X-Sent").flatMap { response.head.headerFields[$0] }
            try expect(sent == "yes", "A header field of the request or the response was lost.")
            try expect(
                response.expectedBytes == 6,
                "The expected length was \(response.expectedBytes.map(String.init) ?? "unknown"), not 6.")
            let body = try await collect(response.body)
            try expect(body == Data("/a?b=c".utf8), "The body was another.")
        },
        Check("A status such as 404 is an answer and no error") { loader in
            let server = try LoopbackServer(serving: { _ in LoopbackServer.Response(404, body: [1]) })
            let response = try await loader.load(try request(server))
            try expect(response.head.status.code == 404, "The status was \(response.head.status).")
            try expect(try await collect(response.body).count == 1, "Its body was lost.")
        },
        Check("The first chunk is handed out while the server holds the second back") { loader in
            let gate = try LoopbackServer.Gate()
            let server = try LoopbackServer { _, connection in
                try connection.writeHeaders(200, headers: [("Content-Length", "4096")])
                try connection.write([UInt8](repeating: 1, count: 2048))
                try connection.wait(for: gate)
                try connection.write([UInt8](repeating: 2, count: 2048))
            }
            var chunks = try await loader.load(try request(server)).body.makeAsyncIterator()
            let first = try await chunks.next()
            try expect(first?.first == 1, "There was no first chunk.")
            gate.open()
            var rest = first?.count ?? 0
            while let chunk = try await chunks.next() { rest += chunk.count }
            try expect(rest == 4096, "\(rest) of 4096 bytes arrived.")
        },
        Check("Cancelling while the server is silent throws CancellationError and closes the socket") { loader in
            let server = try LoopbackServer { _, connection in connection.waitForDisconnect() }
            let request = try request(server)
            let task = Task { try await loader.load(request) }
            try await server.requests.wait(forCount: 1)
            task.cancel()
            try await expectCancellation { _ = try await task.value }
            try await server.disconnections.wait(forCount: 1)
        },
        Check("Cancelling in the middle of a body throws CancellationError and closes the socket") { loader in
            let server = try stalling()
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
        Check("Dropping a body unread closes the socket") { loader in
            let server = try stalling()
            let request = try request(server)
            func loadAndDrop() async throws -> Int {
                let response = try await loader.load(request)
                return response.head.status.code
            }
            let status = try await loadAndDrop()
            try expect(status == 200, "The head did not arrive.")
            try await server.disconnections.wait(forCount: 1)
            // Used until here, so that it was not the loader's own end that closed the socket.
            withExtendedLifetime(loader) {}
        },
        Check("A body that ends early throws instead of ending") { loader in
            let server = try LoopbackServer { _, connection in
                try connection.write("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort")
                connection.close()
            }
            try await expectError(.connectionLost) { _ = try await collect(try await loader.load(try request(server)).body) }
        },
        Check("A refused connection is an error of the network") { loader in
            let server = try LoopbackServer(serving: { _ in LoopbackServer.Response(200) })
            let request = try request(server)
            server.stop()
            try await expectError(.connectionFailed) { _ = try await loader.load(request) }
        },
        Check("A host without an address is told apart from one that does not answer") { loader in
            // A label of 64 letters is one too many for a name (RFC 1035, section 2.3.4): no server is asked for it.
            let url = URL(string: "http://\(String(repeating: "a", count: 64)).invalid/")
            guard let url else { throw Mismatch(reason: "The name is no URL.") }
            try await expectError(.hostNotFound) { _ = try await loader.load(DataRequest(url: url)) }
        },
        Check("A silent server hits the time limit") { loader in
            let server = try LoopbackServer { _, connection in connection.waitForDisconnect() }
            var request = try request(server)
            request.timeout = .milliseconds(300)
            let slow = request
            try await expectError(.timedOut) { _ = try await loader.load(slow) }
        },
        Check("A slow body hits the time limit") { loader in
            let server = try LoopbackServer { _, connection in try connection.trickle() }
            var request = try request(server)
            request.timeout = .milliseconds(300)
            let slow = request
            try await expectError(.timedOut) { _ = try await collect(try await loader.load(slow).body) }
            try await server.disconnections.wait(forCount: 1)
        },
        Check("An endless body stops at the size limit") { loader in
            let server = try LoopbackServer { _, connection in
                try connection.writeHeaders(200, headers: [("Transfer-Encoding", "chunked")])
                while true { try connection.writeChunk([UInt8](repeating: 1, count: 10_000)) }
            }
            var request = try request(server)
            request.maximumBytes = 500_000
            let limited = request
            try await expectError(.tooLarge) { _ = try await collect(try await loader.load(limited).body) }
            try await server.disconnections.wait(forCount: 1)
        },
        Check("Ten redirects are followed, and the final URL is known") { loader in
            let server = try countdown()
            let response = try await loader.load(try request(server, "/10"))
            try expect(response.head.status == 200, "The status was \(response.head.status).")
            try expect(response.url.path == "/0", "The final URL was given as \(response.url.absoluteString).")
        },
        Check("An eleventh redirect is an error") { loader in
            let server = try countdown()
            try await expectError(.tooManyRedirects) { _ = try await loader.load(try request(server, "/11")) }
        },
        Check("Credentials do not follow a redirect to another origin") { loader in
            let stranger = try LoopbackServer(serving: { request in
                LoopbackServer.Response(200, body: Array("\(request["Authorization"] ?? "")\(request["Cookie"] ?? "")".utf8))
            })
            let target = stranger.url("/")
            let server = try LoopbackServer(serving: { _ in LoopbackServer.Response(302, headers: [("Location", target)]) })
            var request = try request(server)
            request.headerFields[.authorization] = "Bearer secret"
            request.headerFields[.cookie] = "id=secret"
            let body = try await collect(try await loader.load(request).body)
            try expect(body.isEmpty, "The other origin was sent credentials.")
        },
        Check("A redirect to a file is not followed") { loader in
            let server = try LoopbackServer(serving: { _ in
                LoopbackServer.Response(302, headers: [("Location", "file:///etc/hosts")])
            })
            do {
                let response = try await loader.load(try request(server))
                try expect(300..<400 ~= response.head.status.code, "It was followed.")
            } catch is ImageError {}
        },
        Check("What is no HTTP is an error") { loader in
            let server = try LoopbackServer { _, connection in
                try connection.write("garbage without end or meaning\r\n\r\n")
                connection.close()
            }
            do { _ = try await collect(try await loader.load(try request(server)).body) } catch is ImageError { return }
            throw Mismatch(reason: "It was taken for an answer.")
        },
    ]

    static func request(_ server: LoopbackServer, _ path: String = "/") throws -> DataRequest {
        guard let url = URL(string: server.url(path)) else { throw Mismatch(reason: "The server has no URL.") }
        return DataRequest(url: url, timeout: .seconds(300))
    }

    /// A server whose body begins and does not go on.
    static func stalling() throws -> LoopbackServer {
        try LoopbackServer { _, connection in
            try connection.writeHeaders(200, headers: [("Content-Length", "100000")])
            try connection.write([UInt8](repeating: 1, count: 2048))
            connection.waitForDisconnect()
        }
    }

    /// A server on which `/n` leads to `/n-1`, and `/0` is an answer.
    static func countdown() throws -> LoopbackServer {
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

    static func expect(_ condition: Bool, _ reason: String) throws(Mismatch) {
        if !condition { throw Mismatch(reason: reason) }
    }

    static func expectCancellation(_ body: () async throws -> Void) async throws {
        do { try await body() } catch is CancellationError { return }
        throw Mismatch(reason: "Nothing was thrown.")
    }

    static func expectError(_ code: ImageError.Code, _ body: () async throws -> Void) async throws {
        do { try await body() } catch let error as ImageError {
            return try expect(error.code == code, "The error was \(error.code): \(error)")
        }
        throw Mismatch(reason: "Nothing was thrown.")
    }
}
