@testable import CalotypeTesting
import HTTPTypes
import ImageCore
import ImageNetworkingFoundation
import LoopbackHTTP
import LoopbackTLS
import Testing

/// Checks that URLSession cannot pass.
private enum URLSessionDefects {
    /// On Linux its queue may be so busy with a continuous body that it does not handle a cancellation.
    static var checks: Set<String> {
        #if os(Linux)
            ["An endless body stops at the size limit"]
        #else
            []
        #endif
    }
}

@Suite(.timeLimit(.minutes(2)))
struct URLSessionLoading {
    @Test func itPassesTheConformanceChecks() async throws {
        try await DataLoadingConformance.check(except: URLSessionDefects.checks) { URLSessionLoader() }
    }

    #if os(Linux)
        /// Runs in a separate process, whose end frees the memory that an endless body takes.
        @Test func anEndlessBodyUsuallyStopsAtTheSizeLimit() async {
            await withKnownIssue("URLSession on Linux may find no time to cancel an endless body.", isIntermittent: true) {
                await #expect(processExitsWith: .success) {
                    for check in DataLoadingConformance.all where URLSessionDefects.checks.contains(check.name) {
                        try await DataLoadingConformance.run(check, limit: .seconds(5)) { URLSessionLoader() }
                    }
                }
            }
        }
    #endif

    #if os(Linux)
        /// URLSession only uses the system's list of authorities, so the checks run in a process whose list is a file
        /// of the test.
        @Test(.enabled(if: OtherAuthorities.arePossible, "Needs root, and the commands unshare and mount."))
        func itPassesTheConformanceChecksOverTLS() throws {
            let (isGood, text) = try OtherAuthorities.run(suite: "URLSessionOverTLS")
            #expect(text.contains("Test run with 1 test "), "\(text)")
            #expect(isGood, "\(text)")
        }
    #endif

    @Test func aHugeTimeLimitDoesNotOverflow() async {
        // The process would crash if it slept until an instant that the clock cannot represent.
        await #expect(processExitsWith: .success) {
            let server = try LoopbackServer(serving: { _ in .init(200, body: [1]) })
            let url = try #require(URL(string: server.url("/")))
            let response = try await URLSessionLoader().load(DataRequest(url: url, timeout: .seconds(Int64.max)))
            #expect(response.head.status == 200)
        }
    }

    @Test(arguments: ["ftp://example.org/a.png", "a.png", "file:///etc/hosts"])
    func anotherSchemeIsRejectedAtOnce(_ text: String) async throws {
        let url = try #require(URL(string: text))
        do {
            _ = try await URLSessionLoader().load(DataRequest(url: url))
            Issue.record("It was loaded.")
        } catch let error as ImageError {
            #expect(error.code == .unsupportedScheme)
        }
    }

    @Test func fieldsThatMayBeCredentialsAreNotSentToAnotherOrigin() async throws {
        let stranger = try LoopbackServer(serving: { request in
            .init(200, body: Array("\(request["X-Api-Key"] ?? "-") \(request["Accept"] ?? "-")".utf8))
        })
        let server = try LoopbackServer(serving: { _ in .init(302, headers: [("Location", stranger.url("/a"))]) })
        var request = DataRequest(url: try #require(URL(string: server.url("/a"))))
        request.headerFields = [try #require(HTTPField.Name("X-Api-Key")): "secret", .accept: "image/png"]
        var body = Data()
        for try await chunk in try await URLSessionLoader().load(request).body { body.append(chunk) }
        #expect(String(decoding: body, as: UTF8.self) == "- image/png")
    }

    @Test func credentialsOfTheURLAreSentAsAHeaderAndNotReturned() async throws {
        let server = try LoopbackServer(serving: { request in
            LoopbackServer.Response(200, body: Array((request["Authorization"] ?? "-").utf8))
        })
        let url = try #require(URL(string: server.url("/a").replacing("http://", with: "http://user:pass@")))
        let response = try await URLSessionLoader().load(DataRequest(url: url))
        var body = Data()
        for try await chunk in response.body { body.append(chunk) }
        #expect(String(decoding: body, as: UTF8.self) == "Basic dXNlcjpwYXNz")
        #expect(response.url.absoluteString == server.url("/a"))
    }
}

/// What a request says besides its own fields, and what becomes of the body.
@Suite(.timeLimit(.minutes(1)))
struct URLSessionRequests {
    private func text(
        _ server: LoopbackServer, _ change: (inout DataRequest) -> Void
    ) async throws -> (text: String, head: HTTPResponse) {
        var request = DataRequest(url: try #require(URL(string: server.url("/a"))))
        change(&request)
        let response = try await URLSessionLoader().load(request)
        var body = Data()
        for try await chunk in response.body { body.append(chunk) }
        return (String(decoding: body, as: UTF8.self), response.head)
    }

    @Test func thePriorityReachesTheServer() async throws {
        let server = try LoopbackServer(serving: { .init(200, body: Array(($0["Priority"] ?? "-").utf8)) })
        #expect(try await text(server) { _ in }.text == "-")
        #expect(try await text(server) { $0.priority = .high }.text == "u=2")
        let own = try await text(server) {
            $0.priority = .high
            $0.headerFields[.priority] = "i"
        }
        #expect(own.text == "i")
    }

    @Test(arguments: [("POST", "0"), ("PUT", "0"), ("PATCH", "0"), ("GET", "-")])
    func aMethodThatExpectsABodySendsItsLength(_ method: String, _ length: String) async throws {
        let server = try LoopbackServer(serving: { .init(200, body: Array(($0["Content-Length"] ?? "-").utf8)) })
        let method = try #require(HTTPRequest.Method(method))
        #expect(try await text(server) { $0.method = method }.text == length)
    }

    @Test func aContentCodingIsUndone() async throws {
        let gzip = try #require(Data(base64Encoded: "H4sIAAAAAAACA8tIzcnJBwCGphA2BQAAAA=="))
        let server = try LoopbackServer(serving: { _ in .init(200, headers: [("Content-Encoding", "gzip")], body: Array(gzip)) })
        let (text, head) = try await text(server) { _ in }
        #expect(text == "hello" && head.headerFields[.contentEncoding] == nil)
    }
}

#if os(Linux)
    @Suite(.enabled(if: OtherAuthorities.list != nil, "It runs in a separate process."), .timeLimit(.minutes(2)))
    struct URLSessionOverTLS {
        @Test func itPassesTheConformanceChecks() async throws {
            try await SecureConformance.check(
                trusting: { certificate in
                    #expect(throws: Never.self) { try OtherAuthorities.replace(by: certificate) }
                    return URLSessionLoader()
                }, { URLSessionLoader() })
        }
    }
#endif
