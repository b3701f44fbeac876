import CalotypeTesting
import Foundation
import ImageCore
import ImageLoading
import ImageNetworking
import ImageNetworkingFoundation
import LoopbackHTTP
import Testing

@testable import SignedRequests

@Suite(.timeLimit(.minutes(1)))
struct AWSSigningInterceptorTests {
    // MARK: Signatures

    /// Signatures of the S3 API Reference ("List objects", "Get bucket lifecycle"), and those that botocore 1.44.8
    /// makes.
    @Test(arguments: [
        (
            "s3", "https://examplebucket.s3.amazonaws.com/?max-keys=2&prefix=J", "2013-05-24T00:00:00Z",
            "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"
        ),
        (
            "s3", "https://examplebucket.s3.amazonaws.com/?lifecycle", "2013-05-24T00:00:00Z",
            "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"
        ),
        (
            "s3", "https://bucket.s3.eu-west-1.amazonaws.com/a%20b/c%281%29%C3%BC%2Bd.png?versionId=3%2F4",
            "2015-08-30T12:36:00Z",
            "24d29e7bdb909e8d179dd253e6f5d8e632cbaa3a86986ac7098931c5a02cd122"
        ),
        (
            "execute-api", "https://api.example.com/a%20b/c(1)%C3%BC.png?b=2&a=x%20y&flag", "2015-08-30T12:36:00Z",
            "4cfaad29573f52bfc1edb6589696a9eab5fd12562629ac7e858b320a6c7c76ff"
        ),
        (
            "execute-api", "https://api.example.com:443/a%20b/c(1)%C3%BC.png?b=2&a=x%20y&flag", "2015-08-30T12:36:00Z",
            "4cfaad29573f52bfc1edb6589696a9eab5fd12562629ac7e858b320a6c7c76ff"
        ),
    ])
    func signatureIsTheExpectedOne(service: String, url: String, time: String, signature: String) async throws {
        let url = try #require(URL(string: url))
        let now = try Date(time, strategy: .iso8601)
        let isReference = time.hasPrefix("2013")
        let interceptor = AWSSigningInterceptor(
            hosts: [url.host() ?? ""], user: "ann", region: isReference ? "us-east-1" : "eu-west-1", service: service,
            now: { now }
        ) { isReference ? .storeExample : .example }
        let sent = try await request(sentFor: DataRequest(url: url), by: interceptor)
        #expect(sent.headerFields[.authorization]?.hasSuffix("Signature=\(signature)") == true)
    }

