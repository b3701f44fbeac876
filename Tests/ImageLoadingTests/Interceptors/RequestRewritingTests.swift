import CalotypeTesting
import Foundation
import ImageCore
import Testing

@testable import ImageLoading

/// Puts the width into the path of a URL, as an image CDN asks for it.
private struct Widths: RequestRewriting {
    func request(for request: ImageRequest, size: PixelSize?) -> ImageRequest {
        guard let url = request.source.url, let size else { return request }
        return request.with(source: .url(url.appending(path: "\(size.width)")))
    }
}

/// Interceptors that only replace requests (FEATURES 1.16).
@Suite(.timeLimit(.minutes(1))) struct RewritingRequests {
    private func request(_ width: Int?) -> ImageRequest {
        ImageRequest(url: url("x"), size: width.map { PixelSize($0) })
    }

    @Test func theNewRequestIsLoadedAndItsImageIsAtHandAtOnce() async throws {
        let bench = Bench { $0.options.loadInterceptors = [Widths()] }
        #expect(bench.loader.cachedImage(for: request(20)) == nil)
        #expect(try await bench.loader.response(for: request(20)).tier == .network)
        #expect(bench.network.requests.map(\.url) == [url("x/20")])
        #expect(bench.loader.cachedImage(for: request(20)) != nil)
        #expect(bench.loader.cachedImage(for: request(30)) == nil)
        #expect(bench.loader.task(for: request(20)).result != nil)
        #expect(bench.memory.keys.map(\.resource) == [ImageRequest(url: url("x/20")).resource])
    }

    @Test func everyRewriterSeesWhatTheOneBeforeHasMade() async throws {
        struct Half: RequestRewriting {
            func request(for request: ImageRequest, size: PixelSize?) -> ImageRequest {
                var half = request
                half.options.targetSize = size.map { PixelSize($0.width / 2) }
                return half
            }
        }
        let bench = Bench { $0.options.loadInterceptors = [Half(), Widths(), Widths()] }
        _ = try await bench.loader.image(for: request(20))
        #expect(bench.network.requests.map(\.url) == [url("x/10/10")])
    }

    @Test func bytesHeadersAndPrefetchesGetTheNewRequest() async throws {
        struct Mirror: RequestRewriting {
            func request(for request: ImageRequest, size: PixelSize?) -> ImageRequest {
                guard let url = request.source.url else { return request }
                return request.with(source: .url(url.appending(path: size.map { "\($0.width)" } ?? "full")))
            }
        }
        let bench = Bench { $0.options.loadInterceptors = [Mirror()] }
        _ = try await bench.loader.data(for: request(20))
        _ = try await bench.loader.info(for: request(20))
        #expect(Set(bench.network.requests.map(\.url)) == [url("x/full")])
        let prefetcher = ImagePrefetcher(loader: bench.loader, destination: .disk)
        prefetcher.start([request(20)])
        #expect(await prefetcher.waitUntilIdle().loaded == 1)
        #expect(bench.network.requests.last?.url == url("x/20"))
        #expect(bench.memory.keys.isEmpty, "a prefetch to the disk decodes nothing")
    }

    @Test func besideAnotherInterceptorItIsOneOfThem() async throws {
        struct Counter: LoadInterceptor {
            let urls = EventLog<String>()
            func intercept(_ request: ImageRequest, size: PixelSize?, next: @escaping Next) async throws -> ImageResponse {
                urls.append(request.description)
                return try await next(request)
            }
        }
        let counter = Counter()
        let bench = Bench { $0.options.loadInterceptors = [Widths(), counter, Widths()] }
        _ = try await bench.loader.image(for: request(20))
        #expect(counter.urls.events == ["http://example.org/x/20"])
        #expect(bench.network.requests.map(\.url) == [url("x/20/20")])
    }

    @Test func theNewRequestKeepsAllElse() {
        var original = ImageRequest(url: url("x"), size: PixelSize(10))
        (original.method, original.body) = (.post, Data([1]))
        (original.owner, original.purpose) = (LoadOwner("screen"), .view)
        (original.fallbacks, original.lowResolution) = ([.url(url("b"))], .url(url("c")))
        let new = original.with(source: .url(url("y")))
        #expect(new.source.description == "http://example.org/y" && new.resource != original.resource)
        #expect(new.with(source: original.source) == original)
    }
}
