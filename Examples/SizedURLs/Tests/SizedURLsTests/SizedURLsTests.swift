import CalotypeTesting
import Foundation
import ImageCore
import ImageLoading
import SizedURLs
import Testing

private func url(_ text: String) -> URL { URL(string: "https://" + text)! }

@Suite(.timeLimit(.minutes(1))) struct SizedURLsTests {
    private let sized = SizedURLs(host: "img.example.org", scale: 2)

    @Test func itKeepsTheContractOfLoadInterceptors() async throws {
        let request = ImageRequest(url: url("img.example.org/cat.jpg"), size: PixelSize(1_280))
        try await checkLoadInterceptorConformance(request: request) { sized }
    }

    @Test(arguments: [
        (1_280, "img.example.org/cat.jpg", "https://img.example.org/cat.jpg?w=640&dpr=2"),
        (1_281, "img.example.org/cat.jpg", "https://img.example.org/cat.jpg?w=720&dpr=2"),
        (1, "img.example.org/cat.jpg?fit=crop&w=9", "https://img.example.org/cat.jpg?fit=crop&w=80&dpr=2"),
        (nil, "img.example.org/cat.jpg", "https://img.example.org/cat.jpg"),
        (1_280, "other.example.org/cat.jpg", "https://other.example.org/cat.jpg"),
    ])
    func theURLHasTheSize(pixels: Int?, text: String, expected: String) {
        let size = pixels.map { PixelSize($0) }
        let request = sized.request(for: ImageRequest(url: url(text), size: size), size: size)
        guard let url = request.source.url else { return }
        #expect(url.absoluteString == expected)
    }

    @Test func eachWidthHasItsOwnCacheKey() {
        func key(_ width: Int, _ token: String) -> ResourceKey {
            var request = ImageRequest(url: url("img.example.org/cat.jpg?token=\(token)"))
            request.cacheKey = "cat"
            return sized.request(for: request, size: PixelSize(width)).resource
        }
        #expect(key(320, "a") == key(310, "b"))
        #expect(key(320, "a") != key(640, "a"))
    }

    @Test func viewsOfSimilarSizesShareOneFetch() async throws {
        let network = ScriptedLoader { _ in .body(Data([7])) }
        var configuration = ImageLoader.Configuration(
            dataLoader: network, decoder: ScriptedDecoder(), memoryCache: LoggedMemoryCache(), dataCache: LoggedDataCache())
        configuration.options.loadInterceptors = [sized]
        let loader = ImageLoader(configuration)
        for width in [300, 310, 320] { _ = try await loader.image(for: url("img.example.org/a.jpg"), size: PixelSize(width)) }
        #expect(network.requests.map(\.url) == [url("img.example.org/a.jpg?w=160&dpr=2")])
        #expect(loader.cachedImage(for: url("img.example.org/a.jpg"), size: PixelSize(310)) != nil)
    }
}

@Suite(.timeLimit(.minutes(1))) struct MirrorTests {
    private let mirror = Mirror(of: "a.example.org", at: "b.example.org")

    @Test func itKeepsTheContractOfLoadInterceptors() async throws {
        try await checkLoadInterceptorConformance(request: ImageRequest(url: url("a.example.org/cat.jpg"))) { mirror }
    }

    @Test(arguments: [
        (nil, ["a.example.org", "b.example.org"]), (503, ["a.example.org", "b.example.org"]), (404, ["a.example.org"]),
    ])
    func onlyAHostThatCannotAnswerIsReplaced(status: Int?, hosts: [String]) async throws {
        let network = ScriptedLoader { request in
            guard request.url.host() == "a.example.org" else { return .body(Data([7])) }
            guard let status else { throw ImageError(.connectionFailed, message: "There is no connection.") }
            return .response(.init(status: .init(code: status)), chunks: [])
        }
        var configuration = ImageLoader.Configuration(dataLoader: network, decoder: ScriptedDecoder())
        configuration.options.loadInterceptors = [mirror]
        let loader = ImageLoader(configuration)
        let image = try? await loader.image(for: url("a.example.org/cat.jpg"))
        #expect(network.requests.map { $0.url.host() } == hosts)
        #expect((image != nil) == (hosts.count == 2))
    }
}
