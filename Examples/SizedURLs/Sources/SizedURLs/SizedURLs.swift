import Foundation
import ImageCore

/// Asks an image CDN for images of the size at which they are shown: adds `w`, in points, and `dpr`, the pixels per
/// point, to the query of a URL.
///
/// Widths are rounded up to a few steps, so that views of similar sizes share one file on the CDN and in all caches.
/// The loader scales it down the rest of the way.
public struct SizedURLs: RequestRewriting {
    private let host: String
    private let scale: Int
    private let step: Int

    /// Creates the interceptor of a CDN.
    ///
    /// - Parameters:
    ///   - host: the host of the CDN. Other URLs stay as they are.
    ///   - scale: the pixels per point of the display, from 1; 1.
    ///   - step: the distance between two widths, in points, from 1; 80.
    public init(host: String, scale: Int = 1, step: Int = 80) {
        (self.host, self.scale, self.step) = (host, max(1, scale), max(1, step))
    }

    public func request(for request: ImageRequest, size: PixelSize?) -> ImageRequest {
        // Without a size, as for a download, the original is wanted.
        guard let size, let url = request.source.url, url.host() == host,
            var components = URLComponents(url: url, resolvingAgainstBaseURL: true)
        else { return request }
        let points = (size.width + scale - 1) / scale
        let width = (points + step - 1) / step * step
        // What the URL says already is replaced: the interceptor may get a URL that it has made.
        let others = (components.queryItems ?? []).filter { $0.name != "w" && $0.name != "dpr" }
        components.queryItems =
            others + [URLQueryItem(name: "w", value: "\(width)"), URLQueryItem(name: "dpr", value: "\(scale)")]
        guard let sized = components.url else { return request }
        // Each width is a file of its own, also under the cache key of the app.
        return request.with(source: .url(sized, cacheKey: request.cacheKey.map { "\($0) \(width)@\(scale)" }))
    }
}
