import Calotype
import CalotypeTesting
import Foundation
import HTTPTypes
import Testing

/// What shares a response in a standard loader with its HTTP cache (FEATURES 2.3), and what a load keeps (8.3).
@Suite(.timeLimit(.minutes(1)))
struct IdentitiesOfAStandardLoader {
    /// Adds a new token to each fetch.
    private final class Renewed: RequestInterceptor {
        let user: String?
        let count = Lock(0)

        init(user: String?) { self.user = user }

        func intercept(_ request: DataRequest, next: Next) async throws -> DataResponse {
            var signed = request
            let number = count.withLock { count in
                count += 1
                return count
            }
            signed.headerFields[.authorization] = "token \(number)"
            return try await next(signed)
        }

        func identity(for url: URL) -> String? { user }
    }

    private let disk = LoggedDataCache()
    private let address = URL(string: "https://example.org/a.png")!

    private func network(_ file: Data? = nil) throws -> ScriptedLoader {
        let png = try file ?? PNGEncoder().encode(TestImages.solid(width: 4, height: 2), as: .png, options: EncodeOptions())
        return ScriptedLoader { _ in
            .response(HTTPResponse(status: .ok, headerFields: [.cacheControl: "max-age=60"]), chunks: [png])
        }
    }

    private func loader(_ network: ScriptedLoader, _ change: (inout StandardConfiguration) -> Void = { _ in }) -> ImageLoader {
        .standard {
            ($0.network, $0.memoryCache, $0.dataCache, $0.retryPolicy) = (network, nil, disk, nil)
            change(&$0)
        }
    }

    @Test(arguments: [true, false])
    func aRenewedTokenOfAUserFindsItsEntryAndAnotherUserDoesNot(_ isInsideTheCache: Bool) async throws {
        let network = try network()
        func loader(_ user: String) -> ImageLoader {
            self.loader(network) {
                if isInsideTheCache {
                    $0.networkInterceptors = [Renewed(user: user)]
                } else {
                    $0.interceptors = [Renewed(user: user)]
                }
            }
        }
        let ann = loader("ann")
        #expect(try await ann.response(for: ImageRequest(url: address)).tier == .network)
        try await ann.flush()
        #expect(try await ann.response(for: ImageRequest(url: address)).tier == .disk)
        // The lookup of the engine, before the interceptors run, finds it too.
        let only = ImageRequest(url: address, options: OptionLayer { $0.cachePolicy = .cacheOnly })
        #expect(try await ann.response(for: only).tier == .disk)
        #expect(try await loader("bob").response(for: ImageRequest(url: address)).tier == .network)
        #expect(try await loader("ann").response(for: ImageRequest(url: address)).tier == .disk)
        #expect(network.requests.count == 2)
    }

    @Test func aTokenWithoutIdentityIsPartOfTheKeyItself() async throws {
        let network = try network()
        let loader = loader(network) { $0.interceptors = [Renewed(user: nil)] }
        for _ in 0..<2 { #expect(try await loader.response(for: ImageRequest(url: address)).tier == .network) }
    }

    @Test func aBodyIsNeverServedFromTheHTTPCache() async throws {
        let network = try network()
        let loader = loader(network)
        var post = ImageRequest(url: address)
        (post.method, post.body) = (.post, Data("{}".utf8))
        for _ in 0..<2 { #expect(try await loader.response(for: post).tier == .network) }
        #expect(disk.keys.isEmpty)
    }

    /// FEATURES 8.3: a load keeps 16 bits, also when the processed image comes from disk.
    @Test func aLoadKeepsSixteenBits() async throws {
        let size = PixelSize(width: 8, height: 4)
        let deep = DecodedImage(
            try unsafe Bitmap(size: size, format: .gray16, alpha: .opaque) { pixels, _ in
                for index in pixels.indices { unsafe pixels[index] = 0x35 }
            })
        let file = try PNGEncoder().encode(deep, as: .png, options: EncodeOptions())
        let loader = loader(try network(file)) { $0.options.diskStorage = .processedImages }
        var request = ImageRequest(url: address)
        #expect(try await loader.image(for: request).bitmap.format == .gray8)
        try await loader.flush()
        request.options.convertsTo8Bit = false
        #expect(try await loader.image(for: request).bitmap.format == .gray16)
        try await loader.flush()
        let stored = try await loader.response(for: request)
        #expect(stored.tier == .disk && stored.image.bitmap.format == .gray16)
    }
}
