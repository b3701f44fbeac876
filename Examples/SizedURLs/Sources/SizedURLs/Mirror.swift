import Foundation
import ImageCore

/// Loads an image from another host where the first one cannot be reached.
///
/// Unlike ``ImageRequest/fallbacks``, which each request sets, it serves all requests of a loader.
public struct Mirror: LoadInterceptor {
    private let host, mirror: String

    /// Creates the interceptor of a host and its mirror, which has the same paths.
    public init(of host: String, at mirror: String) { (self.host, self.mirror) = (host, mirror) }

    public func intercept(_ request: ImageRequest, size: PixelSize?, next: @escaping Next) async throws -> ImageResponse {
        do {
            return try await next(request)
        } catch {
            // A cancelled load, an image that does not exist or one that does not decode is no better elsewhere.
            guard error.category == .network, error.status.map({ $0 >= 500 }) ?? true, let source = mirrored(request) else {
                throw error
            }
            return try await next(request.with(source: source))
        }
    }

    private func mirrored(_ request: ImageRequest) -> ImageSource? {
        guard let url = request.source.url, url.host() == host,
            var components = URLComponents(url: url, resolvingAgainstBaseURL: true)
        else { return nil }
        components.host = mirror
        // The bytes are the same.
        return components.url.map { .url($0, cacheKey: request.cacheKey) }
    }
}
