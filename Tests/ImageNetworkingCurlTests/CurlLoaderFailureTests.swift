import HTTPTypes
import ImageCore
import ImageNetworking
import ImageNetworkingCurl
import LoopbackHTTP
import NetworkTestKit
import Testing

@Suite(.timeLimit(.minutes(1)))
struct CurlLoaderFailures {
    let loader = CurlLoader()

    @Test func aRefusedConnectionIsAConnectionFailure() async throws {
        let port = try RefusingPort()
        defer { withExtendedLifetime(port) {} }
        let url = port.url
        let error = try await imageError { _ = try await loader.load(DataRequest(url: url)) }
        #expect(error.code == .connectionFailed)
        #expect(error.message == "Could not connect to “127.0.0.1” to load \(url.absoluteString).")
    }

    /// The text of libcurl itself, for developers (GAPS T6). Its words differ between versions.
    @Test func theCausesHaveTheTextOfTheTransport() async throws {
        let port = try RefusingPort()
        defer { withExtendedLifetime(port) {} }
        let number = try #require(port.url.port)
        let refused = DataRequest(url: port.url)
        let first = try await imageError { _ = try await loader.load(refused) }
        #expect(first.causes.count == 1 && first.causes[0].contains("\(number)"), "\(first.causes)")
        let broken = try LoopbackServer { _, connection in
            try connection.writeHeaders(200, headers: [("Content-Length", "1000")])
            try connection.write(Array("half".utf8))
            connection.close()
        }
        let second = try await imageError { _ = try await loader.body(of: try broken.request()) }
        #expect(second.causes.count == 1 && second.causes[0].contains("996"), "\(second.causes)")
        let malformed = try LoopbackServer { _, connection in
            try connection.write("SMTP/1.1 200 OK\r\n\r\n")
            connection.close()
        }
        let third = try await imageError { _ = try await loader.load(try malformed.request()) }
        #expect(third.causes.count == 1 && third.causes[0].contains("HTTP/0.9"), "\(third.causes)")
        // The causes name the attempts before, and have the text for the last one.
        let retrying = RetryingLoader(loader, policy: RetryPolicy(maximumRetries: 1, baseDelay: .milliseconds(1), multiplier: 1))
        let last = try await imageError { _ = try await retrying.load(refused) }
        #expect(last.causes.count == 2 && last.causes[0].hasPrefix("attempt 1: \(first.message)"))
        #expect(last.causes.allSatisfy { $0.contains("port \(number)") }, "\(last.causes)")
    }

