import CalotypeTesting
import ImageCore
import ImageCodecs
import ImageDecoding
import ImageLoading
import LoopbackHTTP

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

@main
struct AsyncHTTPClientLayer {
    static func main() async throws {
        // An image, and a local server that serves it.
        let pixels = try Bitmap(size: PixelSize(width: 640, height: 480), format: .gray8, alpha: .opaque) { pixels, _ in
            for index in pixels.indices { pixels[index] = UInt8(truncatingIfNeeded: index / 97) }
        }
        let png = try Array(PNGEncoder().encode(DecodedImage(pixels), as: .png, options: EncodeOptions()))
        let server = try LoopbackServer(serving: { _ in LoopbackServer.Response(200, body: png) })
        defer { server.stop() }

        guard let url = URL(string: server.url("/image.png")) else { return }
        let loader = ImageLoader(
            ImageLoader.Configuration(dataLoader: AsyncHTTPClientLoader(), decoder: DecoderRegistry(.codecs)))
        let response = try await loader.response(for: ImageRequest(url: url))
        print("from the \(response.tier): \(response.image.size)")

        // The conformance checks use a local server that misbehaves on purpose.
        do {
            try await check()
            print("All checks passed.")
        } catch {
            print(error)
            exit(1)
        }
    }

    private static func check() async throws {
        try await DataLoadingConformance.check { AsyncHTTPClientLoader() }
    }
}
