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