    @Test func aServerThatDoesNotAcceptHitsTheConnectionTimeout() async throws {
        let listener = try SilentListener()
        var configuration = CurlLoader.Configuration()
        configuration.connectTimeout = .milliseconds(200)
        let loader = CurlLoader(configuration)
        let request = DataRequest(url: listener.url, timeout: .seconds(5))
        let error = try await imageError { _ = try await loader.load(request) }
        #expect(error.code == .timedOut)
        #expect(
            error.message
                == "Could not connect to “127.0.0.1” to load \(listener.url.absoluteString) within the connect timeout of 0.2 s. "
                + "Raise transport.connectTimeout to wait longer.")
    }

    /// libcurl stores trailers, too, without a limit. A line that looks like a status line does not start a response
    /// there.
    @Test(arguments: ["X-Filler", "HTTP/1.1 200 OK"])
    func trailersWithoutEndAreAnError(_ name: String) async throws {
        let server = try LoopbackServer { _, connection in
            try connection.writeHeaders(200, headers: [("Transfer-Encoding", "chunked")])
            try connection.write("1\r\na\r\n0\r\n")
            while true { try connection.write("\(name): \(String(repeating: "a", count: 1000))\r\n") }
        }
        let request = try server.request(timeout: .seconds(5))
        let error = try await imageError { _ = try await loader.body(of: request) }
        #expect(error.code == .badResponse)
        try await server.disconnections.wait(forCount: 1)
    }

    @Test func aHeaderLineWithoutEndIsAnErrorOfTheServer() async throws {
        let server = try LoopbackServer { _, connection in
            try connection.write("HTTP/1.1 200 OK\r\nX-Filler: ")
            while true { try connection.write(String(repeating: "a", count: 8_000)) }
        }
        let request = try server.request(timeout: .seconds(5))
        let error = try await imageError { _ = try await loader.load(request) }
        #expect(error.code == .badResponse)
        try await server.disconnections.wait(forCount: 1)
    }

    @Test func aTimeoutOnAReusedConnectionIsNotAConnectionFailure() async throws {
        let server = try LoopbackServer { request, connection in
            if request.path == "/silent" { return connection.waitForDisconnect() }
            try connection.respond(LoopbackServer.Response(200, body: [1]))
        }
        _ = try await loader.body(of: try server.request("/first", timeout: .seconds(5)))
        let request = try server.request("/silent", timeout: .milliseconds(200))
        let error = try await imageError { _ = try await loader.load(request) }
        #expect(server.connections.value == 1)
        #expect(
            error.message == "“127.0.0.1” sent nothing for 0.2 s, the timeout, before the response to "
                + "\(request.url.absoluteString) was complete. Raise the timeout to wait longer.")
    }

    @Test func aHostWithoutAnAddressIsNotFound() async throws {
        // A label of 64 letters is too long for a name (RFC 1035, section 2.3.4), so no DNS server is asked.
        let host = String(repeating: "a", count: 64) + ".invalid"
        let url = try #require(URL(string: "http://\(host)/a.png"))
        let error = try await imageError { _ = try await loader.load(DataRequest(url: url)) }
        #expect(error.code == .hostNotFound)
        #expect(error.message.contains("“\(host)”"))
    }

    @Test func aStalledServerHitsTheTimeout() async throws {
        let server = try LoopbackServer { _, connection in connection.waitForDisconnect() }
        let request = try server.request("/slow", timeout: .milliseconds(200))
        let error = try await imageError { _ = try await loader.load(request) }
        #expect(error.code == .timedOut)
        #expect(
            error.message == "“127.0.0.1” sent nothing for 0.2 s, the timeout, before the response to "
                + "\(request.url.absoluteString) was complete. Raise the timeout to wait longer.")
        try await server.disconnections.wait(forCount: 1)
    }

    @Test func aStallInMidBodyHitsTheTimeout() async throws {
        let server = try LoopbackServer { _, connection in
            try connection.writeHeaders(200, headers: [("Content-Length", "10")])
            try connection.write("half")
            connection.waitForDisconnect()
        }
        // A busy machine may take that long for the response headers alone.
        let request = try server.request(timeout: .milliseconds(200))
        #expect(try await imageError { _ = try await loader.body(of: request) }.code == .timedOut)
    }

    /// The reader, not the server, causes a pause.
    @Test func aServerThatWaitsForTheReaderIsNotSilent() async throws {
        // More than the window, and little enough for the sockets: the server has sent everything and is not idle.
        let image = [UInt8](repeating: 1, count: 600_000)
        let server = try LoopbackServer(serving: { _ in LoopbackServer.Response(200, body: image) })
        let slow = try await loader.load(try server.request(timeout: .milliseconds(200)))
        // Another transfer of the same loop hits its timeout while the first one is paused.
        let silent = try LoopbackServer { _, connection in connection.waitForDisconnect() }
        let error = try await imageError { _ = try await loader.body(of: try silent.request(timeout: .milliseconds(300))) }
        #expect(error.code == .timedOut)
        #expect(try await slow.body.collected().count == image.count)
    }

    @Test func theTimeoutHoldsAfterARedirect() async throws {
        let server = try LoopbackServer { request, connection in
            guard request.target == "/0" else { return connection.waitForDisconnect() }
            try connection.respond(LoopbackServer.Response(302, headers: [("Location", "/1")]))
        }
        let error = try await imageError { _ = try await loader.load(try server.request("/0", timeout: .milliseconds(200))) }
        #expect(error.code == .timedOut)
    }

    @Test(arguments: [
        "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n64\r\nshort",
    ])
    func aBodyThatEndsEarlyFailsAfterWhatArrived(_ text: String) async throws {
        let server = try LoopbackServer.writing(text)
        let response = try await loader.load(try server.request())
        var received = Data()
        let error = try await imageError { for try await chunk in response.body { received.append(chunk) } }
        #expect(error.code == .connectionLost)
        #expect(received == Data("short".utf8))
    }

    @Test func aConnectionClosedWithoutAResponseIsLost() async throws {
        let server = try LoopbackServer.writing("")
        #expect(try await imageError { _ = try await loader.load(try server.request()) }.code == .connectionLost)
    }

    @Test func aResetIsALostConnection() async throws {
        let server = try LoopbackServer { _, connection in
            try connection.writeHeaders(200, headers: [("Content-Length", "9")])
            connection.reset()
        }
        let request = try server.request()
        #expect(try await imageError { _ = try await loader.body(of: request) }.code == .connectionLost)
    }

    @Test(arguments: ["garbage\r\n\r\n", "\u{0}\u{1}\u{2}", "<html>no head at all</html>", "HTTP/9.9 abc\r\n\r\n"])
    func garbageIsABadResponse(_ text: String) async throws {
        let server = try LoopbackServer.writing(text)
        let error = try await imageError { _ = try await loader.body(of: try server.request()) }
        #expect(error.code == .badResponse)
        #expect(error.message.contains("returned a malformed HTTP response"))
    }

    @Test func endlessResponseHeadersAreABadResponse() async throws {
        let server = try LoopbackServer { _, connection in
            try connection.write("HTTP/1.1 200 OK\r\n")
            while true { try connection.write("X-Filler: \(String(repeating: "a", count: 1000))\r\n") }
        }
        let error = try await imageError { _ = try await loader.load(try server.request()) }
        #expect(error.code == .badResponse)
        try await server.disconnections.wait(forCount: 1)
    }

    @Test func tooManyHeaderFieldsAreABadResponse() async throws {
        let fields = (0..<2000).map { (name: "X-\($0)", value: "1") }
        let server = try LoopbackServer.answering(headers: fields, body: "x")
        #expect(try await imageError { _ = try await loader.load(try server.request()) }.code == .badResponse)
    }

    @Test func tlsWithAServerThatHasNoneIsInsecure() async throws {
        let server = try LoopbackServer(connecting: { connection in try connection.write("no TLS here, neither now nor later") })
        let url = try #require(URL(string: server.url("/").replacing("http:", with: "https:")))
        #expect(try await imageError { _ = try await loader.load(DataRequest(url: url)) }.code == .insecure)
    }

    @Test(arguments: [
        ("ftp://example.org/a.png", ImageError.Code.unsupportedScheme), ("a.png", .unsupportedScheme),
        ("http://", .invalidRequest), ("http:///a.png", .invalidRequest), ("http://host:99999/", .invalidRequest),
        ("http://ho%20st/", .invalidRequest),
    ])
    func aURLThatCannotBeFetchedIsRejectedAtOnce(_ text: String, _ code: ImageError.Code) async throws {
        let url = try #require(URL(string: text))
        #expect(try await imageError { _ = try await loader.load(DataRequest(url: url)) }.code == code)
    }
}

