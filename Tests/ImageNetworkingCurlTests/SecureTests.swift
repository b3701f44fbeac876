#if os(Linux)
    import CalotypeSystem
    import Dispatch
    import HTTPTypes
    import ImageCore
    import ImageNetworkingCurl
    import LoopbackHTTP
    import LoopbackTLS
    import NetworkTestKit
    import Testing

    extension CurlLoader.Configuration {
        /// Trusts the certificate of one server.
        static func trusting(_ identity: LoopbackServer.Identity) -> Self {
            var configuration = Self()
            configuration.certificateAuthorities = .pem(Data(identity.certificate.utf8))
            return configuration
        }
    }

    @Suite(.timeLimit(.minutes(1)))
    struct CurlLoaderSecurity {
        private func server(_ identity: LoopbackServer.Identity) throws -> LoopbackServer {
            try LoopbackServer(security: identity) { _, connection in
                try connection.respond(LoopbackServer.Response(200, body: Array("secret".utf8)))
            }
        }

        @Test func aTrustedCertificateIsAccepted() async throws {
            let identity = try #require(LoopbackServer.Identity())
            let server = try server(identity)
            let loader = CurlLoader(.trusting(identity))
            #expect(try await loader.load(try server.request()).body.text() == "secret")
        }

        @Test func theTimeForTLSIsReportedOnlyForNewConnections() async throws {
            let identity = try #require(LoopbackServer.Identity())
            let server = try server(identity)
            let loader = CurlLoader(.trusting(identity))
            let first = try await loader.load(try server.request())
            _ = try await first.body.collected()
            let timing = try #require(first.timing)
            #expect(timing.tlsHandshake > .zero)
            #expect(timing.firstByte >= timing.nameLookup + timing.connect + timing.tlsHandshake)
            let second = try #require(try await loader.load(try server.request()).timing)
            #expect(second.isReused && second.tlsHandshake == .zero)
        }

        /// TLS may have read the excess from the kernel together with the end of the body.
        @Test func aConnectionWithExcessInputIsNotReused() async throws {
            let identity = try #require(LoopbackServer.Identity())
            let hasBegun = try LoopbackServer.Gate()
            let server = try LoopbackServer(security: identity) { request, connection in
                let text = LoopbackServer.text(of: request.target)
                guard request.target == "/first" else { return try connection.write(text) }
                try connection.write(String(text.dropLast(2)))
                try connection.wait(for: hasBegun)
                try connection.write(text.suffix(2) + LoopbackServer.text(of: "wrong"))
            }
            let loader = CurlLoader(.trusting(identity))
            let first = try await loader.load(try server.request("/first"))
            hasBegun.open()
            #expect(try await first.body.text() == "/first")
            #expect(try await loader.load(try server.request("/second")).body.text() == "/second")
            #expect(server.connections.value == 2)
        }

        @Test func authoritiesCanComeFromAFile() async throws {
            let identity = try #require(LoopbackServer.Identity())
            let server = try server(identity)
            let file = FileManager.default.temporaryDirectory.appending(path: "authorities-\(UUID().uuidString).pem")
            try Data(identity.certificate.utf8).write(to: file)
            defer { try? FileManager.default.removeItem(at: file) }
            var configuration = CurlLoader.Configuration()
            configuration.certificateAuthorities = .file(file.path)
            #expect(try await CurlLoader(configuration).load(try server.request()).body.text() == "secret")
        }

        @Test func anUntrustedCertificateIsRejected() async throws {
            let server = try server(try #require(LoopbackServer.Identity()))
            let error = try await imageError { _ = try await CurlLoader().load(try server.request()) }
            #expect(error.code == .insecure)
            #expect(error.message.contains("its certificate or TLS was rejected"))
            #expect(server.requests.value == 0)
        }

        @Test func anExpiredCertificateIsRejected() async throws {
            let identity = try #require(LoopbackServer.Identity(.expired))
            let server = try server(identity)
            let error = try await imageError { _ = try await CurlLoader(.trusting(identity)).load(try server.request()) }
            #expect(error.code == .insecure)
            #expect(server.requests.value == 0)
        }

        @Test func theCertificateOfAnotherHostIsRejected() async throws {
            let identity = try #require(LoopbackServer.Identity(.otherHost))
            let server = try server(identity)
            let error = try await imageError { _ = try await CurlLoader(.trusting(identity)).load(try server.request()) }
            #expect(error.code == .insecure)
            #expect(server.requests.value == 0)
        }
    }

    @Suite(.timeLimit(.minutes(1)))
    struct CurlLoaderHTTP2 {
        private typealias HTTP2 = LoopbackServer.HTTP2Connection

        /// A server that speaks HTTP/2 and passes each request to `answer`.
        private func server(
            _ identity: LoopbackServer.Identity, answer: @escaping @Sendable (HTTP2, UInt32) throws -> Void
        ) throws -> LoopbackServer {
            try LoopbackServer(
                security: identity,
                connecting: { connection in
                    var http2 = try HTTP2(connection)
                    while let stream = try http2.nextRequest() { try answer(http2, stream) }
                })
        }

        @Test func manyLoadsShareOneConnection() async throws {
            let identity = try #require(LoopbackServer.Identity(protocolName: "h2"))
            // After the first load, which shows the loader that the server speaks HTTP/2, no response is sent before
            // all requests have arrived: so one connection must carry them at the same time.
            let asked = Lock<[UInt32]>([])
            let server = try server(identity) { http2, stream in
                guard stream != 1 else { return try http2.respond(to: stream, body: []) }
                let all = asked.withLock { asked -> [UInt32] in
                    asked.append(stream)
                    return asked.count < 50 ? [] : asked
                }
                for stream in all { try http2.respond(to: stream, body: [UInt8](repeating: 7, count: 1000)) }
            }
            let loader = CurlLoader(.trusting(identity))
            let request = try server.request()
            _ = try await loader.body(of: request)
            let lengths = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<50 { group.addTask { try await loader.body(of: request).count } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(lengths == [Int](repeating: 1000, count: 50))
            #expect(server.connections.value == 1)
        }

        @Test func aStreamResetInItsBodyIsALostConnectionAndOthersContinue() async throws {
            let identity = try #require(LoopbackServer.Identity(protocolName: "h2"))
            let server = try server(identity) { http2, stream in
                guard stream == 1 else { return try http2.respond(to: stream, body: Array("whole".utf8)) }
                try http2.writeHeaders(to: stream, length: 1000)
                try http2.write([UInt8](repeating: 1, count: 100), to: stream, isLast: false)
                try http2.reset(stream, .internalError)
            }
            let loader = CurlLoader(.trusting(identity))
            let request = try server.request()
            #expect(try await imageError { _ = try await loader.body(of: request) }.code == .connectionLost)
            #expect(try await loader.load(request).body.text() == "whole")
            #expect(server.connections.value == 1)
        }

        @Test func aStreamResetBeforeItsResponseIsALostConnection() async throws {
            let identity = try #require(LoopbackServer.Identity(protocolName: "h2"))
            let server = try server(identity) { http2, stream in try http2.reset(stream, .enhanceYourCalm) }
            let request = try server.request()
            let error = try await imageError { _ = try await CurlLoader(.trusting(identity)).load(request) }
            #expect(error.code == .connectionLost)
        }

        /// For example a server that is restarted.
        @Test func aServerThatGoesAwayIsALostConnection() async throws {
            let identity = try #require(LoopbackServer.Identity(protocolName: "h2"))
            let isFirst = Lock(true)
            let server = try server(identity) { http2, stream in
                let goesAway = isFirst.withLock { isFirst in
                    defer { isFirst = false }
                    return isFirst
                }
                guard goesAway else { return try http2.respond(to: stream, body: [1]) }
                try http2.writeHeaders(to: stream, length: 1000)
                try http2.goAway(last: 0, .internalError)
            }
            let loader = CurlLoader(.trusting(identity))
            let request = try server.request()
            #expect(try await imageError { _ = try await loader.body(of: request) }.code == .connectionLost)
            #expect(try await loader.body(of: request).count == 1)
        }

        @Test func everyByteArrivesInOrderThroughPauses() async throws {
            let identity = try #require(LoopbackServer.Identity(protocolName: "h2"))
            let bytes = (0..<4 << 20).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 16) }
            let server = try server(identity) { http2, stream in try http2.respond(to: stream, body: bytes) }
            var configuration = CurlLoader.Configuration.trusting(identity)
            configuration.window = 20_000
            var received: [UInt8] = []
            for try await chunk in try await CurlLoader(configuration).load(try server.request()).body {
                received += chunk
                await Task.yield()
            }
            #expect(received == bytes)
        }

        @Test func aBodyShorterThanAnnouncedIsAnError() async throws {
            let identity = try #require(LoopbackServer.Identity(protocolName: "h2"))
            let server = try server(identity) { http2, stream in
                try http2.writeHeaders(to: stream, length: 1000)
                try http2.write([1, 2, 3], to: stream, isLast: true)
            }
            let request = try server.request()
            let error = try await imageError { _ = try await CurlLoader(.trusting(identity)).body(of: request) }
            #expect(error.code == .connectionLost)
        }

        @Test func cancellingResetsTheStreamAndKeepsTheConnection() async throws {
            let identity = try #require(LoopbackServer.Identity(protocolName: "h2"))
            let reset = Lock<Set<UInt32>>([])
            let server = try LoopbackServer(
                security: identity,
                connecting: { connection in
                    var http2 = try HTTP2(connection)
                    while let stream = try http2.nextRequest() {
                        let seen = http2.streamsResetByClient
                        reset.withLock { $0 = seen }
                        // The first request gets no response.
                        if stream != 1 { try http2.respond(to: stream, body: [1]) }
                    }
                })
            let loader = CurlLoader(.trusting(identity))
            let request = try server.request()
            let task = Task { try await loader.load(request) }
            try await server.requests.wait(forCount: 1)
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            #expect(try await loader.body(of: request).count == 1)
            #expect(server.connections.value == 1)
            #expect(reset.withLock { $0 } == [1])
        }
    }

    /// Transfers that still run when a program ends.
    @Suite(.timeLimit(.minutes(1)))
    struct CurlLoaderAtTheEndOfTheProcess {
        /// The load that the handler of exit(3) starts; it is global, since the handler captures nothing.
        private static let last = Lock<(loader: CurlLoader, request: DataRequest)?>(nil)

        @Test func aLoaderWorksOverTLSUntilTheProcessEnds() async throws {
            await #expect(processExitsWith: .exitCode(7)) {
                // This handler is registered before those of the libraries, so it runs after them.
                atexit {
                    let isOver = DispatchSemaphore(value: 0)
                    let body = Lock(Data())
                    Task {
                        if let (loader, request) = CurlLoaderAtTheEndOfTheProcess.last.withLock({ $0 }) {
                            let whole = try? await loader.body(of: request)
                            body.withLock { $0 = whole ?? Data() }
                        }
                        isOver.signal()
                    }
                    isOver.wait()
                    _exit(body.withLock { $0 } == Data("secret".utf8) ? 7 : 1)
                }
                // Before the server starts, since it uses the same library: the first use in the process counts.
                let port = try RefusingPort()
                _ = try? await CurlLoader().load(DataRequest(url: port.url))
                let identity = try #require(LoopbackServer.Identity())
                let server = try LoopbackServer(security: identity) { _, connection in
                    try connection.respond(LoopbackServer.Response(200, body: Array("secret".utf8)))
                    connection.close()
                }
                let (loader, request) = (CurlLoader(.trusting(identity)), try server.request())
                _ = try await loader.body(of: request)
                Self.last.withLock { $0 = (loader, request) }
                // Not on the pool, whose only thread this may be.
                _ = DetachedThread.start { exit(0) }
                while true { await Task.yield() }
            }
        }
    }
#endif
