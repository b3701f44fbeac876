import ImageCore
import ImageNetworking
import ImageNetworkingCurl
import LoopbackHTTP
import NetworkTestKit
import Testing

@Suite(.timeLimit(.minutes(1)))
struct CurlLoaderSourcePolicy {
    private func loader(_ policy: SourcePolicy) -> CurlLoader {
        var configuration = CurlLoader.Configuration()
        configuration.sourcePolicy = policy
        return CurlLoader(configuration)
    }

    @Test(arguments: [
        "localhost", "127.1", "2130706433", "0x7f000001", "0177.0.0.1", "0.0.0.0", "0", "[::1]", "[::]",
        "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "8.8.8.8@127.0.0.1",
    ])
    func everyNameOfThisMachineIsRejectedByItsAddress(_ host: String) async throws {
        let server = try LoopbackServer.answering(body: "secret")
        let url = try #require(URL(string: "http://\(host):\(server.port)/"))
        let error = try await imageError { _ = try await loader(SourcePolicy()).load(DataRequest(url: url)) }
        #expect(error.code == .sourceForbidden)
        #expect(error.message.contains("is not on the public internet"))
        #expect(server.connections.value == 0)
    }

    /// The first address is allowed, so only the check of the redirect can reject.
    @Test func aRedirectIsCheckedLikeTheFirstURL() async throws {
        let inner = try LoopbackServer.answering(body: "secret")
        let server = try LoopbackServer.answering(302, headers: [("Location", inner.url("/"))], body: "")
        var policy = SourcePolicy()
        policy.allowsPrivateAddresses = true
        policy.ports = [server.port]
        let error = try await imageError { _ = try await loader(policy).load(try server.request("/start")) }
        #expect(error.code == .sourceForbidden)
        #expect(error.message == "\(server.url("/start")) may not be loaded here: the port \(inner.port) is not allowed.")
        #expect(inner.connections.value == 0)
    }

    @Test func anAllowedSourceIsLoaded() async throws {
        let server = try LoopbackServer.answering(body: "public")
        var policy = SourcePolicy()
        policy.allowsPrivateAddresses = true
        policy.hosts = ["127.0.0.1"]
        #expect(try await loader(policy).load(try server.request()).body.text() == "public")
    }

    @Test func withoutAPolicyEverySourceIsAllowed() async throws {
        let server = try LoopbackServer.answering(body: "local")
        let url = try #require(URL(string: "http://localhost:\(server.port)/"))
        #expect(try await CurlLoader().load(DataRequest(url: url)).body.text() == "local")
    }
}