@Suite(.timeLimit(.minutes(1)))
struct CurlLoaderLimits {
    let loader = CurlLoader()

    @Test func anEndlessBodyStopsAtTheLimit() async throws {
        let server = try LoopbackServer { _, connection in
            try connection.writeHeaders(200, headers: [("Transfer-Encoding", "chunked")])
            while true { try connection.writeChunk([UInt8](repeating: 1, count: 10_000)) }
        }
        let request = try server.request("/endless", maximumResponseBytes: 1_000_000)
        var received = 0
        let error = try await imageError {
            for try await chunk in try await loader.load(request).body { received += chunk.count }
        }
        #expect(error.code == .tooLarge)
        #expect(
            error.message
                == "The response to \(request.url.absoluteString) exceeds the limit of 1000000 bytes. Raise maximumResponseBytes to load it."
        )
        #expect(received <= 1_000_000)
        try await server.disconnections.wait(forCount: 1)
    }

    /// libcurl keeps what it has received while a transfer is paused, and delivers it when the transfer resumes.
    @Test func aBodyThatExceedsTheLimitAfterAPauseIsRejectedAtOnce() async throws {
        let server = try LoopbackServer { _, connection in
            try connection.write(Array("HTTP/1.1 200 OK\r\n\r\n".utf8) + [UInt8](repeating: 1, count: 60_000))
            connection.waitForDisconnect()
        }
        var configuration = CurlLoader.Configuration()
        configuration.window = 20_000
        let loader = CurlLoader(configuration)
        let request = try server.request(timeout: .seconds(1), maximumResponseBytes: 40_000)
        let error = try await imageError { for try await _ in try await loader.load(request).body {} }
        #expect(error.code == .tooLarge)
        try await server.disconnections.wait(forCount: 1)
    }

    /// Each of them is progress, so that the timeout does not end the request.
    @Test func endlessInterimResponsesAreRejected() async throws {
        let server = try LoopbackServer { _, connection in
            while true { try connection.write("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n") }
        }
        var request = try server.request()
        request.deadline = Deadline(after: .seconds(5))
        let error = try await imageError { _ = try await loader.load(request) }
        #expect(error.code == .badResponse, "\(error)")
        try await server.disconnections.wait(forCount: 1)
    }

    @Test func aContentLengthOverTheLimitIsRejectedBeforeTheBody() async throws {
        let server = try LoopbackServer { _, connection in
            try connection.writeHeaders(200, headers: [("Content-Length", "1000001")])
            connection.waitForDisconnect()
        }
        let error = try await imageError { _ = try await loader.load(try server.request(maximumResponseBytes: 1_000_000)) }
        #expect(error.code == .tooLarge)
        #expect(error.message.contains("has 1000001 bytes; the limit is 1000000 bytes"))
        try await server.disconnections.wait(forCount: 1)
    }

    @Test func aBodyOfExactlyTheLimitIsAccepted() async throws {
        let server = try LoopbackServer.answering(body: String(repeating: "a", count: 5000))
        #expect(try await loader.body(of: try server.request(maximumResponseBytes: 5000)).count == 5000)
    }

    @Test func theStandardLimitAppliesIfTheRequestHasNone() async throws {
        let server = try LoopbackServer { _, connection in
            try connection.writeHeaders(200, headers: [(name: "Content-Length", value: "\(ResponseLimit.standard + 1)")])
            connection.waitForDisconnect()
        }
        #expect(try await imageError { _ = try await CurlLoader().load(try server.request()) }.code == .tooLarge)
        let raised = try server.request(maximumResponseBytes: ResponseLimit.standard + 1)
        #expect(try await CurlLoader().load(raised).expectedBytes == ResponseLimit.standard + 1)
    }
}