    @Test func bodyTokenPortAndContentTypeAreSigned() async throws {
        let now = try Date("2015-08-30T12:36:00Z", strategy: .iso8601)
        let interceptor = AWSSigningInterceptor(
            hosts: ["api.example.com"], user: "ann", region: "eu-west-1", service: "execute-api", now: { now }
        ) {
            AWSCredentials(
                accessKeyID: "AKIDEXAMPLE", secretAccessKey: AWSCredentials.example.secretAccessKey, sessionToken: "TOKEN/+=")
        }
        let original = DataRequest(
            url: try #require(URL(string: "https://api.example.com:8443/render")), method: .post,
            headerFields: [.contentType: "application/json", .accept: "image/png"], body: Data(#"{"w":300}"#.utf8))
        let sent = try await request(sentFor: original, by: interceptor)
        #expect(
            sent.headerFields[.authorization]
                == "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/eu-west-1/execute-api/aws4_request, "
                + "SignedHeaders=content-type;host;x-amz-date;x-amz-security-token, "
                + "Signature=70059513ef60ee546e07982021796a12938d612a644f66f291bab7f23d22e8cb")
        #expect(sent.body == original.body && sent.headerFields[.accept] == "image/png")
    }

    @Test func otherHostsAndRequestsWithCredentialsAreNotSigned() async throws {
        let other = DataRequest(url: try #require(URL(string: "https://album.example.org.evil.example/cat.jpg")))
        #expect(try await request(sentFor: other, by: signing(user: "ann")).headerFields.isEmpty)
        #expect(signing(user: "ann").identity(for: other.url) == nil)

        var own = DataRequest(url: try #require(URL(string: "https://ALBUM.example.org/cat.jpg")))
        own.headerFields[.authorization] = "Bearer 0123"
        #expect(try await request(sentFor: own, by: signing(user: "ann")).headerFields == own.headerFields)
    }

    @Test func identityRevealsNoSecret() async throws {
        let url = try #require(URL(string: "https://album.example.org/"))
        #expect(signing(user: "ann").identity(for: url) == "aws ann")
    }

    // MARK: In a loader

    @Test func retryIsSignedWithTheTimeOfItsAttempt() async throws {
        let (network, clock) = (EventLog<DataRequest>(), ManualClock())
        let scripted = ScriptedLoader { request in
            network.append(request)
            return network.count == 1 ? .response(HTTPResponse(status: .serviceUnavailable), chunks: []) : .body(Data([7]))
        }
        let start = try Date("2015-08-30T12:36:00Z", strategy: .iso8601)
        let interceptor = AWSSigningInterceptor(
            hosts: ["album.example.org"], user: "ann", region: "eu-west-1",
            now: { start.addingTimeInterval(Double(network.count) * 60) }
        ) { .example }
        let loader = RetryingLoader(InterceptedLoader(scripted, interceptors: [interceptor]), clock: clock)
        let task = Task { try await loader.load(DataRequest(url: URL(string: "https://album.example.org/cat.jpg")!)) }
        await clock.waitForSleeps(1)
        clock.advance(by: .seconds(60))
        _ = try await task.value
        let dates = network.events.map { $0.headerFields[HTTPField.Name("x-amz-date")!] }
        #expect(dates == ["20150830T123600Z", "20150830T123700Z"])
        #expect(Set(network.events.map { $0.headerFields[.authorization] }).count == 2)
    }

    @Test func usersShareNoImageAndRenewedCredentialsFindIt() async throws {
        let network = ScriptedLoader { _ in .body(Data([7])) }
        let cache = LoggedMemoryCache()
        func loader(_ user: String, _ keyID: String) -> ImageLoader {
            let interceptor = AWSSigningInterceptor(hosts: ["album.example.org"], user: user, region: "eu-west-1") {
                AWSCredentials(accessKeyID: keyID, secretAccessKey: "secret", sessionToken: keyID)
            }
            return ImageLoader(
                ImageLoader.Configuration(
                    dataLoader: InterceptedLoader(network, interceptors: [interceptor]), decoder: ScriptedDecoder(),
                    memoryCache: cache))
        }
        let url = try #require(URL(string: "https://album.example.org/cat.jpg"))
        _ = try await loader("ann", "KEY1").image(for: url)
        _ = try await loader("ann", "KEY2").image(for: url)
        #expect(network.requests.count == 1)
        _ = try await loader("bob", "KEY3").image(for: url)
        #expect(network.requests.count == 2)
        #expect(!cache.keys.contains { "\($0)".contains("ann") || "\($0)".contains("KEY") || "\($0)".contains("secret") })
    }

    @Test func failureToRenewCredentialsEndsTheLoad() async throws {
        struct Expired: Error {}
        let network = ScriptedLoader { _ in .body(Data([7])) }
        let interceptor = AWSSigningInterceptor(hosts: ["album.example.org"], user: "ann", region: "eu-west-1") {
            throw Expired()
        }
        let loader = ImageLoader(
            ImageLoader.Configuration(
                dataLoader: InterceptedLoader(network, interceptors: [interceptor]), decoder: ScriptedDecoder()))
        let failure = await #expect(throws: LoadFailure.self) {
            try await loader.image(for: try #require(URL(string: "https://album.example.org/cat.jpg")))
        }
        #expect(failure?.underlying is Expired)
        #expect(network.requests.isEmpty)
    }

    /// A server checks the signature over what arrives, with a transport that writes the request itself.
    @Test func whatIsSignedIsWhatTheTransportSends() async throws {
        let server = try LoopbackServer(serving: { request in
            let parts = request.target.split(separator: "?").map(String.init)
            let date = request["x-amz-date"] ?? "", hash = request["x-amz-content-sha256"] ?? ""
            let expected = SignatureV4(region: "eu-west-1", service: "s3").authorization(
                method: request.method, path: parts[0].removingPercentEncoding ?? "", query: parts.count == 2 ? parts[1] : "",
                fields: ["host": request["host"] ?? "", "x-amz-date": date, "x-amz-content-sha256": hash], bodyHash: hash,
                credentials: .example)
            return LoopbackServer.Response(request["authorization"] == expected ? 200 : 403, body: [7])
        })
        defer { server.stop() }
        let interceptor = AWSSigningInterceptor(hosts: ["127.0.0.1"], user: "ann", region: "eu-west-1") { .example }
        let loader = ImageLoader(
            ImageLoader.Configuration(
                dataLoader: InterceptedLoader(URLSessionLoader(), interceptors: [interceptor]), decoder: ScriptedDecoder()))
        let url = try #require(URL(string: server.url("/my%20cats/%C3%BC%281%29.jpg?versionId=3&x=a%2Fb")))
        #expect(TestImages.color(of: try await loader.image(for: url)) == [7, 0, 0])
    }

    // MARK: Helpers

    private func signing(user: String) -> AWSSigningInterceptor {
        AWSSigningInterceptor(hosts: ["album.example.org"], user: user, region: "eu-west-1") { .example }
    }

    private func request(sentFor request: DataRequest, by interceptor: AWSSigningInterceptor) async throws -> DataRequest {
        let network = ScriptedLoader { _ in .body(Data([7])) }
        _ = try await InterceptedLoader(network, interceptors: [interceptor]).load(request)
        return try #require(network.requests.first)
    }
}
