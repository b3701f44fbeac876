import CalotypeTesting
import Crypto
import Foundation
import ImageCore
import ImageLoading
import ImageNetworking
import ImageNetworkingFoundation
import LoopbackHTTP
import SignedRequests
import Testing

@Suite(.timeLimit(.minutes(1)))
struct ExpiringURLLoaderTests {
    private let key = Data((0..<32).map { UInt8($0) })

    @Test func layerKeepsTheContract() async throws {
        let bodies = ["/cat.jpg": [UInt8](repeating: 7, count: 300_000), "/dog.jpg?w=300": [1, 2, 3]]
        let server = try LoopbackServer(serving: { request in
            guard let target = Self.verifiedTarget(of: request.target, key: key, now: 10_000) else {
                return LoopbackServer.Response(403)
            }
            return bodies[target].map { LoopbackServer.Response(200, body: $0) } ?? LoopbackServer.Response(404)
        })
        defer { server.stop() }
        let samples = try bodies.map { LoadingSample(try #require(URL(string: server.url($0))), data: Data($1)) }
        let missing = try #require(URL(string: server.url("/missing.jpg")))
        try await checkDataLoadingConformance(samples: samples, missing: [missing]) {
            expiring(URLSessionLoader(), hosts: ["127.0.0.1"], at: { 10_000 })
        }
    }

    @Test func urlStaysTheSameForItsLifetime() throws {
        let url = try #require(URL(string: "https://images.example.org/a%20b.jpg?tags[]=1&w=300#part"))
        func signed(_ time: Double) -> URL { expiring(ScriptedLoader { _ in .body(Data()) }, at: { time }).signedURL(for: url) }
        #expect(signed(7_200).query()?.contains("&w=300&expires=14400&signature=") == true)
        #expect(signed(7_200) == signed(10_799))
        #expect(signed(10_800).query()?.contains("expires=18000") == true)
        // Valid from now on for at least an hour, also right before it changes.
        let target = try #require(signed(10_799).targetOfRequest)
        #expect(Self.verifiedTarget(of: target, key: key, now: 14_399) != nil)
        #expect(Self.verifiedTarget(of: target, key: key, now: 14_401) == nil)
    }

    @Test func signatureCoversPathQueryAndTime() throws {
        let url = try #require(URL(string: "https://images.example.org/cat.jpg?w=300"))
        let target = try #require(expiring(ScriptedLoader { _ in .body(Data()) }, at: { 0 }).signedURL(for: url).targetOfRequest)
        #expect(Self.verifiedTarget(of: target, key: key, now: 0) == "/cat.jpg?w=300")
        for (old, new) in [("cat", "dog"), ("w=300", "w=301"), ("7200", "7201"), ("?w=300&", "?")] {
            #expect(Self.verifiedTarget(of: target.replacing(old, with: new), key: key, now: 0) == nil)
        }
    }

    @Test func imageStaysInTheCachesWhenItsSignatureExpires() async throws {
        let time = EventLog<Void>()
        let network = ScriptedLoader { _ in .body(Data([7])) }
        let cache = LoggedMemoryCache()
        let loader = ImageLoader(
            ImageLoader.Configuration(
                dataLoader: expiring(network, at: { Double(time.count) * 1_000_000 }), decoder: ScriptedDecoder(),
                memoryCache: cache))
        let url = try #require(URL(string: "https://images.example.org/cat.jpg"))
        _ = try await loader.image(for: url)
        time.append(())
        let response = try await loader.response(for: ImageRequest(url: url))
        #expect(response.tier == .memory)
        #expect(network.requests.count == 1)
        #expect(network.requests.first?.url.query()?.contains("signature=") == true)
        #expect(!cache.keys.contains { "\($0)".contains("signature") })
    }

    @Test func retryGetsAValidSignature() async throws {
        let (sent, clock) = (EventLog<URL>(), ManualClock())
        let network = ScriptedLoader { request in
            sent.append(request.url)
            return sent.count == 1 ? .failure(ImageError(.connectionLost, message: "It was lost.")) : .body(Data([7]))
        }
        let loader = RetryingLoader(expiring(network, at: { Double(sent.count) * 7_200 }), clock: clock)
        let task = Task { try await loader.load(DataRequest(url: URL(string: "https://images.example.org/cat.jpg")!)) }
        await clock.waitForSleeps(1)
        clock.advance(by: .seconds(60))
        let response = try await task.value
        #expect(response.url.absoluteString == "https://images.example.org/cat.jpg")
        #expect(sent.events.map { $0.query()?.prefix(13) } == ["expires=7200&", "expires=14400"])
    }

    @Test func otherHostsAndRedirectsKeepTheirURLs() async throws {
        let other = try #require(URL(string: "https://images.example.org.evil.example/cat.jpg"))
        let network = ScriptedLoader { _ in .forward(Redirected()) }
        let response = try await expiring(network).load(DataRequest(url: other))
        #expect(network.requests.map(\.url) == [other])
        #expect(response.url == Redirected.target)
    }

    // MARK: Helpers

    private struct Redirected: DataLoading {
        static let target = URL(string: "https://elsewhere.example/cat.jpg")!
        func load(_ request: DataRequest) async throws -> DataResponse {
            DataResponse(url: Self.target, body: ByteStream(Data([7])))
        }
    }

    private func expiring(
        _ network: any DataLoading, hosts: Set<String> = ["images.example.org"], at time: @escaping @Sendable () -> Double = { 0 }
    ) -> ExpiringURLLoader {
        ExpiringURLLoader(network, hosts: hosts, key: key, now: { Date(timeIntervalSince1970: time()) })
    }

    /// What a server does: the target without what the signature added; `nil` if that is wrong or has expired.
    private static func verifiedTarget(of target: String, key: Data, now: Int) -> String? {
        guard let mark = target.firstRange(of: "&signature="), let time = target.firstRange(of: "expires=") else { return nil }
        let digits = Array(target[mark.upperBound...].utf8)
        let code = stride(from: 0, to: digits.count - 1, by: 2).compactMap {
            UInt8(String(decoding: digits[$0..<$0 + 2], as: UTF8.self), radix: 16)
        }
        let signed = Data(target[..<mark.lowerBound].utf8)
        guard HMAC<SHA256>.isValidAuthenticationCode(code, authenticating: signed, using: SymmetricKey(data: key)),
            let expires = Int(target[time.upperBound..<mark.lowerBound]), now <= expires
        else { return nil }
        return String(target[..<time.lowerBound].dropLast())
    }
}

extension URL {
    /// The path and the query, as they are sent.
    fileprivate var targetOfRequest: String? { query().map { "\(path(percentEncoded: true))?\($0)" } }
}
