import Calotype
import CalotypeTesting
import Foundation
import LoopbackHTTP

/// A standard loader with these caches. It makes a single attempt, unless `change` sets a policy of retries.
func makeStandardLoader(
    _ preset: StandardConfiguration = StandardConfiguration(), memory: (any Caching)? = nil, disk: any DataCaching,
    _ change: (inout StandardConfiguration) -> Void = { _ in }
) -> ImageLoader {
    .standard(preset) {
        $0.memoryCache = memory
        $0.dataCache = disk
        $0.retryPolicy = nil
        change(&$0)
    }
}

/// A PNG file of one colour, as the body of a response.
func servedPNG(red: UInt8 = 200, width: Int = 40) throws -> [UInt8] {
    Array(try PNGEncoder().encode(try TestImages.solid(width: width, height: 20, red: red), as: .png, options: EncodeOptions()))
}

/// A request for an image of a server.
func imageRequest(_ server: LoopbackServer, _ path: String = "/image.png", size: PixelSize? = nil) -> ImageRequest {
    ImageRequest(url: URL(string: server.url(path))!, size: size)
}
