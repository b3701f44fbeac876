@testable import CalotypeTesting
import HTTPTypes
import ImageCore
import ImageNetworkingFoundation
import LoopbackHTTP
import Testing

/// What URLSession cannot be held to.
private enum URLSessionDefects {
    /// On Linux its own queue, kept busy by bytes that come without a pause, at times has no turn left for a cancellation.
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
    @Test func itKeepsTheContract() async throws {
        try await DataLoadingConformance.check(except: URLSessionDefects.checks) { URLSessionLoader() }
    }

    #if os(Linux)
        /// In a process of its own, with which the memory goes that an endless body takes.
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
        /// URLSession asks the system's list of authorities there, and no other: so its checks run in a process whose list is
        /// a file of the test's.
        @Test(.enabled(if: OtherAuthorities.arePossible, "It takes root, and the commands unshare and mount."))
        func itKeepsTheContractOverTLS() throws {
            let (isGood, text) = try OtherAuthorities.run(suite: "URLSessionOverTLS")
            #expect(text.contains("Test run with 1 test "), "\(text)")
            #expect(isGood, "\(text)")
        }
    #endif

    @Test func aTimeLimitBeyondAllInstantsIsALongOne() async {
        // The system's clock ends a process that would sleep until an instant which it cannot tell.
        await #expect(processExitsWith: .success) {
            let server = try LoopbackServer(serving: { _ in .init(200, body: [1]) })
            let url = try #require(URL(string: server.url("/")))
            let response = try await URLSessionLoader().load(DataRequest(url: url, timeout: .seconds(Int64.max)))
            #expect(response.head.status == 200)
        }
    }

    @Test(arguments: ["ftp://example.org/a.png", "a.png", "file:///etc/hosts"])
    func anotherSchemeIsRefusedAtOnce(_ text: String) async throws {
        let url = try #require(URL(string: text))
        do {
            _ = try await URLSessionLoader().load(DataRequest(url: url))
            Issue.record("It was loaded.")
        } catch let error as ImageError {
            #expect(error.code == .unsupportedScheme)
        }
    }

    @Test func whatMayBeACredentialStaysWithItsOriginWhateverItsName() async throws {
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

    @Test func credentialsOfTheURLAreSentAsAHeaderAndStayOutOfTheAnswer() async throws {
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

#if os(Linux)
    @Suite(.enabled(if: OtherAuthorities.list != nil, "It runs in a process of its own."), .timeLimit(.minutes(2)))
    struct URLSessionOverTLS {
        @Test func itKeepsTheContract() async throws {
            try await DataLoadingConformance.check(
                trusting: { certificate in
                    #expect(throws: Never.self) { try OtherAuthorities.replace(by: certificate) }
                    return URLSessionLoader()
                }, except: URLSessionDefects.checks, { URLSessionLoader() })
        }
    }
#endif
