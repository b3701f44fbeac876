import CalotypeTesting
import ImageCore
import ImageNetworkingFoundation
import LoopbackHTTP
import Testing

@Suite(.timeLimit(.minutes(2)))
struct URLSessionLoading {
    @Test func itKeepsTheContract() async throws {
        try await DataLoadingConformance.check { URLSessionLoader() }
    }

    #if os(Linux)
        /// URLSession asks the system's list of authorities there, and no other: so its checks run in a process whose list is
        /// a file of the test's.
        @Test(.enabled(if: OtherAuthorities.arePossible, "It takes root, and the commands unshare and mount."))
        func itKeepsTheContractOverTLS() throws {
            let (isGood, text) = try OtherAuthorities.run(suite: "URLSessionOverTLS")
            #expect(text.contains("Test run with 1 test "), "\(text)")
            // URLSession's own queue has at times no turn left for the cancellation of a task whose bytes come without a pause.
            withKnownIssue("URLSession on Linux may not stop an endless body", isIntermittent: true) {
                #expect(isGood, "\(text)")
            } when: {
                text.contains("An endless body stops at the size limit. It did not end")
            }
        }
    #endif

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
                }, { URLSessionLoader() })
        }
    }
#endif
