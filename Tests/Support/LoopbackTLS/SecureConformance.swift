internal import CalotypeTesting
package import ImageCore
internal import LoopbackHTTP

/// Checks a network layer with servers over TLS and HTTP/2, beside `DataLoadingConformance`. Without OpenSSL 3 there is
/// nothing to check.
package enum SecureConformance {
    private typealias Checks = DataLoadingConformance
    private typealias Check = DataLoadingConformance.Check

    /// Runs all checks one after the other.
    ///
    /// - Parameters:
    ///   - makeTrusting: Makes a loader that trusts the given certificate (PEM).
    ///   - makeLoader: Makes a loader that trusts the authorities of the system.
    /// - Throws: `ConformanceFailure` with the violation of the first check that fails.
    package static func check(
        limit: Duration = .seconds(20), trusting makeTrusting: @escaping @Sendable (_ certificate: String) -> any DataLoading,
        _ makeLoader: @escaping @Sendable () -> any DataLoading
    ) async throws {
        try await Checks.run(untrusted, limit: limit, makeLoader)
        for check in secure {
            guard let identity = LoopbackServer.Identity(protocolName: check.protocolName) else { return }
            let plain = Check(check.name) { probe in try await check.body(identity, probe) }
            try await Checks.run(plain, limit: limit) { makeTrusting(identity.certificate) }
        }
    }

    /// A check with a loader that trusts the server's certificate.
    private struct SecureCheck: Sendable {
        let name: String
        /// The protocol that the server selects when the client offers it (ALPN).
        let protocolName: String
        let body: @Sendable (LoopbackServer.Identity, LoaderProbe) async throws -> Void
    }

    private static let untrusted = Check("An untrusted certificate is an error") { probe in
        guard let identity = LoopbackServer.Identity() else { return }
        let server = try LoopbackServer(security: identity) { _, connection in
            try connection.respond(LoopbackServer.Response(200, body: [1]))
        }
        try await Checks.expectError(.insecure) { try await probe.load(server) }
        try require(server.requests.value == 0, "A request was sent.")
    }

    private static let secure: [SecureCheck] = [
        SecureCheck(name: "A server with a trusted certificate is loaded from", protocolName: "http/1.1") { identity, probe in
            let server = try LoopbackServer(security: identity) { _, connection in
                try connection.respond(LoopbackServer.Response(200, body: [1, 2, 3]))
            }
            try require(try await probe.body(of: server).count == 3, "The body was different.")
        },
        SecureCheck(
            name: "An HTTP/2 stream that is reset before its response throws, and the next load works", protocolName: "h2"
        ) {
            identity, probe in
            let server = try resettingFirst(identity) { http2, stream in try http2.reset(stream, .internalError) }
            try await Checks.expectError(.connectionLost) { try await probe.load(server) }
            try await expectNextWorks(server, probe)
        },
        SecureCheck(name: "An HTTP/2 stream that is reset during its body throws, and the next load works", protocolName: "h2") {
            identity, probe in
            let server = try resettingFirst(identity) { http2, stream in
                try http2.writeHeaders(to: stream, length: 1000)
                try http2.write([UInt8](repeating: 1, count: 100), to: stream, isLast: false)
                try http2.reset(stream, .internalError)
            }
            try await Checks.expectError(.connectionLost) { try await probe.body(of: server) }
            try await expectNextWorks(server, probe)
        },
    ]

    /// An HTTP/2 server that passes its first request to `handle` and responds to the others.
    private static func resettingFirst(
        _ identity: LoopbackServer.Identity,
        _ handle: @escaping @Sendable (LoopbackServer.HTTP2Connection, UInt32) throws -> Void
    ) throws -> LoopbackServer {
        let isFirst = Lock(true)
        return try LoopbackServer(
            security: identity,
            connecting: { connection in
                var http2 = try LoopbackServer.HTTP2Connection(connection)
                while let stream = try http2.nextRequest() {
                    let isFirst = isFirst.withLock { isFirst in
                        defer { isFirst = false }
                        return isFirst
                    }
                    if isFirst { try handle(http2, stream) } else { try http2.respond(to: stream, body: [1]) }
                }
            })
    }

    private static func expectNextWorks(_ server: LoopbackServer, _ probe: LoaderProbe) async throws {
        try require(try await probe.body(of: server).count == 1, "The next body was different.")
    }
}
